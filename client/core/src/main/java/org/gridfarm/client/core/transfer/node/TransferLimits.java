package org.gridfarm.client.core.transfer.node;

import java.time.Duration;

/** The bounds of data transfer, with their reasons. */
public final class TransferLimits {
    /**
     * One piece of a read: large enough to fill a connection, small enough to be fetched in
     * parallel.
     */
    public static final int CHUNK_BYTES = 1 << 20;

    /** Chunks fetched ahead of one sequential reader. */
    public static final int AHEAD_CHUNKS_MAX = 8;

    /** Chunks that all readers of a process may hold ahead of their use: 64 MiB. */
    public static final int AHEAD_CHUNKS_TOTAL = 64;

    /**
     * A replica that has not answered by then is given company (the promise is to switch within 2
     * s).
     */
    public static final Duration HEDGE_AFTER = Duration.ofSeconds(1);

    /**
     * To a node that accepts a connection and says nothing: it is stopped, or as good as that. What
     * the kernel wrote there has waited for {@link #RESCUE_AFTER} already, of the ten seconds that
     * a call may take.
     */
    static final Duration CONNECTED_WITHIN = Duration.ofSeconds(2);

    /**
     * One attempt at the head of a chain: a member may cost the head 3 s before it is struck off.
     */
    public static final Duration CHAIN_ATTEMPT = Duration.ofMillis(4_500);

    /**
     * What the kernel wrote at a node that does not answer is brought to others after this: a node
     * that is started again at once is waited for, and a call still ends in ten seconds.
     */
    public static final Duration RESCUE_AFTER = Duration.ofSeconds(4);

    /**
     * A staged file that is still open is made a replica after this: most small files are closed
     * before, and their one call is the last.
     */
    public static final Duration CLAIM_AFTER = Duration.ofMillis(500);

    /** The same for one into which nothing was written; long before the node removes it. */
    public static final Duration CLAIM_UNTOUCHED_AFTER = Duration.ofMinutes(10);

    /** For so long a node is not asked again where it has a replica that is read again. */
    public static final Duration REPLICA_KNOWN = Duration.ofSeconds(30);

    /** Of so many, at some 400 bytes each. */
    public static final int KNOWN_REPLICAS_MAX = 8192;

    /** Grants that are not needed any more wait for others to be given back along with them. */
    public static final Duration GIVE_BACK_AFTER = Duration.ofMillis(5);

    /** A file of no more bytes is read to see whether its last sync still holds. */
    public static final int COMPARED_BYTES_MAX = 256 << 10;

    /**
     * A new file of no more bytes is closed while its program goes on
     * (docs/decisions/closed-later.md).
     */
    public static final int CLOSED_LATER_MAX = 1 << 20;

    /** Read from a lost node's file and written elsewhere in one piece. */
    public static final int RESCUE_BYTES = 4 << 20;

    /** What was written at full nodes is copied to others first: 64 GB at 100 MB/s. */
    public static final Duration MOVE_FROM_FULL = Duration.ofMinutes(11);

    /** Before the same is asked again of nodes or metaserver. */
    public static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    /**
     * A node unknown to the leader for longer is given up: nodes find a new leader within a second
     * or two.
     */
    static final Duration ANNOUNCED_WITHIN = Duration.ofSeconds(4);

    /** A node that failed is asked last for so long. */
    static final Duration SUSPECT_FOR = Duration.ofSeconds(5);

    /** Tickets are renewed when they have less than this left. */
    public static final long TICKET_SECONDS_MIN = 30;

    /**
     * From this size on a reader of a file on its own node asks for the plain file: below, one
     * answer costs less than the asking.
     */
    public static final long LOCAL_BYTES_MIN = 256 << 10;

    /** A shorter file that is changed in place is written with fewer calls through the chain. */
    public static final long CHANGED_LOCALLY_MIN = 64 << 10;

    /** All of it is looked through when it is closed: 0.1 s from memory, else as a disk reads. */
    public static final long CHANGED_LOCALLY_MAX = 2L << 30;

    /**
     * So many bytes, or so many writes, of this process go through the chain before it asks to
     * write into the file itself: the asking costs about as much, and few files come so far.
     */
    public static final long SENT_BEFORE_HERE = 256 << 10;

    public static final int WRITES_BEFORE_HERE = 8;

    /** The bytes of one frame. */
    public static final int TRANSFER_BYTES_MAX = 8 << 20;

    /**
     * Files of a former process, or of a former leader, that are asked for at once: each answer
     * comes within milliseconds, and whoever asks for something else meanwhile is not kept waiting.
     */
    public static final int RECLAIMED_AT_ONCE = 64;

    private TransferLimits() {}
}
