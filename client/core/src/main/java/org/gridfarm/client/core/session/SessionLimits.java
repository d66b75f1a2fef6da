package org.gridfarm.client.core.session;

import java.time.Duration;

/** The bounds of a session, with their reasons. */
final class SessionLimits {
    /** A quarter of the shortest lease (5 s at clients) and room for three lost renewals. */
    static final Duration RENEW_EVERY = Duration.ofSeconds(1);

    /**
     * A renewal unanswered for this long says that the server is stopped; another is sought
     * meanwhile.
     */
    static final Duration RENEW_DEADLINE = Duration.ofSeconds(2);

    /** Of the lease, one part in so many is given away: clocks drift and threads are late. */
    static final int LEASE_MARGIN_PART = 5;

    /** Trying one server for a session: the next one is worth more than a longer wait. */
    static final Duration OPEN_DEADLINE = Duration.ofSeconds(2);

    /** Between two rounds over all metaservers while none leads. */
    static final Duration SEARCH_PAUSE = Duration.ofMillis(100);

    /** A metaserver that has not answered by then is given company. */
    static final Duration SEARCH_STAGGER = Duration.ofMillis(300);

    /** How often a client that reads from the leader looks for a cache server instead. */
    static final Duration READER_REVIEW = Duration.ofSeconds(5);

    /** Before a call is repeated at a server that asked for patience; doubles up to the maximum. */
    static final Duration RETRY_PAUSE_MIN = Duration.ofMillis(5);

    static final Duration RETRY_PAUSE_MAX = Duration.ofMillis(200);

    private SessionLimits() {}
}
