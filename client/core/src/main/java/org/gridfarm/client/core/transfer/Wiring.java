package org.gridfarm.client.core.transfer;

import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What every open file works with.
 *
 * @param attached name of the node on this host; empty: none
 * @param aheadChunks permits for chunks read ahead of their use
 * @param fences grows over all chains of this process
 * @param staged what files created here may be made of
 * @param givenBack grants of local files that have ended
 * @param known where local files lie that may be read again soon
 */
record Wiring(
        FarmSession session,
        MetadataClient metadata,
        Nodes nodes,
        Clock clock,
        Entropy entropy,
        String attached,
        Semaphore aheadChunks,
        AtomicLong fences,
        StagedFiles staged,
        GivenBack givenBack,
        KnownReplicas known) {

    /** Nanoseconds since 1970, for modification times. */
    long now() {
        return clock.epochNanos();
    }
}
