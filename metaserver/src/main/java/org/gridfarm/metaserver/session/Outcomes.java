package org.gridfarm.metaserver.session;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.protocol.wire.Outcome;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The first answers to commands, per session and sequence, until the client has said that it got
 * them. A retry, also one after a fail-over, is answered from here. Owned by the event thread.
 */
public final class Outcomes {
    /** An answer and the batch that makes it true. */
    public record Answered(Outcome outcome, long batch) {}

    private static final class Session {
        final Map<Long, Answered> answers = new HashMap<>();
        long settled;
    }

    private final LongMap<Session> sessions = new LongMap<>();

    /** Of a batch or of the tables; drops what the client has settled. */
    public void add(Outcome outcome, long batch) {
        Session known = sessions.get(outcome.getSession());
        if (known == null) {
            known = new Session();
            sessions.put(outcome.getSession(), known);
        }
        known.answers.put(outcome.getSequence(), new Answered(outcome, batch));
        if (outcome.getSettled() > known.settled) {
            long settled = outcome.getSettled();
            known.settled = settled;
            known.answers.keySet().removeIf(sequence -> sequence <= settled);
        }
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

    public void forget(long session) {
        sessions.remove(session);
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
