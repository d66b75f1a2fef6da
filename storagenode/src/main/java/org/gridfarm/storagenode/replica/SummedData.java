package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.checksum.BlockSums;
import org.gridfarm.storagenode.checksum.Blocks;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A replica's bytes and their sums side by side: comparing them, and making the sums follow the
 * bytes.
 */
final class SummedData {
    /** Blocks summed in one call of {@link #rescan}: 1 MiB of file. */
    private static final int RESCAN_BLOCKS = 16;

    private final ObjectKey key;
    private final DataFile data;
    private final BlockSums sums;

    SummedData(ObjectKey key, DataFile data, BlockSums sums) {
        this.key = key;
        this.data = data;
        this.sums = sums;
    }

    static FarmException corrupt(ObjectKey key, String why) {
        return new FarmException(ErrorKind.CORRUPT, "read replica", key.toString(), why);
    }

    private FarmException mismatch(long block) {
        return corrupt(key, "block " + block + " does not match its checksum");
    }

    /**
     * CORRUPT unless this content is what the block should hold, or its sum is still to be taken.
     */
    void compare(long block, ByteBuffer content) throws IOException {
        if (!sums.isStale(block) && Blocks.sum(content) != sums.get(block)) {
            throw mismatch(block);
        }
    }

    /** Before a change of a part of a block, which must not bless damage in the rest of it. */
    void requireSound(long block, long size) throws IOException {
        if (Blocks.start(block) < size
                && !sums.isStale(block)
                && data.sum(block, ByteBuffer.allocateDirect(Blocks.BYTES)) != sums.get(block)) {
            throw mismatch(block);
        }
    }

    /** The first bad block in [from, to), or -1. */
    long firstBad(long from, long to, long size) throws IOException {
        if (from == 0 && data.size() != size) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        long end = Math.min(to, Blocks.count(size));
        for (long block = from; block < end; block++) {
            if (!sums.isStale(block) && data.sum(block, buffer) != sums.get(block)) {
                return block;
            }
        }
        return -1;
    }

    /** Takes the sums that were put off. */
    void sumStale() throws IOException {
        long block = sums.nextStale(0);
        if (block < 0) {
            return;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        for (; block >= 0; block = sums.nextStale(block + 1)) {
            sums.set(block, data.sum(block, buffer));
        }
    }

    /** Sums every block anew; true if any differed. */
    boolean adopt(long size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        boolean differed = false;
        sums.truncate(size);
        long count = Blocks.count(size);
        for (long block = 0; block < count; block++) {
            int sum = data.sum(block, buffer);
            if (sum != sums.get(block)) {
                sums.set(block, sum);
                differed = true;
            }
        }
        return differed;
    }

    /**
     * Sums some blocks anew from this one on and shows those that differed; returns the next block,
     * or -1 at the end.
     */
    long rescan(long from, long size, Replica.ChangedBlocks listener) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        long count = Blocks.count(size);
        long end = Math.min(count, from + RESCAN_BLOCKS);
        for (long block = from; block < end; block++) {
            int sum = data.sum(block, buffer);
            if (sums.isStale(block) || sum != sums.get(block)) {
                sums.set(block, sum);
                listener.changed(Blocks.start(block), buffer.rewind());
            }
        }
        return end < count ? end : -1;
    }
}
