package org.gridfarm.client.core.transfer;

import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.Turns;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;

import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What every open file works with.
 *
 * @param attached name of the node on this host; empty: none
 * @param ground which local files that node may name
 * @param aheadChunks permits for chunks read ahead of their use
 * @param fences grows over all chains of this process
 * @param staged what files created here may be made of
 * @param givenBack grants of local files that have ended
 * @param known where local files lie that may be read again soon
 * @param blocks which blocks of local files hold data
 * @param descriptors for local files, by the user who opens them
 * @param again asks the attached node for the files that a former process wrote
 */
record Wiring(
        FarmSession session,
        MetadataClient metadata,
        Nodes nodes,
        Clock clock,
        Entropy entropy,
        String attached,
        LocalGround ground,
        Semaphore aheadChunks,
        AtomicLong fences,
        StagedFiles staged,
        GivenBack givenBack,
        KnownReplicas known,
        AtomicReference<LocalBlocks> blocks,
        Shares descriptors,
        Turns again) {

    LocalBlocks localBlocks() {
        return Objects.requireNonNull(blocks.get());
    }

    /** Nanoseconds since 1970, for modification times. */
    long now() {
        return clock.epochNanos();
    }
}
