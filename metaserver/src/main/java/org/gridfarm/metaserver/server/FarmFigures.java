package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.replica.NodeFacts;
import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.Problem;
import org.gridfarm.metaserver.replica.ReplicaMap;
import org.gridfarm.metaserver.server.files.DelegationFigures;
import org.gridfarm.metaserver.server.nodes.Repair;
import org.gridfarm.metaserver.server.state.FarmState;

import java.util.EnumMap;
import java.util.Map;

/**
 * How the farm stands, as the leader counts it once in a second. Immutable: made on the event
 * thread, read by whoever asks for metrics.
 *
 * @param files with each problem; a file may have several
 * @param nodes in each state
 */
record FarmFigures(
        Map<Problem, Long> files,
        Map<NodeState, Long> nodes,
        long inodes,
        long leases,
        int copiesRunning,
        long unsettled,
        DelegationFigures delegations) {
    static final FarmFigures NONE =
            new FarmFigures(Map.of(), Map.of(), 0, 0, 0, 0, DelegationFigures.NONE);

    static FarmFigures of(
            FarmState state,
            Repair repair,
            ClientCoherence clients,
            DelegationFigures delegations) {
        ReplicaMap map = state.replicas();
        Map<Problem, Long> files = new EnumMap<>(Problem.class);
        for (Problem problem : Problem.values()) files.put(problem, (long) map.count(problem));
        Map<NodeState, Long> nodes = new EnumMap<>(NodeState.class);
        for (NodeFacts node : state.nodes().facts(state.monotonicNanos())) {
            nodes.merge(node.state(), 1L, Long::sum);
        }
        return new FarmFigures(
                files,
                nodes,
                state.inodes(),
                clients.held(),
                repair.planner().running(),
                map.unsettled(),
                delegations);
    }

    long files(Problem problem) {
        return files.getOrDefault(problem, 0L);
    }

    long nodes(NodeState state) {
        return nodes.getOrDefault(state, 0L);
    }
}
