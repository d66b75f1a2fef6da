package org.gridfarm.client.core.cache;

/**
 * How many recalls there were, and of which keys the last of them: so it can be told later whether
 * a key was recalled since some moment. Guarded by its shard.
 */
final class RecentRecalls {
    private static final int KEPT = 64; // a power of two

    private final long[] keys = new long[KEPT];
    private long count;

    void add(long key) {
        keys[(int) (count++ & (KEPT - 1))] = key;
    }

    /** Of every key. */
    void addAll() {
        count += KEPT + 1;
    }

    long count() {
        return count;
    }

    /** Or perhaps, where there were too many since. */
    boolean hasSince(long countThen, long key) {
        if (count - countThen > KEPT) {
            return true;
        }
        for (long i = countThen; i < count; i++) {
            if (keys[(int) (i & (KEPT - 1))] == key) {
                return true;
            }
        }
        return false;
    }
}
