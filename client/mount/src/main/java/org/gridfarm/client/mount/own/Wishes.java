package org.gridfarm.client.mount.own;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which directories that were there before this mount asks the leader for: those in which it goes
 * on changing names. One change is a call in any case, and asking is one, too, which takes the
 * directory from everybody who looks at it. Remembers the last of them, bounded; guarded by its
 * owner's lock. Times are monotonic nanoseconds.
 */
final class Wishes {
    /** So many changes, one soon after the other. */
    static final int CHANGES = 3;

    static final Duration SOON = Duration.ofSeconds(2);

    private static final int REMEMBERED = 1024;

    private static final class Wish {
        int changes;
        long lastAt;
        long notBefore;
        boolean refused;
    }

    private final Map<Long, Wish> wishes =
            new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Wish> eldest) {
                    return size() > REMEMBERED;
                }
            };

    /**
     * A name in it is about to change.
     *
     * @param alone it lies in a directory of this mount: one change is enough
     * @return whether to ask for it now
     */
    boolean changes(long directory, boolean alone, long now) {
        Wish wish = wishes.computeIfAbsent(directory, d -> new Wish());
        if (now - wish.lastAt > SOON.toNanos()) wish.changes = 0;
        wish.lastAt = now;
        wish.changes++;
        boolean paused = wish.refused && now - wish.notBefore < 0;
        return !paused && (alone || wish.changes >= CHANGES);
    }

    void given(long directory) {
        wishes.remove(directory);
    }

    void refused(long directory, Duration pause, long now) {
        Wish wish = wishes.computeIfAbsent(directory, d -> new Wish());
        wish.changes = 0;
        wish.refused = true;
        wish.notBefore = now + pause.toNanos();
    }
}
