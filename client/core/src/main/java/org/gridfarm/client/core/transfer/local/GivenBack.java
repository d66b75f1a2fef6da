package org.gridfarm.client.core.transfer.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.CloseLocalRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.Map;

/**
 * Grants of local files that are not needed any more. They wait a moment and go together, since as
 * a rule many files are closed one after the other and nobody waits. What does not arrive ends with
 * the connection. Thread-safe.
 */
public final class GivenBack {
    private static final Logger log = LoggerFactory.getLogger(GivenBack.class);

    private final Clock clock;

    @GuardedBy("this")
    private final Map<Peer, CloseLocalRequest.Builder> waiting = new HashMap<>();

    GivenBack(Clock clock) {
        this.clock = clock;
    }

    /**
     * @param unchanged nobody has written into it since it was granted
     */
    public void add(Peer node, long lease, boolean unchanged) {
        boolean first;
        synchronized (this) {
            first = !waiting.containsKey(node);
            CloseLocalRequest.Builder leases =
                    waiting.computeIfAbsent(node, peer -> CloseLocalRequest.newBuilder());
            if (unchanged) {
                leases.addUnchanged(lease);
            } else {
                leases.addLeases(lease);
            }
        }
        if (first) {
            clock.after(TransferLimits.GIVE_BACK_AFTER, () -> send(node));
        }
    }

    private void send(Peer node) {
        CloseLocalRequest.Builder leases;
        synchronized (this) {
            leases = waiting.remove(node);
        }
        if (leases == null) {
            return;
        }
        CloseLocalRequest request = leases.build();
        node.callPlain(StorageMethods.CLOSE_LOCAL, request, TransferLimits.HEDGE_AFTER)
                .whenComplete((done, thrown) -> {
                    if (thrown != null) {
                        log.debug(
                                "{} local files were not given back: {}",
                                request.getLeasesCount() + request.getUnchangedCount(),
                                thrown.getMessage());
                    }
                });
    }
}
