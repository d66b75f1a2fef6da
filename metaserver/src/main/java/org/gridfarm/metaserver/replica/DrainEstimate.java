package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What emptying a node takes.
 *
 * @param replicas rows at the node
 * @param bytes that have to be copied, about
 * @param seconds at the present rate; negative: not known
 * @param blockers why it cannot end, for people; at most {@link #BLOCKERS_MAX}
 */
public record DrainEstimate(long replicas, long bytes, double seconds, List<String> blockers) {
    public static final int BLOCKERS_MAX = 20;
    private static final int EXAMINED_MAX = 20_000;

    static DrainEstimate of(
            String node,
            ReplicaMap map,
            Files files,
            Placement placement,
            List<NodeFacts> nodes,
            double bytesPerSecond) {
        long[] examined = {0};
        long[] bytes = {0};
        List<String> blockers = new ArrayList<>();
        List<Long> inodes = new ArrayList<>();
        map.inodesAt(node, 0, inode -> inodes.add(inode) && inodes.size() < EXAMINED_MAX);
        for (long inode : inodes) {
            Content content = files.content(inode);
            if (content == null) {
                continue;
            }
            examined[0]++;
            bytes[0] += content.objectBytes();
            if (blockers.size() < BLOCKERS_MAX) {
                String blocker = blocker(node, content, map, files, placement, nodes);
                if (!blocker.isEmpty()) {
                    blockers.add(blocker);
                }
            }
        }
        long replicas = map.inodeCountAt(node);
        long all = examined[0] == 0 ? 0 : (long) ((double) bytes[0] / examined[0] * replicas);
        double seconds = all == 0 ? 0 : bytesPerSecond > 0 ? all / bytesPerSecond : -1;
        return new DrainEstimate(replicas, all, seconds, List.copyOf(blockers));
    }

    private static String blocker(
            String node,
            Content content,
            ReplicaMap map,
            Files files,
            Placement placement,
            List<NodeFacts> nodes) {
        String file = files.name(content.inode());
        if (files.isWritten(content.inode())) {
            return file + " is open for writing";
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            Set<String> holding = new HashSet<>();
            boolean here = false;
            Whereabouts best = Whereabouts.NOWHERE;
            List<String> said = new ArrayList<>();
            for (ReplicaImage row : map.rows(content.inode(), stripe, content.generation())) {
                boolean atNode = row.getNode().equals(node);
                NodeState state = map.nodeState(row.getNode());
                Whereabouts where = Whereabouts.of(row.getStateValue(), state);
                here |= atNode && row.getState() == ReplicaState.VALID;
                best = where.compareTo(best) < 0 ? where : best;
                holding.add(row.getNode());
                said.add(Whereabouts.said(row, state));
            }
            if (best != Whereabouts.HERE && !holding.isEmpty()) {
                return file + " is " + best.text() + ": " + String.join(", ", said);
            }
            if (here) {
                Placement.Plan plan =
                        placement.plan(
                                new Placement.Wish(
                                        1,
                                        content.groups(),
                                        holding,
                                        Map.of(),
                                        "",
                                        content.objectBytes()),
                                nodes);
                if (plan.nodes().isEmpty() && holding.size() <= content.wanted()) {
                    return file
                            + (plan.forSpace()
                                    ? ": no other node has room for it"
                                    : ": there is no other node for it");
                }
            }
        }
        return "";
    }
}
