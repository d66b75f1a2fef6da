package org.gridfarm.metaserver.server.state;

import java.time.Duration;

/** Bounds and durations of a metaserver, with their units and the sum that justifies each. */
public final class ServerLimits {
    /**
     * How long a client may believe its cache after its last renewal; clients renew every second.
     */
    public static final Duration CLIENT_LEASE = Duration.ofSeconds(5);

    /** The same for a cache server; it renews four times as often. */
    public static final Duration CACHE_LEASE = Duration.ofSeconds(2);

    /** Directories that are delegated at the same time: some 200 bytes each. */
    public static final int DELEGATIONS_MAX = 1 << 16;

    public static final int DELEGATIONS_PER_SESSION_MAX = 1 << 12;

    /**
     * A session that has not given back a directory after so long is told of to people: it ships
     * what it has within some milliseconds, and its lease ends soon.
     */
    public static final Duration DELEGATION_OVERDUE = Duration.ofSeconds(2);

    /** Inode numbers that a session is given at once: a number costs nothing but itself. */
    public static final int NUMBERS_AT_ONCE_MAX = 1 << 14;

    /**
     * A storage node that has not been heard of for this long is not chosen; it stops serving by
     * itself.
     */
    public static final Duration NODE_LEASE = Duration.ofSeconds(2);

    /** A leader that was not running for this long asks the database whether it still leads. */
    public static final Duration STALL_MAX = Duration.ofSeconds(1);

    /**
     * How long a recall may be under way before the connection is given up: past the lease nobody
     * waits.
     */
    public static final Duration RECALL_DEADLINE = CLIENT_LEASE.plusSeconds(1);

    /** A call to a storage node that moves no data. */
    public static final Duration NODE_CALL_DEADLINE = Duration.ofSeconds(5);

    /**
     * Asking a node what it has of {@link #FIND_OBJECTS_MAX} objects: a few looks at its disk each.
     */
    public static final Duration FIND_DEADLINE = Duration.ofSeconds(30);

    /**
     * Replicas that are read for the sums of one identity at a time: a call costs it nothing, and a
     * node a pass over its disk.
     */
    public static final int SUMMED_EACH_MAX = 128;

    /** Objects that a node is asked for at once. */
    public static final int FIND_OBJECTS_MAX = 1000;

    /** How often nodes are asked again for copies that they did not find. */
    public static final Duration FIND_AGAIN = Duration.ofSeconds(2);

    /** Copying one object between nodes: a terabyte at 100 MB/s takes three hours. */
    public static final Duration COPY_DEADLINE = Duration.ofHours(6);

    /** After a change of leader: how long clients may bring back their opens and locks. */
    public static final Duration RECLAIM_GRACE = CLIENT_LEASE.plusSeconds(1);

    /** The same for one that has so much that it is still at it. */
    public static final Duration RECLAIM_GRACE_MAX = Duration.ofSeconds(30);

    /**
     * Files of lost writers that are sealed at a time: a node takes some milliseconds for each, has
     * {@link #NODE_CALL_DEADLINE} for all of them, and has others to serve.
     */
    public static final int SEALED_AT_ONCE = 32;

    /** Files that one tick looks at because their session ended: at most some milliseconds. */
    public static final int LEFT_PER_TURN = 256;

    /** How often repair is planned when nothing has changed. */
    public static final Duration REPAIR_EVERY = Duration.ofSeconds(1);

    /** How often the farm is counted for those who watch it: some milliseconds each. */
    public static final Duration FIGURES_EVERY = Duration.ofSeconds(1);

    /** Batches kept for a cache server that was away for a moment. */
    public static final int RECENT_BATCHES_MAX = 256;

    /** Their bytes: at most this part of the heap. */
    public static final int RECENT_HEAP_PART = 16;

    private ServerLimits() {}
}
