package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.metaserver.commit.Materialiser;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.CacheStatus;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ListNodesReply;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.gridfarm.protocol.wire.ListReplicasReply;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.NodeControlReply;
import org.gridfarm.protocol.wire.NodeControlRequest;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaProblem;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.ReplicateReply;
import org.gridfarm.protocol.wire.ReplicateRequest;
import org.gridfarm.protocol.wire.ServerInfo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What people and tools ask the leader: nodes, replicas, health; and what administrators decide.
 * Event thread.
 */
final class StatusService {
    private static final int PROBLEMS_MAX = 1000;

    private final FarmState state;
    private final ClientCoherence clients;
    private final LeaderCoherence coherence;
    private final Materialiser materialiser;
    private final Followers followers;
    private final ServerIdentity identity;
    private final Repair repair;
    private final LeaderContext leader;

    StatusService(
            FarmState state,
            ClientCoherence clients,
            LeaderCoherence coherence,
            Materialiser materialiser,
            Followers followers,
            ServerIdentity identity,
            Repair repair,
            LeaderContext leader) {
        this.state = state;
        this.clients = clients;
        this.coherence = coherence;
        this.materialiser = materialiser;
        this.followers = followers;
        this.identity = identity;
        this.repair = repair;
        this.leader = leader;
    }

    void register(HandlerTable table) {
        table.on(MetadataMethods.LIST_NODES, this::listNodes);
        table.on(MetadataMethods.NODE_CONTROL, this::nodeControl);
        table.on(MetadataMethods.CLUSTER_STATUS, this::status);
        table.on(MetadataMethods.LIST_REPLICAS, this::listReplicas);
        table.on(MetadataMethods.REPLICATE, this::replicate);
        table.on(MetadataMethods.ADMIN, this::admin);
    }

