package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Outcome;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/** What the leader's rooms ask of it. All on the event thread. */
public interface LeaderContext {
    /** OVERLOADED when no further request may change anything now. */
    void requireRoom();

    /** Applies the changes to memory and puts them into the open batch, as of the session. */
    void change(List<Change> changes, long origin);

    /** What clients may take of this server's memory. */
    Bounds bounds();

    void outcome(Outcome outcome);

    /**
     * Something is under the session that outlives this leader: whose it is goes into the journal.
     */
    void hasSomething(long session);

    /** The batch that has what was changed last. */
    long openSequence();

    /** The last batch that has anything of what memory now says. */
    long lastWithContent();

    /** Runs the answer when the batch is durable and known to everybody. */
    void afterCompletion(long sequence, Runnable answer);

    /** The batch is a former leader's. */
    boolean isInherited(long sequence);

    /** Runs the answer when everything that memory now says is complete: for refusals. */
    void afterAllSoFar(Runnable answer);

    /**
     * Takes cached content away from the sessions, then runs the action; at once if there are none.
     */
    void recallData(Map<Long, List<DataTouch>> bySession, Runnable done);

    /** Whether the session's opens and locks count: it renewed in time. */
    boolean isLive(long session);

    /** Whether clients may still bring back what they had open. */
    boolean inGrace();

    /** A client brings back what it had at a former leader, and may have more of it. */
    void reclaims();

    /** Runs the answer when the batch is in the tables. */
    void whenApplied(long sequence, Runnable answer);

    @Nullable NodeLink node(String name);
}
