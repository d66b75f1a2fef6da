package org.gridfarm.storagenode.checksum;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The sums of one object: pages taken from its {@link SumFile} as they are needed, changed here and
 * written back together. A block that was written in part is <em>stale</em>: its sum is taken from
 * the file when it is next asked for, not at every write.
 *
 * <p>What is held in memory follows neither the size of the object nor what was written: a few
 * pages, and runs of stale blocks. Pages that stand for blocks of zeros are neither held nor read.
 *
 * <p>For one thread at a time, except that any number of threads may call {@link #get} and {@link
 * #isStale} together.
 */
public final class BlockSums {
    /** 64 KiB, the sums of 1 GiB; at most 64 MiB for all replicas that may be open at once. */
    static final int PAGES_KEPT_MAX = 16;

    private final SumFile file;
    private final long inode;
    private final int stripe;
    private final int generation;
    private final TreeMap<Integer, int[]> pages = new TreeMap<>(); // guarded by itself
    private final Set<Integer> changed = new HashSet<>();
    private final StaleBlocks stale = new StaleBlocks();
    private boolean damaged;

    public BlockSums(SumFile file, long inode, int stripe, int generation) {
        this.file = file;
        this.inode = inode;
        this.stripe = stripe;
        this.generation = generation;
    }

    private static int pageOf(long block) {
        return (int) (block / SumFile.ENTRIES);
    }

    private static int entryOf(long block) {
        return (int) (block % SumFile.ENTRIES);
    }

    private static long startOf(int page) {
        return (long) page * SumFile.ENTRIES;
    }

    /** The page, or null when it was never written: it stands for blocks of zeros. */
    private int @Nullable [] page(int number) throws IOException {
        synchronized (pages) {
            int[] page = pages.get(number);
            if (page != null) {
                return page;
            }
            if (!file.holds(number)) {
                return null;
            }
            int[] read = file.readPage(inode, stripe, generation, number);
            if (read == null) {
                damaged = true;
                read = unknowable();
            }
            keep(number, read);
            return read;
        }
    }

    private void keep(int number, int[] page) {
        synchronized (pages) {
            Iterator<Integer> others = pages.keySet().iterator();
            while (pages.size() >= PAGES_KEPT_MAX && others.hasNext()) {
                if (!changed.contains(others.next())) {
                    others.remove();
                }
            }
            pages.put(number, page);
        }
    }

    /** The first page from this one on that is held here or in the file, or the end. */
    private int nextPage(int number, int end) throws IOException {
        synchronized (pages) {
            if (number >= end || pages.containsKey(number)) {
                return Math.min(number, end);
            }
            Integer here = pages.ceilingKey(number);
            int limit = here == null ? end : Math.min(here, end);
            return file.nextPage(number, limit);
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
        int[] page = page(pageOf(block));
        return page == null ? 0 : page[entryOf(block)];
    }

    /** Sets the sum and takes the block's staleness away; the header on disk must say OPEN. */
    public void set(long block, int sum) throws IOException {
        stale.remove(block, block + 1);
        int number = pageOf(block);
        int[] page = page(number);
        if (page == null) {
            if (sum == 0) {
                return;
            }
            page = new int[SumFile.ENTRIES];
            keep(number, page);
        }
        if (page[entryOf(block)] != sum) {
            page[entryOf(block)] = sum;
            change(number);
        }
    }

    private void change(int number) throws IOException {
        changed.add(number);
        if (changed.size() >= PAGES_KEPT_MAX) {
            writePages(1); // the first one counts with its header alone
        }
    }

    public void markStale(long block) {
        stale.add(block, block + 1);
    }

    /** As many blocks from the first. */
    public void markAllStale(long count) {
        stale.add(0, count);
    }

    public boolean isStale(long block) {
        return stale.contains(block);
    }

    /** The first stale block at or after this one, or -1. */
    public long nextStale(long block) {
        return stale.next(block);
    }

    /** The block behind the run of stale ones that this one is in, or this one. */
    public long staleEnd(long block) {
        return stale.endOf(block);
    }

    /** Runs of stale blocks, between others that are not. */
    public int staleRuns() {
        return stale.runs();
    }

    /** Pages in memory. */
    public int pagesHeld() {
        synchronized (pages) {
            return pages.size();
        }
    }

    /**
     * The first block in [from, to) that is not known to be a block of zeros, or to. Pages that
     * were never written cost nothing.
     */
    public long nextSummed(long from, long to) throws IOException {
        long next = stale.next(from);
        long limit = next < 0 ? to : Math.min(next, to);
        for (long block = from; block < limit; ) {
            int number = nextPage(pageOf(block), pageOf(limit - 1) + 1);
            block = Math.max(block, startOf(number));
            int[] page = block < limit ? page(number) : null;
            long end = Math.min(limit, startOf(number + 1));
            for (; block < end; block++) {
                if (page != null && page[entryOf(block)] != 0) {
                    return block;
                }
            }
        }
        return Math.max(from, limit);
    }

    /** Blocks from..to (exclusive) are blocks of zeros. */
    public void zero(long from, long to) throws IOException {
        if (from < to) {
            int end = pageOf(to - 1) + 1;
            for (int number = nextPage(pageOf(from), end);
                    number < end;
                    number = nextPage(number + 1, end)) {
                zero(number, Math.max(from, startOf(number)), Math.min(to, startOf(number + 1)));
            }
        }
        stale.remove(from, to);
    }

    private void zero(int number, long from, long to) throws IOException {
        int[] page = page(number);
        boolean differs = false;
        for (long block = from; page != null && block < to; block++) {
            differs |= page[entryOf(block)] != 0;
            page[entryOf(block)] = 0;
        }
        if (differs) {
            change(number);
        }
    }

    /**
     * The file now ends at the size: what lay behind it is forgotten, here and in the file, whose
     * header must say OPEN.
     */
    public void truncate(long size) throws IOException {
        long count = Blocks.count(size);
        int keep = (int) Math.max(1, (count + SumFile.ENTRIES - 1) / SumFile.ENTRIES);
        zero(count, startOf(keep));
        stale.remove(count, Long.MAX_VALUE);
        pages.tailMap(keep).clear();
        changed.removeIf(number -> number >= keep);
        file.truncate(size);
    }

    /**
     * Writes all changed pages and then the header, which makes the first of them count. Nothing is
     * synced.
     */
    public void write(SumHeader header) throws IOException {
        writePages(0);
        file.writeHeader(header);
    }

    private void writePages(int from) throws IOException {
        for (int number : List.copyOf(changed)) {
            int[] page = pages.get(number);
            if (number >= from) {
                if (page != null) {
                    file.writePage(inode, stripe, generation, number, page);
                }
                changed.remove(number);
            }
        }
    }

    /**
     * Writes the same sums to another file, for the same bytes under the key and with the flags of
     * that header.
     */
    public void copyTo(SumFile out, SumHeader header) throws IOException {
        BlockSums copy = new BlockSums(out, header.inode(), header.stripe(), header.generation());
        long count = Blocks.count(header.size());
        for (long block = nextSummed(0, count);
                block < count;
                block = nextSummed(block + 1, count)) {
            copy.set(block, get(block));
        }
        copy.write(header);
    }

    /** Of the whole file. No block may be stale. */
    public byte[] digest(long size) throws IOException {
        ContentDigest digest = new ContentDigest(size);
        long count = Blocks.count(size);
        int pages = pageOf(Math.max(0, count - 1)) + 1;
        long block = 0;
        for (int number = nextPage(0, pages);
                number < pages;
                number = nextPage(number + 1, pages)) {
            digest.addZeros(startOf(number) - block);
            block = startOf(number);
            int[] page = page(number);
            for (long end = Math.min(count, startOf(number + 1)); block < end; block++) {
                digest.add(page == null ? 0 : page[entryOf(block)]);
            }
        }
        digest.addZeros(count - block);
        return digest.value();
    }
}