    private static void requireAdmin(Exchange<?, ?> exchange) {
        Role role = exchange.peer().identity().role();
        if (role == Role.USER || role == Role.NODE) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    exchange.method().name(),
                    "",
                    "for administrators only");
        }
    }

    private void listNodes(Exchange<ListNodesRequest, ListNodesReply> exchange) {
        ListNodesReply.Builder reply = ListNodesReply.newBuilder();
        long now = state.monotonicNanos();
        for (LiveNodes.Node node : state.nodes().all()) {
            NodeImage image = node.image;
            reply.addNodes(
                    NodeInfo.newBuilder()
                            .setName(image.getName())
                            .setAddress(image.getAddress())
                            .setState(state.nodes().stateOf(node, now))
                            .setRack(image.getRack())
                            .setGroup(image.getGroup())
                            .setCapacity(node.last.getCapacity())
                            .setUsed(node.last.getUsed())
                            .setAvailable(node.last.getAvailable())
                            .setReplicas(state.heldBy(image.getName()).size())
                            .setSlots(image.getSlots())
                            .setLoad(node.last.getLoad())
                            .setLastSeenMillisAgo((now - node.heardAt) / 1_000_000)
                            .setReadBytes(node.last.getReadBytes())
                            .setWrittenBytes(node.last.getWrittenBytes())
                            .setBadBlocks(node.last.getBadBlocks())
                            .setMount(image.getMount()));
        }
        exchange.reply(reply.build());
    }

    private void nodeControl(Exchange<NodeControlRequest, NodeControlReply> exchange) {
        requireAdmin(exchange);
        NodeControlRequest request = exchange.request();
        NodeImage image = state.nodes().image(request.getNode());
        if (image == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, request.getAction(), request.getNode());
        }
        String wanted =
                switch (request.getAction()) {
                    case "drain" -> "draining";
                    case "undrain", "readwrite" -> "up";
                    case "readonly" -> "readonly";
                    case "remove" -> "removed";
                    case "status" -> image.getAdminState();
                    default ->
                            throw new FarmException(
                                    ErrorKind.INVALID,
                                    "node",
                                    request.getAction(),
                                    "known are drain, undrain, readonly, readwrite, remove, status");
                };
        long left = 0;
        long bytes = 0;
        List<String> blockers = new ArrayList<>();
        for (ReplicaImage row : state.heldBy(request.getNode())) {
            if (row.getState() != ReplicaState.VALID || !state.exists(row.getInode())) continue;
            left++;
            InodeImage file = state.image(row.getInode());
            bytes += file.getSize();
            if (wanted.equals("removed") && state.goodCopiesElsewhere(row) == 0) {
                blockers.add(state.path(row.getInode()));
            }
        }
        boolean refused = wanted.equals("removed") && !blockers.isEmpty();
        if (!request.getDryRun() && !refused && !wanted.equals(image.getAdminState())) {
            leader.change(
                    List.of(
                            Change.newBuilder()
                                    .setNode(image.toBuilder().setAdminState(wanted))
                                    .build()),
                    0);
        }
        NodeControlReply reply =
                NodeControlReply.newBuilder()
                        .setState(refused || request.getDryRun() ? image.getAdminState() : wanted)
                        .setReplicasLeft(left)
                        .setBytesLeft(bytes)
                        .addAllBlockers(blockers.subList(0, Math.min(100, blockers.size())))
                        .build();
        leader.afterAllSoFar(() -> exchange.reply(reply));
    }

    private void status(Exchange<ClusterStatusRequest, ClusterStatusReply> exchange) {
        ClusterStatusReply.Builder reply =
                ClusterStatusReply.newBuilder()
                        .setRevision(coherence.completed())
                        .setInodes(state.inodes())
                        .setSessions(clients.sessions())
                        .setJournalRowsBehind(
                                Math.max(0, coherence.completed() - materialiser.appliedSequence()))
                        .setRepairQueue(repair.queued() + repair.running());
        Map<String, CacheStatus> caches = new TreeMap<>();
        for (CacheStatus cache : followers.statuses()) caches.put(cache.getName(), cache);
        for (Cluster.Member member : identity.members().get()) {
            ServerInfo.Builder server =
                    ServerInfo.newBuilder()
                            .setName(member.name())
                            .setAddress(member.address())
                            .setRole(member.role());
            CacheStatus cache = caches.get(member.name());
            if (member.name().equals(identity.name())) {
                server.setRevision(coherence.completed())
                        .setClients(clients.sessions())
                        .setLeases(clients.held());
            } else if (cache != null) {
                server.setRevision(cache.getSequence())
                        .setClients(cache.getClients())
                        .setLeases(cache.getLeases())
                        .setLag(Math.max(0, coherence.completed() - cache.getSequence()));
            }
            reply.addServers(server);
        }
        state.problems((kind, image, live) -> {
            switch (kind) {
                case "under" -> reply.setReplicasUnder(reply.getReplicasUnder() + 1);
                case "lost" -> reply.setReplicasLost(reply.getReplicasLost() + 1);
                case "over" -> reply.setReplicasOver(reply.getReplicasOver() + 1);
                default -> reply.setReplicasCorrupt(reply.getReplicasCorrupt() + 1);
            }
        });
        exchange.reply(reply.build());
    }

    private void listReplicas(Exchange<ListReplicasRequest, ListReplicasReply> exchange) {
        ListReplicasRequest request = exchange.request();
        int limit =
                request.getLimit() <= 0 ? PROBLEMS_MAX : Math.min(request.getLimit(), PROBLEMS_MAX);
        TreeMap<Long, ReplicaProblem> found = new TreeMap<>();
        long[] total = {0};
        state.problems((kind, image, live) -> {
            if (!kind.equals(request.getKind())) return;
            total[0]++;
            if (image.getInode() <= request.getAfter()) return;
            found.put(image.getInode(), problem(kind, image, live));
            if (found.size() > limit) found.pollLastEntry();
        });
        exchange.reply(
                ListReplicasReply.newBuilder()
                        .addAllProblems(found.values())
                        .setTotal(total[0])
                        .setEnd(found.size() < limit)
                        .build());
    }

    private ReplicaProblem problem(String kind, InodeImage image, int live) {
        ReplicaProblem.Builder problem =
                ReplicaProblem.newBuilder()
                        .setInode(image.getInode())
                        .setPath(
                                com.google.protobuf.ByteString.copyFromUtf8(
                                        state.path(image.getInode())))
                        .setWanted(state.level(image))
                        .setLive(live)
                        .setSize(image.getSize())
                        .setReason(kind);
        for (ReplicaImage row : state.rows(image.getInode(), 0, image.getGeneration())) {
            problem.addReplicas(
                    Replica.newBuilder()
                            .setNode(row.getNode())
                            .setState(row.getState())
                            .setLive(state.isReadable(row.getNode())));
        }
        return problem.build();
    }

    private void replicate(Exchange<ReplicateRequest, ReplicateReply> exchange) {
        Callers.of(exchange);
        ReplicateRequest request = exchange.request();
        InodeImage image = state.image(request.getInode());
        if (!request.getDropNode().isEmpty()) drop(image, request.getDropNode());
        if (!request.getToNode().isEmpty()) {
            repair.copyTo(image, request.getToNode(), () -> replicated(exchange, image.getInode()));
            return;
        }
        repair.suspect(image.getInode());
        if (request.getWaitLevel()) {
            repair.whenLevelHolds(
                    image.getInode(),
                    () -> replicated(exchange, image.getInode()),
                    exchange::isCancelled);
        } else {
            replicated(exchange, image.getInode());
        }
    }

    private void drop(InodeImage image, String node) {
        List<Change> changes = new ArrayList<>();
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            for (ReplicaImage row : state.rows(image.getInode(), stripe, image.getGeneration())) {
                if (!row.getNode().equals(node)) continue;
                if (row.getState() == ReplicaState.VALID && state.goodCopiesElsewhere(row) == 0) {
                    throw new FarmException(
                            ErrorKind.INVALID, "drop replica", node, "it is the last good copy");
                }
                changes.add(FileOpens.gone(row));
            }
        }
        leader.change(changes, 0);
    }

    private void replicated(Exchange<ReplicateRequest, ReplicateReply> exchange, long inode) {
        leader.afterAllSoFar(() -> {
            if (!state.exists(inode)) {
                exchange.fail(
                        new FarmException(
                                ErrorKind.NOT_FOUND, "replicate", Long.toHexString(inode)));
                return;
            }
            InodeImage image = state.image(inode);
            exchange.reply(
                    ReplicateReply.newBuilder()
                            .setLive(state.liveCopies(image))
                            .setWanted(state.level(image))
                            .build());
        });
    }

    private void admin(Exchange<AdminRequest, AdminReply> exchange) {
        requireAdmin(exchange);
        switch (exchange.request().getCommand()) {
            case "barrier" -> barrier(exchange);
            case "fsck" -> check(exchange);
            default ->
                    throw new FarmException(
                            ErrorKind.UNSUPPORTED, "admin", exchange.request().getCommand());
        }
    }

    /** What is wrong with the namespace, and replica rows that belong to nothing. */
    private void check(Exchange<AdminRequest, AdminReply> exchange) {
        List<String> found = new ArrayList<>(state.namespace().inconsistencies(PROBLEMS_MAX));
        for (LiveNodes.Node node : state.nodes().all()) {
            for (ReplicaImage row : state.heldBy(node.image.getName())) {
                if (!state.exists(row.getInode()) && found.size() < PROBLEMS_MAX) {
                    found.add(
                            "a replica row at "
                                    + row.getNode()
                                    + " names inode "
                                    + Long.toHexString(row.getInode())
                                    + ", which does not exist");
                }
            }
        }
        StringBuilder json = new StringBuilder("{\"inodes\":").append(state.inodes());
        json.append(",\"revision\":").append(coherence.completed()).append(",\"problems\":[");
        for (int i = 0; i < found.size(); i++) {
            if (i > 0) json.append(',');
            json.append('"')
                    .append(found.get(i).replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        String text = json.append("]}").toString();
        leader.afterAllSoFar(() -> exchange.reply(AdminReply.newBuilder().setJson(text).build()));
    }

    /** Answers when everything acknowledged so far is in the tables. */
    private void barrier(Exchange<AdminRequest, AdminReply> exchange) {
        long until = coherence.completed();
        leader.whenApplied(
                until,
                () ->
                        exchange.reply(
                                AdminReply.newBuilder()
                                        .setJson("{\"applied\":" + until + "}")
                                        .build()));
    }
}
