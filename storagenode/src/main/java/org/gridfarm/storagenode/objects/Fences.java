package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What this node has seen of each writer of each object: the highest fence, and where its last
 * appends landed. A writer raises its fence with every mended chain, so what a member that was
 * struck off still forwards is refused; and an append that is sent again is answered, not done
 * again. Writers not heard of for a while are forgotten; while there are more of the others than
 * anybody needs, new ones are told to wait. Thread-safe.
 */
final class Fences {
    /** Appends of one writer that may be under way together; older ones have been answered. */
    static final int APPENDS_KEPT_MAX = 1024;

    /** Of all writers, 24 bytes each: 24 MiB, or 13,000 appends a second. */
    static final int APPENDS_ALL_MAX = 1 << 20;

    /** At some 250 bytes each. */
    static final int WRITERS_MAX = 1 << 16;

    /** Nothing that was sent before is still on its way after that: it is the chain's patience. */
    static final Duration KEPT = ForwardQueue.CHAIN_MAX.multipliedBy(10);

    /**
     * One writer at one of its chains, on one of the ways along it.
     *
     * @param passedOver members that the way does without, as bits; a higher number is the later
     *     way, since who passes a member over has more behind it than those it passes over
     * @param client whom its ticket was made for: what one client calls a writer is not another's
     */
    record Turn(long writer, long fence, long passedOver, long client) {
        static Turn of(ChainHeader chain, long client) {
            return new Turn(chain.getWriter(), chain.getFence(), chain.getPassedOver(), client);
        }
    }

    private record Who(ObjectKey key, long writer, long client) {}

    private static final class Seen {
        final long first; // fence
        long fence;
        long passedOver;
        long lastNanos;
        private long[] ids = {}; // a ring
        private long[] places = {};
        private long[] nanos = {};
        private int used;
        private int next; // the oldest, once all are used

        Seen(long first) {
            this.first = first;
        }

        long placeOf(long id) {
            for (int i = 0; i < used; i++) {
                if (ids[i] == id) {
                    return places[i];
                }
            }
            return -1;
        }

        /** Nothing that it has can be forgotten yet, and there may be more. */
        boolean isFull(long now) {
            return used == ids.length
                    && used < APPENDS_KEPT_MAX
                    && (used == 0 || now - nanos[next] <= KEPT.toNanos());
        }

        /** How many more it has room for then. */
        int grow() {
            int before = ids.length;
            int after = before == 0 ? 4 : 2 * before;
            ids = inOrder(ids, after);
            places = inOrder(places, after);
            nanos = inOrder(nanos, after);
            next = before;
            return after - before;
        }

        /** From the oldest on. */
        private long[] inOrder(long[] ring, int length) {
            long[] longer = Arrays.copyOfRange(ring, next, next + length);
            System.arraycopy(ring, 0, longer, ring.length - next, next);
            return longer;
        }

        void put(long id, long place, long now) {
            ids[next] = id;
            places[next] = place;
            nanos[next] = now;
            used = Math.max(used, next + 1);
            next = (next + 1) % ids.length;
        }
    }

    private final Clock clock;
    private final long began;

    @GuardedBy("this")
    private final Map<Who, Seen> seen = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("this")
    private int appends; // that there is room for

    Fences(Clock clock) {
        this.clock = clock;
        this.began = clock.nanoTime();
    }

    /**
     * WRONG_GENERATION if this writer has gone on with another chain or way, OVERLOADED if there
     * are too many others; called in the lane.
     */
    synchronized void admit(ObjectKey key, Turn turn) {
        Seen known = of(key, turn);
        int chain = Long.compareUnsigned(turn.fence, known.fence);
        if (chain < 0) {
            throw tooLate(key, "its writer has gone on with another chain");
        }
        if (chain == 0 && Long.compareUnsigned(turn.passedOver, known.passedOver) < 0) {
            throw tooLate(key, "it was sent again without the member that it comes from");
        }
        known.fence = turn.fence;
        known.passedOver = turn.passedOver;
    }

    /**
     * Where the append of this number landed before, or -1: then there is room to remember where it
     * lands now. OVERLOADED if there is none.
     */
    synchronized long placeOf(ObjectKey key, Turn turn, long appendId) {
        if (appendId == 0) {
            return -1;
        }
        Seen known = of(key, turn);
        long place = known.placeOf(appendId);
        if (place < 0 && known.isFull(known.lastNanos)) {
            if (appends >= APPENDS_ALL_MAX) {
                throw tooMany(key, "appends");
            }
            appends += known.grow();
        }
        return place;
    }

    /** After {@link #placeOf}, in the same turn of the object. */
    synchronized void appended(ObjectKey key, Turn turn, long appendId, long offset) {
        if (appendId == 0) {
            return;
        }
        Seen known = of(key, turn);
        if (known.isFull(known.lastNanos)) { // it was forgotten since
            appends += known.grow();
        }
        known.put(appendId, offset, known.lastNanos);
    }

    /**
     * What is remembered of an append.
     *
     * @param place where it landed; -1 unless it was done
     */
    record Found(AppendSeen seen, long place) {}

    /**
     * Of one that its writer sent less than {@link #KEPT} ago. That it was not done is known only
     * where this node has remembered the writer since before that, or everybody for so long.
     *
     * @param here how long the replica has been: one that was copied tells nothing of its writers
     */
    synchronized Found find(
            ObjectKey key, StatObjectRequest.Append append, long client, Duration here) {
        Seen known = seen.get(new Who(key, append.getWriter(), client));
        long place = known == null ? -1 : known.placeOf(append.getId());
        if (place >= 0) {
            return new Found(AppendSeen.APPEND_DONE, place);
        }
        boolean wouldKnow =
                known != null && Long.compareUnsigned(known.first, append.getFence()) <= 0
                        || here.compareTo(KEPT) > 0 && clock.nanoTime() - began > KEPT.toNanos();
        return new Found(wouldKnow ? AppendSeen.APPEND_NOT_DONE : AppendSeen.APPEND_NOT_KNOWN, -1);
    }

    private static FarmException tooLate(ObjectKey key, String why) {
        return new FarmException(ErrorKind.WRONG_GENERATION, "write", key.toString(), why);
    }

    private static FarmException tooMany(ObjectKey key, String what) {
        return new FarmException(
                ErrorKind.OVERLOADED, "write", key.toString(), "too many " + what + " at once");
    }

    @GuardedBy("this")
    private Seen of(ObjectKey key, Turn turn) {
        long now = clock.nanoTime();
        var eldest = seen.values().iterator();
        while (eldest.hasNext()) {
            Seen next = eldest.next();
            if (now - next.lastNanos <= KEPT.toNanos()) {
                break;
            }
            appends -= next.ids.length;
            eldest.remove();
        }
        Who who = new Who(key, turn.writer, turn.client);
        Seen known = seen.get(who);
        if (known == null) {
            if (seen.size() >= WRITERS_MAX) {
                throw tooMany(key, "writers");
            }
            known = new Seen(turn.fence);
            seen.put(who, known);
        }
        known.lastNanos = now;
        return known;
    }
}
