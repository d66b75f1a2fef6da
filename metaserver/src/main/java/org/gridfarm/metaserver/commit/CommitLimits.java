package org.gridfarm.metaserver.commit;

import java.time.Duration;

/** Bounds of the way to the database. */
public final class CommitLimits {
    /** Operations in one batch: a 2 ms commit at this size is a million operations per second. */
    public static final int BATCH_OPERATIONS_MAX = 4096;

    /**
     * Changes that may wait for the tables before new commits are held back: about 400 MB of heap.
     */
    public static final int CHANGES_BEHIND_MAX = 1_000_000;

    /** Changes folded in one transaction. */
    public static final int FOLD_CHANGES_MAX = 64 * 1024;

    /** How long folding waits for more, so that images of the same row coalesce. */
    public static final Duration FOLD_WAIT = Duration.ofMillis(100);

    /** Between two attempts to reach a database that is away. */
    public static final Duration RETRY_WAIT = Duration.ofMillis(100);

    private CommitLimits() {}
}
