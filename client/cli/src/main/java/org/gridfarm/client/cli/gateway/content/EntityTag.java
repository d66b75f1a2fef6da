package org.gridfarm.client.cli.gateway.content;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.wire.Attributes;

/**
 * The entity tag of a file: another one whenever the content may be another. Made of the number of
 * the file, the generation of its content, size and times; that a change of attributes alone
 * changes it, too, costs a reader one more transfer.
 */
public record EntityTag(String text) {
    public static EntityTag of(FileInfo file) {
        Attributes a = file.attributes();
        return new EntityTag(
                "\"%x-%x-%x-%x-%x\""
                        .formatted(
                                a.getInode(),
                                a.getGeneration(),
                                a.getSize(),
                                a.getMtime(),
                                a.getCtime()));
    }

    /** Whether it is in a list of If-Match or If-None-Match, where a star is every one. */
    public boolean isIn(String list) {
        for (String each : list.split(",")) {
            String tag = each.strip();
            if (tag.equals("*") || tag.equals(text) || tag.equals("W/" + text)) return true;
        }
        return false;
    }
}
