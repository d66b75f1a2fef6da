package org.gridfarm.protocol.attributes;

/** What a file takes on disk, where nobody looked: it is only said where the size does not tell. */
public final class Space {
    private static final long PAGE = 4096;

    private Space() {}

    /** Bytes on disk of a file without holes: whole pages. */
    public static long ofSize(long size) {
        return (size + PAGE - 1) / PAGE * PAGE;
    }
}
