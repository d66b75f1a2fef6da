package org.gridfarm.metaserver.coherence;

import com.google.protobuf.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The sessions of one server: until when each may believe its cache, what it holds, and which
 * recalls it owes an answer.
 *
 * <pre>
 *   held --touch by another--> recalled (not held, answer owed) --answer--> free
 *                                        \--lease runs out--> session evicted, nothing owed
 * </pre>
 *
 * <p>A key that was recalled is not granted again for {@link #CHURN_NANOS}: two clients changing
 * one directory must not play ping-pong. Pure; owned by the event thread; times are monotonic
 * nanoseconds.
 */
public final class ClientCoherence {
    /** How long a key that was taken from somebody is not handed out again. */
    public static final long CHURN_NANOS = 1_000_000_000L;

    /** Remembered recalls are swept when there are this many, a few times a second at most. */
    private static final int CHURN_KEYS_MAX = 1 << 16;

    /** Keys of one recall that only makes room: some tens of kilobytes. */
    private static final int TRIM_KEYS_MAX = 4096;

    private record Owed(Effect.SendRecall recall, long since) {}

    private static final class Session {
        long expires;
        boolean reads;
        boolean isDenied; // until then:
        long deniedUntil;
        final Set<Long> held = new LinkedHashSet<>(); // the oldest first
        final LinkedHashMap<Long, Owed> owed = new LinkedHashMap<>(); // the oldest first
        final Set<Long> returning = new HashSet<>(); // of what it holds, when it has answered:
        long returnedBy; // that recall

        /** Since when it owes the answer that it has owed for longest; now: it owes none. */
        long owesSince(long now) {
            return owed.isEmpty() ? now : owed.firstEntry().getValue().since;
        }
    }

    private final LongMap<Session> sessions = new LongMap<>();
    private final LongMap<long[]> holders = new LongMap<>();
    private final LongMap<Long> recalledAt = new LongMap<>();
    private final Map<Long, Long> waitOfRecall = new HashMap<>();
    private final LongMap<int[]> owedByWait = new LongMap<>();
    private final Set<Long> crowded = new LinkedHashSet<>(); // sessions that hold too much
    private final int heldMax;
    private long lastRecall;
    private long lastTrim = Long.MIN_VALUE;
    private long sweptAt;
    private long held;

    public ClientCoherence() {
        this(Integer.MAX_VALUE / 2);
    }

    /**
     * @param heldMax keys that a session may hold; of more the oldest are taken from it again
     */
    public ClientCoherence(int heldMax) {
        this.heldMax = heldMax;
    }

    // ---- sessions ---------------------------------------------------------------------------

    /** Known from now on; a session that is known already keeps what it has. */
    public void open(long session, long expires) {
        if (sessions.get(session) == null) {
            Session opened = new Session();
            opened.expires = expires;
            sessions.put(session, opened);
        }
    }

    /**
     * Lengthens the lease to the duration from now, or, while recalls are unanswered, to the
     * duration from when the oldest of them was sent: who renews and does not answer is evicted all
     * the same.
     *
     * @return the nanoseconds that the lease still has, 0 if the session is not known here (any
     *     more)
     */
    public long renew(long session, long now, long duration) {
        Session known = sessions.get(session);
        if (known == null) return 0;
        long from = known.owesSince(now);
        if (from + duration - known.expires > 0) known.expires = from + duration;
        return Math.max(0, known.expires - now);
    }

    /** Nobody could be heard until now: every lease begins anew, and so does what is owed. */
    public void heardNobody(long now, long duration) {
        sessions.forEach((id, session) -> {
            session.expires = Math.max(session.expires, now + duration);
            session.owed.replaceAll((recall, owed) -> new Owed(owed.recall, now));
        });
    }

    public boolean knows(long session) {
        return sessions.get(session) != null;
    }

    public int sessions() {
        return sessions.size();
    }

    /** Keys held by all sessions together. */
    public long held() {
        return held;
    }

    /**
     * What one session has here.
     *
     * @param owed recalls that it has not answered
     * @param leaseNanos that its lease still has
     */
    public record Holding(int held, int owed, long leaseNanos) {}

    /** Null: it is not known here. */
    public @Nullable Holding holding(long session, long now) {
        Session known = sessions.get(session);
        return known == null
                ? null
                : new Holding(
                        known.held.size(), known.owed.size(), Math.max(0, known.expires - now));
    }

    /** The inodes of what the session holds, those held for longest first. */
    public List<Long> heldBy(long session, int limit) {
        Session known = sessions.get(session);
        return known == null
                ? List.of()
                : known.held.stream().map(Keys::inode).distinct().limit(limit).toList();
    }

    /** The session came back on a new connection: its unanswered recalls, to be sent again. */
    public List<Effect> resend(long session) {
        Session known = sessions.get(session);
        if (known == null) return List.of();
        return known.owed.values().stream().<Effect>map(Owed::recall).toList();
    }

    /** The session is granted nothing until then; what it holds it keeps. */
    public void grantNothing(long session, long until) {
        Session known = sessions.get(session);
        if (known == null) return;
        known.isDenied = true;
        known.deniedUntil = until;
    }

    /** The client says goodbye: it believes nothing any more. */
    public void close(long session, List<Effect> effects) {
        end(session, false, effects);
    }

    /** Ends every session whose lease has run out. */
    public void expire(long now, List<Effect> effects) {
        for (long id : sessions.keys()) {
            Session session = sessions.get(id);
            if (session != null && now - session.expires >= 0) {
                end(id, true, effects);
            }
        }
        for (long id : List.copyOf(crowded)) trim(id, now, effects);
    }

    /**
     * Takes from a session that holds too much what it has held for longest, an eighth more than it
     * has to give, so that it is not asked at every grant. Nobody waits for the answer, and until
     * it comes the session holds all of it: it may believe that for as long. While it owes one it
     * is not asked for more.
     */
    private void trim(long id, long now, List<Effect> effects) {
        Session session = sessions.get(id);
        if (session == null || session.held.size() <= heldMax) {
            crowded.remove(id);
            return;
        }
        if (!session.owed.isEmpty()) return;
        int surplus = session.held.size() - heldMax + heldMax / 8;
        List<Touch> oldest = new ArrayList<>();
        for (long key : session.held.stream().limit(Math.min(surplus, TRIM_KEYS_MAX)).toList()) {
            session.returning.add(key);
            oldest.add(whole(key));
        }
        session.returnedBy = ++lastRecall;
        owe(
                ++lastTrim,
                List.of(new Effect.SendRecall(id, lastRecall, oldest, List.of())),
                now,
                effects);
    }

    private static Touch whole(long key) {
        return new Touch(Keys.inode(key), Keys.isDirectory(key) ? ByteString.EMPTY : null, 0);
    }

    private void end(long id, boolean evicted, List<Effect> effects) {
        Session session = sessions.remove(id);
        if (session == null) return;
        for (long key : session.held) {
            removeHolder(key, id);
        }
        held -= session.held.size();
        crowded.remove(id);
        effects.add(new Effect.SessionEnded(id, evicted, evicted && !session.owed.isEmpty()));
        for (long recall : session.owed.keySet()) {
            settle(recall, effects);
        }
    }

    // ---- grants -----------------------------------------------------------------------------

    /** The session reads here: what it changes itself it will hold here. */
    public void reads(long session) {
        Session known = sessions.get(session);
        if (known != null) known.reads = true;
    }

    /** True: the session holds the key from now on, until recalled or until its lease runs out. */
    public boolean grant(long session, long key, long now) {
        Session known = sessions.get(session);
        if (known == null || now - known.expires >= 0) return false;
        if (isDenied(known, now)) return false;
        known.reads = true;
        known.returning.remove(key); // it may have asked anew, before it answers
        if (known.held.contains(key)) return true;
        if (known.held.size() >= 2 * heldMax) return false; // it does not give back what it has to
        Long recalled = recalledAt.get(key);
        if (recalled != null) {
            if (now - recalled < CHURN_NANOS) return false;
            recalledAt.remove(key);
        }
        hold(known, session, key);
        return true;
    }

    private static boolean isDenied(Session session, long now) {
        if (session.isDenied && now - session.deniedUntil >= 0) session.isDenied = false;
        return session.isDenied;
    }

    private void hold(Session known, long session, long key) {
        known.returning.remove(key);
        if (!known.held.add(key)) return;
        held++;
        if (known.held.size() > heldMax) crowded.add(session);
        long[] now = holders.get(key);
        if (now == null) {
            holders.put(key, new long[] {session});
        } else {
            long[] more = Arrays.copyOf(now, now.length + 1);
            more[now.length] = session;
            holders.put(key, more);
        }
    }

    private void removeHolder(long key, long session) {
        long[] now = holders.get(key);
        if (now == null) return;
        if (now.length == 1) {
            if (now[0] == session) holders.remove(key);
            return;
        }
        long[] fewer = Arrays.stream(now).filter(s -> s != session).toArray();
        if (fewer.length == 0) holders.remove(key);
        else holders.put(key, fewer);
    }

    // ---- recalls ----------------------------------------------------------------------------

    /**
     * Takes what is touched from everybody but its originators, who hold it from now on if they
     * read here. {@link Effect.RecallsDone} with the wait's number follows when all answers are in,
     * at once if nobody held anything. A key whose earlier recall is still unanswered is not waited
     * for again: waits that complete in order cover it.
     */
    public void recall(long wait, Iterable<Touch> touches, long now, List<Effect> effects) {
        Map<Long, List<Touch>> bySession = new LinkedHashMap<>();
        for (Touch touch : touches) {
            long key = touch.held();
            long[] who = holders.get(key);
            if (who != null) {
                for (long session : who) {
                    if (session != touch.origin()) {
                        bySession.computeIfAbsent(session, s -> new ArrayList<>()).add(touch);
                        drop(session, key);
                        noteRecall(key, now);
                    }
                }
            }
            Session origin = touch.origin() == 0 ? null : sessions.get(touch.origin());
            if (origin != null && origin.reads && touch.name() == null) {
                hold(origin, touch.origin(), key);
            }
        }
        List<Effect.SendRecall> sends = new ArrayList<>();
        bySession.forEach((session, list) ->
                sends.add(
                        new Effect.SendRecall(
                                session, ++lastRecall, List.copyOf(list), List.of())));
        owe(wait, sends, now, effects);
    }

    /** Takes cached content away; see {@link #recall}. */
    public void recallData(
            long wait, Map<Long, List<DataTouch>> bySession, long now, List<Effect> effects) {
        List<Effect.SendRecall> sends = new ArrayList<>();
        bySession.forEach((session, list) ->
                sends.add(
                        new Effect.SendRecall(
                                session, ++lastRecall, List.of(), List.copyOf(list))));
        owe(wait, sends, now, effects);
    }

    /**
     * Takes everything from everybody, as {@link #recall} does: the server is about to forget what
     * it granted on.
     */
    public void recallEverything(long wait, long now, List<Effect> effects) {
        List<Effect.SendRecall> sends = new ArrayList<>();
        for (long id : sessions.keys()) {
            Session session = sessions.get(id);
            if (session == null) continue;
            List<Touch> all = new ArrayList<>();
            for (long key : List.copyOf(session.held)) {
                drop(id, key);
                all.add(whole(key));
            }
            session.reads = false;
            if (!all.isEmpty()) {
                sends.add(new Effect.SendRecall(id, ++lastRecall, all, List.of()));
            }
        }
        owe(wait, sends, now, effects);
    }

    /** No recall is unanswered: nobody believes what was taken from him. */
    public boolean owedNothing() {
        return waitOfRecall.isEmpty();
    }

    private void owe(long wait, List<Effect.SendRecall> sends, long now, List<Effect> effects) {
        int owed = 0;
        for (Effect.SendRecall send : sends) {
            Session session = sessions.get(send.session());
            if (session == null) continue;
            session.owed.put(send.recall(), new Owed(send, now));
            waitOfRecall.put(send.recall(), wait);
            effects.add(send);
            owed++;
        }
        if (owed == 0) effects.add(new Effect.RecallsDone(wait));
        else owedByWait.put(wait, new int[] {owed});
    }

    private void drop(long session, long key) {
        Session known = sessions.get(session);
        if (known != null && known.held.remove(key)) held--;
        removeHolder(key, session);
    }

    private void noteRecall(long key, long now) {
        if (recalledAt.size() >= CHURN_KEYS_MAX && now - sweptAt >= CHURN_NANOS / 4) {
            sweptAt = now;
            for (long old : recalledAt.keys()) {
                Long at = recalledAt.get(old);
                if (at != null && now - at >= CHURN_NANOS) recalledAt.remove(old);
            }
        }
        recalledAt.put(key, now);
    }

    /** The session has dropped what the recall named. */
    public void acknowledged(long session, long recall, List<Effect> effects) {
        Session known = sessions.get(session);
        if (known == null || known.owed.remove(recall) == null) return;
        if (recall == known.returnedBy) {
            for (long key : known.returning) drop(session, key);
            known.returning.clear();
        }
        settle(recall, effects);
    }

    private void settle(long recall, List<Effect> effects) {
        Long wait = waitOfRecall.remove(recall);
        if (wait == null) return;
        int @Nullable [] owed = owedByWait.get(wait);
        if (owed != null && --owed[0] == 0) {
            owedByWait.remove(wait);
            effects.add(new Effect.RecallsDone(wait));
        }
    }
}
