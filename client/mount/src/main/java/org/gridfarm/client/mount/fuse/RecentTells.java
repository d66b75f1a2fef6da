package org.gridfarm.client.mount.fuse;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/// What the kernel was told with time-outs a moment ago, and perhaps has not taken notice of.
///
/// An answer counts when the thread that waits for it runs, which on a busy machine is milliseconds
/// after it was written. What is recalled in between comes back with some answers (Linux 6.18): the
/// attributes of a node that the kernel did not know before, a name that was looked up again, which
/// takes no lock, and the names of a listing with attributes across an epoch. So a recall of what
/// was told to a thread waits until that thread asks for something else, or [#SETTLE_NANOS] are
/// over. So long may whoever changes it be held up, and at most once a second for the same key,
/// since the metaserver does not grant again at once what it recalled.
///
/// Told is noted before [RecallLog] is asked whether it may be: either the recall sees what is
/// told, or the answer is given without time-outs. Thread-safe; no garbage.
public final class RecentTells {

    static final long SETTLE_NANOS = 50_000_000L;
    static final int RING = 1 << 14;
    private static final int ASKED = 1 << 12;

    /// More threads than note what they tell at one moment: their places are not filled yet.
    private static final int OLD_IN_A_ROW = 256;

    private static final int THREAD_SHIFT = 40;
    private static final long COUNT_MASK = (1L << THREAD_SHIFT) - 1;

    private final LongSupplier clock;
    private final AtomicLongArray keys = new AtomicLongArray(RING);
    private final AtomicLongArray times = new AtomicLongArray(RING);
    private final AtomicIntegerArray threads = new AtomicIntegerArray(RING);
    private final AtomicLong count = new AtomicLong();
    private final AtomicLongArray asked = new AtomicLongArray(ASKED); // thread, count at that time
    private final long started;

    /// @param clock monotonic nanoseconds
    public RecentTells(LongSupplier clock) {
        this.clock = clock;
        this.started = clock.getAsLong();
    }

    /// The thread asks: it has taken notice of all answers before.
    ///
    /// @param thread 0: not known
    public void asks(int thread) {
        if (thread != 0) {
            asked.setOpaque(thread & (ASKED - 1), asked(thread, count.get()));
        }
    }

    private static long asked(int thread, long seen) {
        return (long) thread << THREAD_SHIFT | (seen & COUNT_MASK);
    }

    /// A name in the directory, or that there is none.
    public void name(int thread, long directory) {
        told(thread, ~directory);
    }

    public void attributes(int thread, long node) {
        told(thread, node);
    }

    private void told(int thread, long key) {
        int slot = (int) (count.getAndIncrement() & (RING - 1));
        times.set(slot, clock.getAsLong());
        threads.set(slot, thread);
        keys.set(slot, key);
    }

    /// Nanoseconds until the kernel has taken notice of all names told in the directory, 0: it has.
    /// It may be sooner.
    public long namesSettleIn(long directory) {
        return settleIn(~directory, false);
    }

    public long attributesSettleIn(long node) {
        return settleIn(node, false);
    }

    public long allSettleIn() {
        return settleIn(0, true);
    }

    private long settleIn(long key, boolean any) {
        long now = clock.getAsLong();
        // What a process before this one told is not known here.
        long longest = Math.max(0, SETTLE_NANOS - (now - started));
        long newest = count.get();
        int old = 0;
        for (long i = newest - 1; i >= 0 && old < OLD_IN_A_ROW; i--) {
            if (newest - i > RING) {
                return SETTLE_NANOS; // older ones are overwritten
            }
            int slot = (int) (i & (RING - 1));
            long left = SETTLE_NANOS - (now - times.get(slot));
            old = left <= 0 ? old + 1 : 0;
            if ((any || keys.get(slot) == key) && !hasAskedSince(threads.get(slot), i)) {
                longest = Math.max(longest, left);
            }
        }
        return longest;
    }

    private boolean hasAskedSince(int thread, long told) {
        long last = asked.getOpaque(thread & (ASKED - 1));
        return thread != 0
                && last >>> THREAD_SHIFT == thread
                && (last & COUNT_MASK) > (told & COUNT_MASK);
    }
}
