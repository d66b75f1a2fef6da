package org.gridfarm.client.core.transfer;

import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;

import java.util.concurrent.Semaphore;

/**
 * What every open file works with.
 *
 * @param attached name of the node on this host; empty: none
 * @param aheadChunks permits for chunks read ahead of their use
 */
record Wiring(
        FarmSession session,
        MetadataClient metadata,
        Nodes nodes,
        Clock clock,
        Entropy entropy,
        String attached,
        Semaphore aheadChunks) {

    /** Nanoseconds since 1970, for modification times. */
    long now() {
        java.time.Instant now = clock.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
