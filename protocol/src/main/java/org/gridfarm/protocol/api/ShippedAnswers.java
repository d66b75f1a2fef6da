package org.gridfarm.protocol.api;

import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;

import java.util.zip.CRC32C;

/**
 * What two who decide a command by the same rules compare, to notice that one of them started from
 * something else: the directories as they stand after it, and what was made or whose attributes
 * were set. Of a file that lost or changed its name the two may know different sizes and times.
 */
public final class ShippedAnswers {
    private ShippedAnswers() {}

    public static int digest(MutateRequest request, MutateReply answer) {
        CRC32C crc = new CRC32C();
        add(crc, answer.getParent());
        add(crc, answer.getOtherParent());
        boolean object =
                switch (request.getOperationCase()) {
                    case CREATE, MKDIR, SYMLINK, MKNOD, SET_ATTRIBUTES, SET_XATTR, REMOVE_XATTR ->
                            true;
                    default -> false;
                };
        if (object) {
            add(crc, answer.getAttributes());
        }
        return (int) crc.getValue();
    }

    private static void add(CRC32C crc, Attributes attributes) {
        byte[] bytes = attributes.toBuilder().clearWriting().clearToldUntil().build().toByteArray();
        crc.update(bytes.length);
        crc.update(bytes);
    }
}
