package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.checksum.BlockSums;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A replica's bytes and their sums side by side: comparing them, and making the sums follow the
 * bytes.
 */
final class SummedData {
    /** Blocks summed in one call of {@link #rescan} or {@link #show}. */
    private static final int RESCAN_BLOCKS = 16;

    /** As bytes of file. */
    static final long RESCAN_BYTES = (long) RESCAN_BLOCKS * Blocks.BYTES;

    /** Parts written since the sums were last taken; then they are taken at once. */
    private static final int STALE_RUNS_MAX = 512;

    /** So few are read without asking where the holes are. */
    private static final int READ_UNASKED = 4;

    /**
     * One for each thread of the disks, not for each small file: who needs one reads it at once.
     */
    private static final ThreadLocal<ByteBuffer> BLOCK =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Blocks.BYTES));

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
                && data.sum(block, BLOCK.get()) != sums.get(block)) {
            throw mismatch(block);
        }
    }

    /**
     * What one turn of a comparison looks at.
     *
     * @param end the block behind the last
     * @param blocks of data before it; holes are not read
     */
    record Reach(long end, long blocks) {}

    /** From this block on, over holes and at most so many blocks of data. */
    Reach reach(long from, long size, int blocksMax) throws IOException {
        Extents extents = new Extents(Blocks.count(size));
        long blocks = 0;
        long at = from;
        while (at < extents.end && blocks < blocksMax) {
            long data = extents.dataFrom(at);
            long run = data > at ? 0 : Math.min(blocksMax - blocks, extents.dataBlocks(at));
            blocks += run;
            at = data + run;
        }
        return new Reach(at, blocks);
    }

    /** The first bad block in [from, to), or -1. */
    long firstBad(long from, long to, long size) throws IOException {
        if (from == 0 && data.size() != size) {
            return 0;
        }
        ByteBuffer buffer = BLOCK.get();
        Extents extents = new Extents(Math.min(to, Blocks.count(size)));
        for (long block = from; block < extents.end; block++) {
            long data = extents.dataFrom(block);
            for (long hole = sums.nextSummed(block, data);
                    hole < data;
                    hole = sums.nextSummed(hole + 1, data)) {
                if (!sums.isStale(hole)) {
                    return hole; // zeros where something else should be
                }
            }
            block = data;
            if (block < extents.end
                    && !sums.isStale(block)
                    && this.data.sum(block, buffer) != sums.get(block)) {
                return block;
            }
        }
        return -1;
    }

    /** Takes the sums that were put off. */
    void sumStale() throws IOException {
        for (long block = sums.nextStale(0); block >= 0; block = sums.nextStale(block)) {
            sumStale(block, sums.staleEnd(block));
        }
    }

    /** Takes them when there are too many to be remembered one by one. */
    void sumStaleIfMany() throws IOException {
        if (sums.staleRuns() > STALE_RUNS_MAX) {
            sumStale();
        }
    }

    private void sumStale(long from, long to) throws IOException {
        ByteBuffer buffer = BLOCK.get();
        Extents extents = new Extents(to);
        for (long block = from; block < to; ) {
            long data = to - from > READ_UNASKED ? extents.dataFrom(block) : block;
            sums.zero(block, data);
            if (data < to) {
                sums.set(data, this.data.sum(data, buffer));
            }
            block = data + 1;
        }
    }

    /** Sums every block anew; true if any differed. */
    boolean adopt(long size) throws IOException {
        boolean[] differed = {false};
        sums.truncate(size);
        ChangedBlocks noting =
                new ChangedBlocks() {
                    @Override
                    public void changed(long offset, ByteBuffer content) {
                        differed[0] = true;
                    }

                    @Override
                    public void zeroed(long offset, long length) {
                        differed[0] = true;
                    }
                };
        for (long block = 0; block >= 0; ) {
            block = rescan(block, size, noting);
        }
        return differed[0];
    }

    /**
     * Sums some blocks anew from this one on and shows those that differed; holes are passed over.
     * Returns the next block, or -1 at the end.
     */
    long rescan(long from, long size, ChangedBlocks listener) throws IOException {
        return pass(
                from,
                size,
                new Passing() {
                    @Override
                    public void hole(long first, long end) throws IOException {
                        emptied(first, end, listener);
                    }

                    @Override
                    public void data(long block, int sum, ByteBuffer content) throws IOException {
                        if (sums.isStale(block) || sum != sums.get(block)) {
                            sums.set(block, sum);
                            listener.changed(Blocks.start(block), content);
                        }
                    }
                });
    }

    /**
     * Shows blocks from this one on, all of them; holes as such. Returns the next block, or -1 at
     * the end.
     *
     * @param summed the sums are those of the bytes: what differs is CORRUPT; else they are taken
     *     anew
     */
    long show(long from, long size, boolean summed, ChangedBlocks listener) throws IOException {
        return pass(
                from,
                size,
                new Passing() {
                    @Override
                    public void hole(long first, long end) throws IOException {
                        if (summed) {
                            requireEmpty(first, end);
                        } else {
                            emptied(first, end, ChangedBlocks.IGNORED);
                        }
                        listener.zeroed(Blocks.start(first), Blocks.start(end - first));
                    }

                    @Override
                    public void data(long block, int sum, ByteBuffer content) throws IOException {
                        if (sums.isStale(block) || !summed) {
                            sums.set(block, sum);
                        } else if (sum != sums.get(block)) {
                            throw mismatch(block);
                        }
                        listener.changed(Blocks.start(block), content);
                    }
                });
    }

    /**
     * Adds the sums of the bytes as they are, of some blocks from this one on, whatever was summed
     * before. Returns the next block, or -1 at the end.
     */
    long digest(long from, long size, ContentDigest digest) throws IOException {
        return pass(
                from,
                size,
                new Passing() {
                    @Override
                    public void hole(long first, long end) {
                        digest.addZeros(end - first);
                    }

                    @Override
                    public void data(long block, int sum, ByteBuffer content) {
                        digest.add(sum);
                    }
                });
    }

    /** What a walk over a replica meets: runs of blocks in a hole, and blocks of data. */
    private interface Passing {
        void hole(long first, long end) throws IOException;

        void data(long block, int sum, ByteBuffer content) throws IOException;
    }

    /** Some blocks from this one on; the next one, or -1 at the end. */
    private long pass(long from, long size, Passing passing) throws IOException {
        ByteBuffer buffer = BLOCK.get();
        Extents extents = new Extents(Blocks.count(size));
        int read = 0;
        long block = from;
        while (block < extents.end && read < RESCAN_BLOCKS) {
            long data = extents.dataFrom(block);
            if (data > block) {
                passing.hole(block, data);
                block = data;
                continue;
            }
            int sum = this.data.sum(block, buffer);
            passing.data(block, sum, buffer.rewind());
            read++;
            block++;
        }
        return block < extents.end ? block : -1;
    }

    /** Blocks [from, to) lie in a hole: CORRUPT if something else should be there. */
    private void requireEmpty(long from, long to) throws IOException {
        for (long block = sums.nextSummed(from, to);
                block < to;
                block = sums.nextSummed(block + 1, to)) {
            if (!sums.isStale(block)) {
                throw mismatch(block);
            }
        }
    }

    /**
     * Blocks [from, to) lie in a hole now; told as one range from the first to the last that did
     * not, however many between them did.
     */
    private void emptied(long from, long to, ChangedBlocks listener) throws IOException {
        long first = sums.nextSummed(from, to);
        long end = first;
        for (long block = first; block < to; block = sums.nextSummed(end, to)) {
            end = Math.min(to, Math.max(block + 1, sums.staleEnd(block)));
        }
        if (first < end) {
            sums.zero(first, end);
            listener.zeroed(Blocks.start(first), Blocks.start(end - first));
        }
    }

    /** Where the file has data, asked for once per extent. */
    private final class Extents {
        private final long end;
        private long dataEnd; // bytes before it, from where was asked last, are data

        /**
         * @param end blocks from this one on are of no interest
         */
        Extents(long end) {
            this.end = end;
        }

        /** The first block at or after this one that holds any data, or the end. */
        long dataFrom(long block) throws IOException {
            long at = Blocks.start(block);
            if (at < dataEnd || end == 1) { // one block is simply read: asking opens the file twice
                return block;
            }
            long next = data.nextData(at);
            if (next < 0) {
                return end;
            }
            dataEnd = Math.max(next + 1, data.nextHole(next));
            return Math.min(end, Math.max(block, Blocks.of(next)));
        }

        /** As many follow each other from this one on, which holds data. */
        long dataBlocks(long block) {
            return Math.max(1, Math.min(end, Blocks.count(dataEnd)) - block);
        }
    }
}
