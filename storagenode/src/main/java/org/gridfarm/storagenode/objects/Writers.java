package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What this node has seen of each writer of each object: the highest fence, and where its last
 * appends landed. A writer raises its fence with every mended chain, so what a member that was
 * struck off still forwards is refused; and an append that is sent again is answered, not done
 * again. Thread-safe.
 */
final class Writers {
    /** Appends of one writer that may be under way together; older ones have been answered. */
    private static final int APPENDS_KEPT_MAX = 1024;

    /** Writers not heard of for a while are looked for when so many are kept. */
    private static final int KEPT_MAX = 4096;

    /** Nothing that was sent before is still on its way after that: it is the chain's patience. */
    private static final Duration KEPT = ChainLine.CHAIN_MAX.multipliedBy(10);

    /**
     * One writer at one of its chains.
     *
     * @param fence 0: not fenced
     */
    record Turn(long writer, long fence) {}

    private record Who(ObjectKey key, long writer) {}

    private static final class Seen {
        long fence;
        long lastNanos;
        final Map<Long, Long> appends = new LinkedHashMap<>();
    }

    private final Clock clock;

    @GuardedBy("this")
    private final Map<Who, Seen> seen = new LinkedHashMap<>(16, 0.75f, true);

    Writers(Clock clock) {
        this.clock = clock;
    }

    /** WRONG_GENERATION if this writer has gone on with another chain; called in the lane. */
    synchronized void admit(ObjectKey key, Turn turn) {
        if (turn.fence == 0) {
            return;
        }
        Seen known = of(key, turn);
        if (Long.compareUnsigned(turn.fence, known.fence) < 0) {
            throw new FarmException(
                    ErrorKind.WRONG_GENERATION,
                    "write",
                    key.toString(),
                    "its writer has gone on with another chain");
        }
        known.fence = turn.fence;
    }

    /** Where the append of this number landed before, or -1. */
    synchronized long placeOf(ObjectKey key, Turn turn, long appendId) {
        return appendId == 0 ? -1 : of(key, turn).appends.getOrDefault(appendId, -1L);
    }

    synchronized void appended(ObjectKey key, Turn turn, long appendId, long offset) {
        if (appendId == 0) {
            return;
        }
        Map<Long, Long> appends = of(key, turn).appends;
        appends.put(appendId, offset);
        if (appends.size() > APPENDS_KEPT_MAX) {
            appends.remove(appends.keySet().iterator().next());
        }
    }

    @GuardedBy("this")
    private Seen of(ObjectKey key, Turn turn) {
        long now = clock.nanoTime();
        if (seen.size() >= KEPT_MAX) {
            var eldest = seen.values().iterator();
            while (eldest.hasNext() && now - eldest.next().lastNanos > KEPT.toNanos()) {
                eldest.remove();
            }
        }
        Seen known = seen.computeIfAbsent(new Who(key, turn.writer), _ -> new Seen());
        known.lastNanos = now;
        return known;
    }
}
