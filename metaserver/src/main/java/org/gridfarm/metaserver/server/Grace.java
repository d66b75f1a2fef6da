package org.gridfarm.metaserver.server;

import java.time.Duration;

/**
 * How long clients of a former leader may bring back what they had open and locked: a while, and as
 * long as they are at it, but not for ever. Event thread; times are monotonic nanoseconds.
 */
final class Grace {
    /** Between two of the requests by which a client brings back its files. */
    private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

    private final long endsAtLatest;
    private long ends;

    Grace(long began, Duration length, Duration most) {
        this.ends = began + length.toNanos();
        this.endsAtLatest = began + most.toNanos();
    }

    static Grace none(long now) {
        return new Grace(now, Duration.ZERO, Duration.ZERO);
    }

    boolean lasts(long now) {
        return now - ends < 0;
    }

    /** A client has brought something back. */
    void isUsed(long now) {
        long wanted = now + PAUSE_MAX.toNanos();
        if (lasts(now) && wanted - ends > 0) {
            ends = wanted - endsAtLatest < 0 ? wanted : endsAtLatest;
        }
    }
}
