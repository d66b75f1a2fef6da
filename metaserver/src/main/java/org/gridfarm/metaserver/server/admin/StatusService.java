package org.gridfarm.metaserver.server.admin;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.metaserver.commit.Materialiser;
import org.gridfarm.metaserver.replica.NodeFacts;
import org.gridfarm.metaserver.replica.Problem;
import org.gridfarm.metaserver.replica.RepairEstimate;
import org.gridfarm.metaserver.replica.ReplicaMap;
import org.gridfarm.metaserver.server.files.DelegationFigures;
import org.gridfarm.metaserver.server.nodes.Repair;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.Tenure;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.CacheStatus;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.ListNodesReply;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ServerInfo;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What people and tools ask the leader: nodes, replicas, health; and what administrators decide.
 * Event thread.
 */
public final class StatusService {
    /** Counted to tell what repair has before it; the rest is extrapolated. */
    private static final int ESTIMATED_FILES_MAX = 1000;

    private final FarmState state;
    private final ClientCoherence clients;
    private final LeaderCoherence coherence;
    private final Materialiser materialiser;
    private final Supplier<List<CacheStatus>> caches;
    private final ServerIdentity identity;
    private final Repair repair;
    private final Supplier<DelegationFigures> delegations;
    private final Tenure tenure;
    private final LeaderContext leader;

    public StatusService(
            FarmState state,
            ClientCoherence clients,
            LeaderCoherence coherence,
            Materialiser materialiser,
            Supplier<List<CacheStatus>> caches,
            ServerIdentity identity,
            Repair repair,
            Supplier<DelegationFigures> delegations,
            Tenure tenure,
            LeaderContext leader) {
        this.state = state;
        this.clients = clients;
        this.coherence = coherence;
        this.materialiser = materialiser;
        this.caches = caches;
        this.identity = identity;
        this.repair = repair;
        this.delegations = delegations;
        this.tenure = tenure;
        this.leader = leader;
    }

    public StatusService register(HandlerTable table) {
        table.on(MetadataMethods.LIST_NODES, this::listNodes);
        table.on(MetadataMethods.CLUSTER_STATUS, this::status);
        return this;
    }

    private void listNodes(Exchange<ListNodesRequest, ListNodesReply> exchange) {
        ListNodesReply.Builder reply = ListNodesReply.newBuilder();
        long now = state.monotonicNanos();
        for (NodeFacts node : state.nodes().facts(now)) {
            NodeImage image = state.nodes().image(node.name());
            HeartbeatRequest last = state.nodes().lastHeartbeat(node.name());
            if (image == null) continue;
            reply.addNodes(
                    NodeInfo.newBuilder()
                            .setName(node.name())
                            .setAddress(image.getAddress())
                            .setState(node.state().text())
                            .setRack(image.getRack())
                            .setGroup(image.getGroup())
                            .setCapacity(last.getCapacity())
                            .setUsed(last.getUsed())
                            .setAvailable(last.getAvailable())
                            .setReplicas(state.replicas().inodeCountAt(node.name()))
                            .setSlots(image.getSlots())
                            .setLoad(last.getLoad())
                            .setLastSeenMillisAgo(
                                    state.nodes().silenceNanos(node.name(), now) / 1_000_000)
                            .setReadBytes(last.getReadBytes())
                            .setWrittenBytes(last.getWrittenBytes())
                            .setBadBlocks(last.getBadBlocks())
                            .setMount(image.getMount()));
        }
        exchange.reply(reply.build());
    }

    private void status(Exchange<ClusterStatusRequest, ClusterStatusReply> exchange) {
        repair.tick(state.monotonicNanos()); // what is told takes in what has just happened
        RepairEstimate estimate = repair.planner().estimate(ESTIMATED_FILES_MAX);
        ClusterStatusReply.Builder reply =
                ClusterStatusReply.newBuilder()
                        .setRevision(coherence.completed())
                        .setInodes(state.inodes())
                        .setSessions(clients.sessions())
                        .setJournalRowsBehind(
                                Math.max(0, coherence.completed() - materialiser.appliedSequence()))
                        .setRepairQueue(
                                estimate.files()
                                        + state.replicas().unsettled()
                                        + repair.planner().running())
                        .setRepairBytesLeft(estimate.bytes());
        Map<String, CacheStatus> byName = new TreeMap<>();
        for (CacheStatus cache : caches.get()) byName.put(cache.getName(), cache);
        for (Cluster.Member member : identity.members().get()) {
            ServerInfo.Builder server =
                    ServerInfo.newBuilder()
                            .setName(member.name())
                            .setAddress(member.address())
                            .setRole(member.role());
            CacheStatus cache = byName.get(member.name());
            if (member.name().equals(identity.name())) {
                server.setRevision(coherence.completed())
                        .setClients(clients.sessions())
                        .setLeases(clients.held())
                        .setHeapPercent(leader.bounds().heap().percent())
                        .setProblem(leader.bounds().heap().problem().orElse(""));
            } else if (cache != null) {
                server.setRevision(cache.getSequence())
                        .setClients(cache.getClients())
                        .setLeases(cache.getLeases())
                        .setLag(Math.max(0, coherence.completed() - cache.getSequence()))
                        .setHeapPercent(cache.getHeapPercent())
                        .setProblem(cache.getProblem());
            }
            reply.addServers(server);
        }
        ReplicaMap map = state.replicas();
        reply.setReplicasUnder(map.count(Problem.UNDER))
                .setReplicasAway(map.count(Problem.AWAY))
                .setReplicasLost(map.count(Problem.LOST))
                .setReplicasOver(map.count(Problem.OVER))
                .setReplicasCorrupt(map.count(Problem.CORRUPT));
        reply.setDatabaseSilentMillis(tenure.silence().toMillis())
                .setCoordinationLost(tenure.isUnelected());
        DelegationFigures delegated = delegations.get();
        reply.setDelegations(delegated.directories())
                .setDelegationsOverdue(delegated.overdue())
                .setDelegationsWaitMillis(delegated.waitMillis())
                .setCommandsDifferent(delegated.different())
                .setCommandsRefused(delegated.refused());
        exchange.reply(reply.build());
    }

    /** Answers when everything acknowledged so far is in the tables. */
    public void barrier(Exchange<AdminRequest, AdminReply> exchange) {
        long until = coherence.completed();
        leader.whenApplied(
                until, () -> exchange.reply(AdminService.reply(Map.of("applied", until))));
    }
}
