package org.gridfarm.storagenode.checksum;

import java.util.Map;
import java.util.TreeMap;

/**
 * A set of block numbers, kept as runs: what it takes follows the number of runs, not how far out
 * they lie or how long they are. For one thread at a time, except that any number may look
 * together.
 */
final class StaleBlocks {
    private final TreeMap<Long, Long> runs = new TreeMap<>(); // first block to the one behind

    boolean isEmpty() {
        return runs.isEmpty();
    }

    int runs() {
        return runs.size();
    }

    boolean contains(long block) {
        return endOf(block) > block;
    }

    /** The block behind the run that this one is in; this one itself where it is in none. */
    long endOf(long block) {
        Map.Entry<Long, Long> run = runs.floorEntry(block);
        return run == null ? block : Math.max(block, run.getValue());
    }

    /** The first one at or after this one, or -1. */
    long next(long block) {
        if (contains(block)) {
            return block;
        }
        Long next = runs.ceilingKey(block);
        return next == null ? -1 : next;
    }

    /** Blocks from..to (exclusive). */
    void add(long from, long to) {
        if (from >= to) {
            return;
        }
        Map.Entry<Long, Long> before = runs.floorEntry(from);
        long first = before != null && before.getValue() >= from ? before.getKey() : from;
        long end = to;
        for (Map.Entry<Long, Long> run = runs.ceilingEntry(first);
                run != null && run.getKey() <= end;
                run = runs.ceilingEntry(first)) {
            end = Math.max(end, run.getValue());
            runs.remove(run.getKey());
        }
        runs.put(first, end);
    }

    /** Blocks from..to (exclusive). */
    void remove(long from, long to) {
        if (from >= to || runs.isEmpty()) {
            return;
        }
        Map.Entry<Long, Long> before = runs.lowerEntry(from);
        if (before != null && before.getValue() > from) {
            runs.put(before.getKey(), from);
            add(to, before.getValue());
        }
        for (Map.Entry<Long, Long> run = runs.ceilingEntry(from);
                run != null && run.getKey() < to;
                run = runs.ceilingEntry(from)) {
            runs.remove(run.getKey());
            add(to, run.getValue());
        }
    }
}
