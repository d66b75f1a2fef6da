package org.gridfarm.metaserver.commit;

import java.time.Duration;

/** Bounds of the way to the database. */
public final class CommitLimits {
    /** Operations in one batch: a 2 ms commit at this size is a million operations per second. */
    public static final int BATCH_OPERATIONS_MAX = 4096;

    /**
     * Bytes of one batch, but for the rest of what was begun: it goes to caches in one frame, of 8
     * MiB at most.
     */
    public static final int BATCH_BYTES_MAX = 4 << 20;

    /**
     * Changes that may wait for the tables before new commits are held back: about 400 MB of heap.
     */
    public static final int CHANGES_BEHIND_MAX = 1_000_000;

    /** The same in bytes: at most this part of the heap. */
    public static final int BEHIND_HEAP_PART = 6;

    /** What a change takes of the heap besides its bytes on the wire. */
    public static final int CHANGE_OVERHEAD_BYTES = 256;

    /** Changes folded in one transaction. */
    public static final int FOLD_CHANGES_MAX = 64 * 1024;

    /** Bytes folded in one transaction, but for one batch more. */
    public static final long FOLD_BYTES_MAX = 16 << 20;

    /** How long folding waits for more, so that images of the same row coalesce. */
    public static final Duration FOLD_WAIT = Duration.ofMillis(100);

    /** Between two attempts to reach a database that is away. */
    public static final Duration RETRY_WAIT = Duration.ofMillis(100);

    private CommitLimits() {}
}
