package org.gridfarm.metaserver.server.sessions;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Users whose sessions left a recall unanswered until their lease ran out, while everybody who
 * wanted to change what they held waited. They are told for a while that they may keep nothing:
 * shortly after the first time, for a machine may have stood still, and twice as long after each
 * that follows within {@link #REMEMBERED}. Pure; times are monotonic nanoseconds.
 */
final class SilentClients {
    static final Duration FIRST = Duration.ofSeconds(15);
    static final Duration LONGEST = Duration.ofMinutes(30);
    static final Duration REMEMBERED = Duration.ofHours(1);

    private record Silence(long at, long nanos) {
        boolean isPast(long now) {
            return now - at >= REMEMBERED.toNanos();
        }
    }

    private final Map<String, Silence> users = new HashMap<>();

    void wasSilent(String user, long now) {
        users.values().removeIf(silence -> silence.isPast(now));
        Silence former = users.get(user);
        // Several sessions of one machine that stood still end together: that is once.
        if (former != null && now - former.at < FIRST.toNanos()) return;
        long nanos =
                former == null ? FIRST.toNanos() : Math.min(2 * former.nanos, LONGEST.toNanos());
        users.put(user, new Silence(now, nanos));
    }

    /** Until when the user is granted nothing; null: he may be. */
    @Nullable Long until(String user, long now) {
        Silence silence = users.get(user);
        if (silence == null || now - silence.at >= silence.nanos) return null;
        return silence.at + silence.nanos;
    }
}
