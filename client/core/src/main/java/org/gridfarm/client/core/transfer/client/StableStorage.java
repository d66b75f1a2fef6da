package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.Turns;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.wire.ForceAllRequest;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.gridfarm.protocol.wire.NodeInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has the nodes to which files of this client were committed make what they hold durable. Where a
 * former process went before, which may have written to any node, the first time all of them that
 * are up. Thread-safe.
 */
final class StableStorage {
    private final FarmSession session;
    private final Nodes nodes;
    private final AtomicBoolean isToAskAll;

    /** Whoever finds nothing left to ask for must not be back before the answers to who asked. */
    private final Turns turns = new Turns(1);

    StableStorage(FarmSession session, Nodes nodes) {
        this.session = session;
        this.nodes = nodes;
        this.isToAskAll = new AtomicBoolean(session.inheritance().predecessors() > 0);
    }

    /**
     * Completes when all that was committed until now is on stable storage; fails where a node that
     * has some of it does not say so. One that is up is asked again the next time; of one that is
     * down this is told once. What a node held that was removed since is elsewhere.
     */
    CompletableFuture<Void> force() {
        return turns.take(this::forceInTurn);
    }

    private CompletableFuture<Void> forceInTurn() {
        Set<String> written = nodes.takeWritten();
        boolean all = isToAskAll.getAndSet(false);
        if (written.isEmpty() && !all) return CompletableFuture.completedFuture(null);
        return session.leader(MetadataMethods.LIST_NODES, ListNodesRequest.getDefaultInstance())
                .whenComplete((listed, failure) -> {
                    if (failure != null) askAgain(written, all);
                })
                .thenCompose(listed -> force(written, all, listed.getNodesList()));
    }

    private void askAgain(Set<String> written, boolean all) {
        nodes.putBackWritten(written);
        if (all) isToAskAll.set(true);
    }

    private CompletableFuture<Void> force(Set<String> written, boolean all, List<NodeInfo> listed) {
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (NodeInfo node : listed) {
            boolean isDown = node.getState().equals("down");
            if (!written.contains(node.getName()) && (!all || isDown)) continue;
            asked.add(
                    force(node.getName(), node.getAddress())
                            .whenComplete((done, failure) -> {
                                if (failure == null || isDown) return;
                                askAgain(Set.of(node.getName()), all);
                            }));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<?> force(String node, String address) {
        return nodes.connect(node, address)
                .thenCompose(peer ->
                        peer.callPlain(
                                StorageMethods.FORCE_ALL,
                                ForceAllRequest.getDefaultInstance(),
                                session.deadline()));
    }
}
