package org.gridfarm.metaserver.session;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Whether a session that changes the names in a directory is alone there, as far as the last
 * changes tell and how soon the directory was asked back when it was delegated before. A directory
 * that goes to and fro costs everybody more than one that the leader decides about. Remembers the
 * directories of the last changes, bounded. Owned by the event thread; times are monotonic
 * nanoseconds.
 */
public final class Rivals {
    /** Since another session changed a name. */
    static final Duration ALONE_FOR = Duration.ofSeconds(2);

    /** Kept for so long, it was worth while. */
    static final Duration HELD_WELL = Duration.ofSeconds(1);

    static final Duration PAUSE_MIN = Duration.ofMillis(100);
    static final Duration PAUSE_MAX = Duration.ofSeconds(20);

    private static final int REMEMBERED = 4096;

    private static final class Past {
        long last; // session that changed a name; 0: none
        long lastAt;
        long other; // the one before it that was another; 0: none
        long otherAt;
        boolean given;
        long givenAt;
        long pause;
        long pausedUntil;
        boolean paused;
    }

    private final Map<Long, Past> pasts =
            new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Past> eldest) {
                    return size() > REMEMBERED;
                }
            };

    private Past past(long directory) {
        return pasts.computeIfAbsent(directory, d -> new Past());
    }

    /** The session has changed a name in it. */
    public void changed(long directory, long session, long now) {
        Past past = past(directory);
        if (past.last != session) {
            past.other = past.last;
            past.otherAt = past.lastAt;
            past.last = session;
        }
        past.lastAt = now;
    }

    public void given(long directory, long now) {
        Past past = past(directory);
        past.given = true;
        past.givenAt = now;
    }

    /** Somebody else wants to see or change something in it, which was delegated. */
    public void askedBack(long directory, long now) {
        Past past = past(directory);
        boolean heldWell = past.given && now - past.givenAt >= HELD_WELL.toNanos();
        past.pause =
                heldWell || past.pause == 0
                        ? PAUSE_MIN.toNanos()
                        : Math.min(2 * past.pause, PAUSE_MAX.toNanos());
        past.given = false;
        past.paused = true;
        past.pausedUntil = now + past.pause;
    }

    /** It is not to be delegated for so long, whatever becomes of it. */
    public void pause(long directory, Duration length, long now) {
        Past past = past(directory);
        past.paused = true;
        past.pausedUntil = now + length.toNanos();
    }

    /** For how long it is not to be delegated to the session yet; 0: it may be. */
    public long pauseNanos(long directory, long session, long now) {
        Past past = pasts.get(directory);
        if (past == null) return 0;
        boolean mine = past.last == session;
        long rival = mine ? past.other : past.last;
        long rivalAt = mine ? past.otherAt : past.lastAt;
        long alone = rival == 0 ? 0 : rivalAt + ALONE_FOR.toNanos() - now;
        long pause = past.paused ? past.pausedUntil - now : 0;
        return Math.max(0, Math.max(alone, pause));
    }
}
