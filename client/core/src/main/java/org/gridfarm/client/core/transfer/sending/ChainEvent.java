package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.jspecify.annotations.Nullable;

import java.util.Set;

/** What happens to the commands for one object. */
public sealed interface ChainEvent {
    /**
     * To be sent behind all of lower numbers.
     *
     * @param claims it tells the head itself of a staged file that the object is to be made of
     * @param movesWhenFull the object is moved to nodes with more room for it
     */
    record Submitted(long number, long deadlineAt, boolean claims, boolean movesWhenFull)
            implements ChainEvent {}

    /** The chain is known and its head connected. */
    record Found(Head head) implements ChainEvent {}

    /**
     * @param head who could not be reached; null: no chain is known
     */
    record NotFound(@Nullable Head head, FarmException failure) implements ChainEvent {}

    /** The head does not have what was sent before. */
    record NotDone(long number) implements ChainEvent {}

    /** Whoever sends has sent what he was told to, or has ended looking for it. */
    record Sent() implements ChainEvent {}

    /** The head has done it, and says who has not. */
    record Answered(long number, Head head, ChainOutcome outcome) implements ChainEvent {}

    record Failed(long number, Head head, FarmException failure) implements ChainEvent {}

    /**
     * The failed nodes are recorded, and the chain to go on with is known.
     *
     * @param fence higher than any before
     */
    record Mended(long fence) implements ChainEvent {}

    record NotMended(FarmException failure) implements ChainEvent {}

    /** After {@link ChainAction.Pause}. */
    record Paused() implements ChainEvent {}

    /** Its time is over, or may be. */
    record Due(long number) implements ChainEvent {}

    /**
     * Of the chain that something was sent on.
     *
     * @param holders all members but those that join
     */
    record Head(String node, Set<String> holders) {}
}
