package org.gridfarm.namespace.own;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.ShippedCommand;

/** What becomes of a command, as far as {@link OwnGround} is concerned. */
public sealed interface Verdict {
    /**
     * It is done. The leader is to be told by the command, behind all that were decided before.
     *
     * @param reply as the leader will answer, without a file that is opened along with it. Of a
     *     file that the leader has been asked to change size and times are not known here: it
     *     counts as one that is written
     */
    record Done(ShippedCommand command, MutateReply reply) implements Verdict {}

    /** The leader would refuse it. */
    record Refused(FarmException why) implements Verdict {}

    /** It is the leader's to decide, once it has all that was decided here. */
    record Leaders() implements Verdict {}
}
