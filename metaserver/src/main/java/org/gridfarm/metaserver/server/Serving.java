package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.rpc.Exchange;

/**
 * One way of answering calls: leading, following, or neither yet. Used on the event thread only.
 */
interface Serving {
    <Q extends MessageLite, R extends MessageLite> void answer(Exchange<Q, R> exchange);

    /** The last complete batch known here; may be read from other threads as a hint. */
    default long sequence() {
        return 0;
    }

    /** Client sessions; as a hint. */
    default int sessions() {
        return 0;
    }

    /** How the farm stands; known to the leader alone. May be read from other threads. */
    default FarmFigures figures() {
        return FarmFigures.NONE;
    }

    /** After a round of actions: what was decided leaves together. */
    default void endOfRound() {}

    /** Leases and timers. */
    default void tick() {}

    /**
     * The action that runs has thrown what nobody expected: if it has changed memory, that may no
     * longer be what the journal says, and is dropped.
     */
    default void failed(Throwable defect) {}

    /** Stops for good; unanswered calls fail so that their clients look for another server. */
    default void stop() {}
}
