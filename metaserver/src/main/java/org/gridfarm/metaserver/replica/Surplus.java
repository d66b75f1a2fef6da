package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.ReplicaImage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which of too many copies goes: one that its group, rack and host can spare, then one on the
 * fullest node.
 */
final class Surplus {
    private static final double GROUP_NEEDED = 1_000;
    private static final double RACK_NEEDED = 100;
    private static final double HOST_NEEDED = 50;
    private static final double NOT_READABLE = -200; // rather one that cannot be read now

    private Surplus() {}

    static ReplicaImage choose(List<ReplicaImage> copies, Content content, List<NodeFacts> nodes) {
        Map<String, NodeFacts> facts = new HashMap<>();
        nodes.forEach(node -> facts.put(node.name(), node));
        ReplicaImage least = copies.getFirst();
        double leastWorth = Double.MAX_VALUE;
        for (ReplicaImage copy : copies) {
            double worth = worth(copy, copies, content, facts);
            if (worth < leastWorth) {
                leastWorth = worth;
                least = copy;
            }
        }
        return least;
    }

    private static double worth(
            ReplicaImage copy,
            List<ReplicaImage> copies,
            Content content,
            Map<String, NodeFacts> facts) {
        NodeFacts node = facts.get(copy.getNode());
        if (node == null) {
            return -Double.MAX_VALUE;
        }
        int inGroup = 0;
        int inRack = 0;
        int onHost = 0;
        for (ReplicaImage other : copies) {
            NodeFacts at = facts.get(other.getNode());
            if (at != null) {
                inGroup += at.group().equals(node.group()) ? 1 : 0;
                inRack += at.rack().equals(node.rack()) ? 1 : 0;
                onHost += at.host().equals(node.host()) ? 1 : 0;
            }
        }
        int wantedInGroup = Placement.groups(content.groups()).getOrDefault(node.group(), 0);
        return (inGroup <= wantedInGroup ? GROUP_NEEDED : 0)
                + (inRack == 1 ? RACK_NEEDED : 0)
                + (onHost == 1 ? HOST_NEEDED : 0)
                + (node.state().isReadable() ? 0 : NOT_READABLE)
                + node.freeShare();
    }
}
