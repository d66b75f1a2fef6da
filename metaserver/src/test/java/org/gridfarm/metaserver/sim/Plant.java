package org.gridfarm.metaserver.sim;

/** Faults that can be planted into what surrounds the servers, and into the simulated clients. */
enum Plant {
    NOTHING,
    /** A client acknowledges a recall and keeps what it names. */
    RECALL_IGNORED,
    /** A client keeps names known to be absent when their directory is recalled. */
    ABSENCE_NOT_RECALLED,
    /** A client keeps an answer that crossed a recall. */
    LATE_ANSWER_KEPT,
    /** A client believes its cache after its lease. */
    LEASE_NOT_WATCHED,
    /** The leader answers before the batch is durable: the store says too early that it is. */
    ANSWERED_BEFORE_COMMIT,
    /**
     * The leader answers before the caches have marked: a mark is said before the batch is heard.
     */
    ANSWERED_BEFORE_MARKS,
    /** The database takes what a deposed leader writes. */
    FENCE_FORGOTTEN,
    /** A cache hears of a batch with its commit: prepares are acknowledged and kept back. */
    PREPARE_SKIPPED,
    /** The leader hears that a batch is marked before the cache's clients have answered. */
    MARKED_BEFORE_RECALLS,
    /** A cache serves after its lease from the leader, which it hears to be far longer. */
    CACHE_LEASE_NOT_WATCHED,
    /**
     * A cache that lost its leader takes back what it granted from nobody: recalls are answered on
     * the way.
     */
    NOT_FLUSHED,
    /** A cache that resumes serves before it hears what it lacks. */
    RESUMED_TOO_EARLY,
    /** A cache's answer to what was pending may be kept. */
    GRANTED_WHILE_PENDING,
    /** A new leader completes at once, whoever may still believe the old one. */
    NOT_HELD,
    /** A new leader shows at once what the old one made durable and never completed. */
    DOUBTFUL_SHOWN,
    /** A new leader begins with what it knew as a cache: the journal seems to end there. */
    TAIL_FORGOTTEN,
    /**
     * A leader that was stopped does not know it: its clock stood still, and where it asks whether
     * it still leads it is told so.
     */
    STALL_NOT_NOTICED,
    /** The same of one that was stopped between its claim and its first act. */
    STALL_BEFORE_LEADING_NOT_NOTICED
}
