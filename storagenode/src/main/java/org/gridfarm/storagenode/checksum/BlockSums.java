package org.gridfarm.storagenode.checksum;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.checksum.ContentDigest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sums of one object: pages taken from its {@link SumFile} as they are needed, changed here and
 * written back together. A block that was written in part is <em>stale</em>: its sum is taken from
 * the file when it is next asked for, not at every write.
 *
 * <p>For one thread at a time, except that any number of threads may call {@link #get} and {@link
 * #isStale} together.
 */
public final class BlockSums {
    /** Pages kept in memory after they were written: 4 MiB, the sums of 64 GiB. */
    private static final int PAGES_KEPT_MAX = 1024;

    private final SumFile file;
    private final long inode;
    private final int stripe;
    private final int generation;
    private final Map<Integer, int[]> pages = new HashMap<>();
    private final Set<Integer> changed = new HashSet<>();
    private final BitSet stale = new BitSet();
    private boolean damaged;

    public BlockSums(SumFile file, long inode, int stripe, int generation) {
        this.file = file;
        this.inode = inode;
        this.stripe = stripe;
        this.generation = generation;
    }

    private int[] page(long block) throws IOException {
        int number = (int) (block / SumFile.ENTRIES);
        synchronized (pages) {
            int[] page = pages.get(number);
            if (page != null) {
                return page;
            }
            int[] read = file.readPage(inode, stripe, generation, number);
            if (read == null) {
                damaged = true;
                read = unknowable();
            }
            pages.put(number, read);
            return read;
        }
    }

    /**
     * Sums that no block has but by a chance of one in four milliards: a damaged page vouches for
     * nothing.
     */
    private static int[] unknowable() {
        int[] page = new int[SumFile.ENTRIES];
        Arrays.fill(page, 0xBAD5_0BAD);
        return page;
    }

    /** True once a page of the file was found damaged. */
    public boolean isDamaged() {
        return damaged;
    }

    public int get(long block) throws IOException {
        return page(block)[(int) (block % SumFile.ENTRIES)];
    }

    /** Sets the sum and takes the block's staleness away. */
    public void set(long block, int sum) throws IOException {
        int[] page = page(block);
        int at = (int) (block % SumFile.ENTRIES);
        stale.clear((int) block);
        if (page[at] != sum) {
            page[at] = sum;
            changed.add((int) (block / SumFile.ENTRIES));
        }
    }

    public void markStale(long block) {
        stale.set((int) block);
    }

    /** As many blocks from the first. */
    public void markAllStale(long count) {
        stale.set(0, (int) count);
    }

    public boolean isStale(long block) {
        return stale.get((int) block);
    }

    /** The first stale block at or after this one, or -1. */
    public long nextStale(long block) {
        return stale.nextSetBit((int) block);
    }

    /**
     * The first block in [from, to) that is not known to be a block of zeros, or to. Whole pages
     * that were never written cost nothing.
     */
    public long nextSummed(long from, long to) throws IOException {
        long block = from;
        while (block < to) {
            int number = (int) (block / SumFile.ENTRIES);
            long end = Math.min(to, (number + 1L) * SumFile.ENTRIES);
            if (isBlank(number) && stale.isEmpty()) {
                block = end;
                continue;
            }
            for (; block < end; block++) {
                if (isStale(block) || get(block) != 0) {
                    return block;
                }
            }
        }
        return to;
    }

    private boolean isBlank(int number) throws IOException {
        synchronized (pages) {
            return !pages.containsKey(number) && !file.holds(number);
        }
    }

    /** Blocks from..to (exclusive) are blocks of zeros. */
    public void zero(long from, long to) throws IOException {
        for (long block = from; block < to; ) {
            long pageEnd = (block / SumFile.ENTRIES + 1) * SumFile.ENTRIES;
            long end = Math.min(to, pageEnd);
            if (isBlank((int) (block / SumFile.ENTRIES))) {
                block = end;
                continue;
            }
            int[] page = page(block);
            for (; block < end; block++) {
                if (page[(int) (block % SumFile.ENTRIES)] != 0) {
                    page[(int) (block % SumFile.ENTRIES)] = 0;
                    changed.add((int) (block / SumFile.ENTRIES));
                }
            }
        }
        stale.clear((int) from, (int) to);
    }

    /**
     * The file now ends at the size: what lay behind it is forgotten, here and in the file, whose
     * header must say OPEN.
     */
    public void truncate(long size) throws IOException {
        long count = Blocks.count(size);
        int keep = (int) Math.max(1, (count + SumFile.ENTRIES - 1) / SumFile.ENTRIES);
        zero(count, (long) keep * SumFile.ENTRIES);
        stale.clear((int) count, Math.max((int) count, stale.length()));
        pages.keySet().removeIf(number -> number >= keep);
        changed.removeIf(number -> number >= keep);
        file.truncate(size);
    }

    /**
     * Writes all changed pages and then the header, which makes the first of them count. Nothing is
     * synced.
     */
    public void write(SumHeader header) throws IOException {
        for (int number : List.copyOf(changed)) {
            int[] page = pages.get(number);
            if (page != null) {
                file.writePage(inode, stripe, generation, number, page);
            }
            changed.remove(number);
        }
        file.writeHeader(header);
        if (pages.size() > PAGES_KEPT_MAX) {
            pages.clear();
        }
    }

    /** Writes pages early when too many changed ones are held; only while the header says OPEN. */
    public void spill(SumHeader header) throws IOException {
        if (changed.size() > PAGES_KEPT_MAX) {
            write(header);
        }
    }

    /**
     * Writes the same sums to another file, for the same bytes under the key and with the flags of
     * that header.
     */
    public void copyTo(SumFile out, SumHeader header) throws IOException {
        BlockSums copy = new BlockSums(out, header.inode(), header.stripe(), header.generation());
        SumHeader unfinished = header.withFlags(SumHeader.DIRTY | SumHeader.OPEN);
        long count = Blocks.count(header.size());
        for (long block = nextSummed(0, count);
                block < count;
                block = nextSummed(block + 1, count)) {
            copy.set(block, get(block));
            copy.spill(unfinished);
        }
        copy.write(header);
    }

    /** Of the whole file. No block may be stale. */
    public byte[] digest(long size) throws IOException {
        ContentDigest digest = new ContentDigest(size);
        long count = Blocks.count(size);
        for (long block = 0; block < count; ) {
            int[] page = page(block);
            long end = Math.min(count, block + SumFile.ENTRIES);
            for (; block < end; block++) {
                digest.add(page[(int) (block % SumFile.ENTRIES)]);
            }
        }
        return digest.value();
    }

    /** Runs of stale blocks as [from, to) pairs, in order. */
    public List<long[]> staleRuns() {
        List<long[]> runs = new ArrayList<>();
        for (int from = stale.nextSetBit(0); from >= 0; ) {
            int to = stale.nextClearBit(from);
            runs.add(new long[] {from, to});
            from = stale.nextSetBit(to);
        }
        return runs;
    }
}
