package org.gridfarm.client.mount;

import org.gridfarm.protocol.env.Clock;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Until when the listings that the kernel keeps may be believed: as long as the lease lasted when
 * they were told. So long the entries that came with them are believed, too; later a listing by the
 * mount, which brings these along, is better than one by the kernel, which looks up each. Recalls
 * take listings back by themselves. Thread-safe.
 */
final class KeptListings {
    /** Some hundred kilobytes. What is forgotten is listed once more. */
    private static final int KEPT_MAX = 4096;

    private static final class Kept {
        private long until; // monotonic nanoseconds
        private boolean begun;
        private boolean whole;

        synchronized void told(long mayBeBelievedUntil, boolean end) {
            until =
                    begun && until - mayBeBelievedUntil < 0
                            ? until // the parts are believed as long as the first of them
                            : mayBeBelievedUntil;
            begun = true;
            whole |= end;
        }

        synchronized boolean isBelieved(long now) {
            return whole && until - now > 0;
        }
    }

    private final Clock clock;
    private final Map<Long, Kept> kept = new ConcurrentHashMap<>();

    KeptListings(Clock clock) {
        this.clock = clock;
    }

    /** The kernel drops what it had of the directory, and keeps what is told from now on. */
    void begins(long directory) {
        if (kept.size() >= KEPT_MAX) {
            long now = clock.nanoTime();
            kept.values().removeIf(one -> !one.isBelieved(now));
            if (kept.size() >= KEPT_MAX) {
                kept.clear();
            }
        }
        kept.put(directory, new Kept());
    }

    /**
     * A part of the listing is told.
     *
     * @param nanos for which the kernel may believe it
     * @param end nothing follows
     */
    void told(long directory, long nanos, boolean end) {
        Kept one = kept.get(directory);
        if (one != null) {
            one.told(clock.nanoTime() + nanos, end);
        }
    }

    /** The kernel has all of it, unless it was recalled, and may believe it now. */
    boolean isBelieved(long directory) {
        Kept one = kept.get(directory);
        return one != null && one.isBelieved(clock.nanoTime());
    }
}
