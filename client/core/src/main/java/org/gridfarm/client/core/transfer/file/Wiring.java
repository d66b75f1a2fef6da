package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.Turns;
import org.gridfarm.client.core.transfer.local.AttachedNode;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What every open file works with.
 *
 * @param attached the node on this host, if there is one
 * @param aheadChunks permits for chunks read ahead of their use
 * @param fences grows over all chains of this process
 * @param again asks the attached node for the files that a former process wrote
 */
public record Wiring(
        FarmSession session,
        MetadataClient metadata,
        Nodes nodes,
        Clock clock,
        Entropy entropy,
        AttachedNode attached,
        Semaphore aheadChunks,
        AtomicLong fences,
        Turns again) {
    /** What a former process still has on the way is older than all that this one sends. */
    private static final int FENCES_PER_PROCESS_BITS = 32;

    /** Every fence of a former process of the session is at most this. */
    public static long fencesBefore(FarmSession session) {
        return session.inheritance().predecessors() << FENCES_PER_PROCESS_BITS;
    }

    /** Nanoseconds since 1970, for modification times. */
    public long now() {
        return clock.epochNanos();
    }
}
