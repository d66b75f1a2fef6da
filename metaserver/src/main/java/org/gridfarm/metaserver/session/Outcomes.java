package org.gridfarm.metaserver.session;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.protocol.wire.Outcome;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The first answers to commands, per session and sequence, until the client has said that it got
 * them. A retry, also one after a fail-over, is answered from here. Owned by the event thread.
 */
public final class Outcomes {
    /** An answer and the batch that makes it true. */
    public record Answered(Outcome outcome, long batch) {}

    private static final class Session {
        final TreeMap<Long, Answered> answers = new TreeMap<>(); // by sequence
        long settled;
    }

    private final LongMap<Session> sessions = new LongMap<>();
    private Tally tally = Tally.unbounded();

    /** What is there, and what comes and goes, counts for its session. */
    public void countBy(Tally counted) {
        tally = counted;
        sessions.forEach((session, known) -> counted.add(session, known.answers.size()));
    }

    /** Of a batch or of the tables; drops what the client has settled. */
    public void add(Outcome outcome, long batch) {
        Session known = sessions.get(outcome.getSession());
        if (known == null) {
            known = new Session();
            sessions.put(outcome.getSession(), known);
        }
        int before = known.answers.size();
        known.answers.put(outcome.getSequence(), new Answered(outcome, batch));
        if (outcome.getSettled() > known.settled) {
            known.settled = outcome.getSettled();
            known.answers.headMap(known.settled, true).clear();
        }
        tally.add(outcome.getSession(), known.answers.size() - before);
    }

    public @Nullable Answered find(long session, long sequence) {
        Session known = sessions.get(session);
        return known == null ? null : known.answers.get(sequence);
    }

    /** The client waits for the answer no more: an attempt that comes now was long on its way. */
    public boolean isSettled(long session, long sequence) {
        Session known = sessions.get(session);
        return known != null && sequence <= known.settled;
    }

    public boolean knows(long session) {
        return sessions.get(session) != null;
    }

    /** How many answers go when a command comes that tells this of what is settled. */
    public int settledBy(long session, long settled) {
        Session known = sessions.get(session);
        return known == null ? 0 : known.answers.headMap(settled, true).size();
    }

    public void forget(long session) {
        Session known = sessions.remove(session);
        if (known != null) tally.add(session, -known.answers.size());
    }

    public void clear() {
        sessions.clear();
    }

    /** Sessions with answers that may still be asked for. */
    public long[] sessions() {
        return sessions.keys();
    }

    public List<Outcome> all() {
        List<Outcome> all = new ArrayList<>();
        sessions.forEach((session, known) ->
                known.answers.values().forEach(answered -> all.add(answered.outcome())));
        return all;
    }
}
