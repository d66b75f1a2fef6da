package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainOutcome;

import java.time.Duration;
import java.util.Set;

/** What is to be done, in the order of the list that it comes in. */
public sealed interface ChainAction {
    /** Which commands go in one pass. */
    enum Pass {
        /** The head is to know of a staged file first. */
        ALL,
        /** Those at the front that tell it themselves. */
        CLAIMS
    }

    /** How a chain is mended. */
    enum Remedy {
        GO_ON_WITHOUT,
        /** To nodes with more room, which copy what there is. */
        MOVE
    }

    /** Ask for the chain and connect its head: Found or NotFound. */
    record Find(Pass pass) implements ChainAction {}

    /** Answered or Failed at some time, but Sent as soon as it is on the wire. */
    record Send(long number, long fence, Duration deadline) implements ChainAction {}

    /**
     * It may have been done: NotDone; or Answered or Failed, and then Sent. Nothing else is sent
     * meanwhile.
     */
    record Look(long number, long fence, Duration deadline) implements ChainAction {}

    record Complete(long number, ChainOutcome outcome) implements ChainAction {}

    record Fail(long number, FarmException failure) implements ChainAction {}

    /**
     * Mended or NotMended.
     *
     * @param failed nodes to be recorded; none: the chain is only asked for anew
     */
    record Mend(Set<String> failed, Remedy remedy, String reason) implements ChainAction {}

    /** Paused, after {@code TransferLimits.RETRY_PAUSE}. */
    record Pause() implements ChainAction {}

    /** Due again, after that. */
    record Wake(long number, Duration after) implements ChainAction {}

    record Trust(String node) implements ChainAction {}

    record Suspect(String node) implements ChainAction {}
}
