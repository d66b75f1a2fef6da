package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.replica.DrainEstimate;
import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.RepairPlanner;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Audit;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.NodeControlReply;
import org.gridfarm.protocol.wire.NodeControlRequest;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.ArrayList;
import java.util.List;

/**
 * What administrators decide about storage nodes: in the journal, so that it outlives every server.
 * Event thread.
 *
 * <pre>
 *   drain      takes nothing new, and what it has is copied elsewhere and then dropped
 *   readonly   takes nothing new, keeps and serves what it has
 *   readwrite  as usual again; undrain is the same word
 *   remove     gone for good: its copies count for nothing, and it may not register. Refused while it has the last good copy of something
 * </pre>
 */
public final class NodeControl {
    private final FarmState state;
    private final RepairPlanner planner;
    private final LeaderContext leader;

    public NodeControl(FarmState state, RepairPlanner planner, LeaderContext leader) {
        this.state = state;
        this.planner = planner;
        this.leader = leader;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.NODE_CONTROL, this::control);
    }

    private void control(Exchange<NodeControlRequest, NodeControlReply> exchange) {
        NodeControlRequest request = exchange.request();
        NodeImage image = state.nodes().image(request.getNode());
        if (!request.getAction().equals("status")) {
            Callers.requireAdministrator(exchange);
            Audit.done(
                    exchange.peer(), "node-control", request.getAction() + " " + request.getNode());
        }
        if (image == null) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "node", request.getNode(), "see 'gf nodes'");
        }
        String wanted = wanted(request.getAction(), image);
        boolean leaves = wanted.equals("removed");
        List<String> blockers =
                leaves && !image.getAdminState().equals("removed")
                        ? lastCopies(request.getNode())
                        : List.of();
        boolean decided =
                !request.getDryRun() && blockers.isEmpty() && !wanted.equals(image.getAdminState());
        if (decided) {
            NodeImage now = image.toBuilder().setAdminState(wanted).build();
            leader.change(List.of(Change.newBuilder().setNode(now).build()), 0);
        }
        long now = state.monotonicNanos();
        boolean mayRead = exchange.peer().identity().isAdmin(); // they name anybody's files
        DrainEstimate estimate = planner.drainEstimate(request.getNode());
        List<String> why = leaves ? blockers : estimate.blockers();
        NodeControlReply reply =
                NodeControlReply.newBuilder()
                        .setState(
                                decided
                                        ? wanted
                                        : state.nodes().state(request.getNode(), now).text())
                        .setReplicasLeft(estimate.replicas())
                        .setBytesLeft(estimate.bytes())
                        .setEtaSeconds(estimate.seconds())
                        .addAllBlockers(mayRead ? why : List.of())
                        .setRefused(leaves && !blockers.isEmpty())
                        .setWants(image.getAdminState())
                        .build();
        leader.afterAllSoFar(() -> exchange.reply(reply));
    }

    private String wanted(String action, NodeImage image) {
        return switch (action) {
            case "drain" -> "draining";
            case "undrain", "readwrite" -> "up";
            case "readonly" -> "readonly";
            case "remove" -> "removed";
            case "status" -> image.getAdminState();
            default ->
                    throw new FarmException(
                            ErrorKind.INVALID,
                            "node",
                            action,
                            "known are drain, undrain, readonly, readwrite, remove, status");
        };
    }

    /** Files whose last good copy is here. */
    private List<String> lastCopies(String node) {
        List<String> found = new ArrayList<>();
        state.replicas()
                .inodesAt(
                        node,
                        0,
                        inode -> {
                            if (isLastAt(node, inode)) found.add(state.path(inode));
                            return found.size() < DrainEstimate.BLOCKERS_MAX;
                        });
        return found;
    }

    private boolean isLastAt(String node, long inode) {
        if (!state.exists(inode)) return false;
        int generation = state.image(inode).getGeneration();
        for (ReplicaImage row : state.allRows(inode)) {
            if (row.getNode().equals(node)
                    && row.getGeneration() == generation
                    && row.getState() == ReplicaState.VALID
                    && goodElsewhere(row) == 0) {
                return true;
            }
        }
        return false;
    }

    /** Copies on nodes that are only out of reach for a moment are good, too. */
    private int goodElsewhere(ReplicaImage row) {
        int good = 0;
        long now = state.monotonicNanos();
        for (ReplicaImage other :
                state.rows(row.getInode(), row.getStripe(), row.getGeneration())) {
            NodeState at = state.nodes().state(other.getNode(), now);
            if (!other.getNode().equals(row.getNode())
                    && other.getState() == ReplicaState.VALID
                    && (at.isReadable() || at == NodeState.SUSPECT)) {
                good++;
            }
        }
        return good;
    }
}
