package org.gridfarm.test.sim;

/** Faults that can be planted into the simulated servers and clients. */
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
    /** The leader answers when it has decided. */
    ANSWERED_BEFORE_COMMIT,
    /** The leader answers when the change is durable. */
    ANSWERED_BEFORE_MARKS,
    /** The database takes what a deposed leader writes. */
    FENCE_FORGOTTEN,
    /** The leader sends no prepares, only commits. */
    PREPARE_SKIPPED,
    /** A cache tells the leader that it has marked a batch before its clients have answered. */
    MARKED_BEFORE_RECALLS,
    /** A cache serves after its lease from the leader. */
    CACHE_LEASE_NOT_WATCHED,
    /** A cache that lost its leader follows anew without taking back what it granted. */
    NOT_FLUSHED,
    /** The leader answers a cache that resumes before it sends what that lacks. */
    RESUMED_TOO_EARLY,
    /** A cache grants what is pending. */
    GRANTED_WHILE_PENDING,
    /** A new leader completes at once, whoever may still believe the old one. */
    NOT_HELD,
    /** A new leader shows at once what the old one made durable and never completed. */
    DOUBTFUL_SHOWN,
    /** A new leader begins with what it knew as a cache, not with the end of the journal. */
    TAIL_FORGOTTEN,
    /** A leader that was stopped goes on without asking whether it still leads. */
    STALL_NOT_NOTICED,
    /** A leader that was stopped between its claim and its first act does not ask either. */
    STALL_BEFORE_LEADING_NOT_NOTICED
}
