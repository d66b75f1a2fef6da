package org.gridfarm.client.core.transfer;

/** Where appends of this process go that follow each other without waiting. Not thread-safe. */
final class AppendEnds {
    private long reserved; // end of the last one under way
    private int underWay;

    /**
     * @param size of the file without those under way
     */
    long reserve(long size, long length) {
        long offset = Math.max(size, reserved);
        reserved = offset + length;
        underWay++;
        return offset;
    }

    void ended() {
        if (--underWay == 0) {
            reserved = 0;
        }
    }
}
