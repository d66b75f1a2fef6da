package org.gridfarm.metaserver.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.InodeImage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Chooses nodes for new content: the asker's own first, then by a new host, a new rack, the share
 * of free space and the load, in this order of weight.
 */
final class SpreadChoice implements ChainChoice {
    /** A node with less room than this takes no new content. */
    private static final long AVAILABLE_BYTES_MIN = 16L << 20;

    private final FarmState state;

    SpreadChoice(FarmState state) {
        this.state = state;
    }

    @Override
    public List<String> choose(
            InodeImage image, int stripe, String attached, Set<String> excluded) {
        long now = state.monotonicNanos();
        List<LiveNodes.Node> candidates = new ArrayList<>();
        boolean full = false;
        for (LiveNodes.Node node : state.nodes().all()) {
            String name = node.image.getName();
            if (excluded.contains(name) || !state.nodes().takesNew(name, now)) continue;
            if (node.last.getCapacity() > 0 && node.last.getAvailable() < AVAILABLE_BYTES_MIN) {
                full = true;
                continue;
            }
            candidates.add(node);
        }
        if (candidates.isEmpty()) {
            throw full
                    ? new FarmException(
                            ErrorKind.NO_SPACE,
                            "place",
                            Long.toHexString(image.getInode()),
                            "every node is full")
                    : new FarmException(
                            ErrorKind.UNAVAILABLE,
                            "place",
                            Long.toHexString(image.getInode()),
                            "no storage node is up");
        }
        List<String> chosen = new ArrayList<>();
        Set<String> racks = new HashSet<>();
        Set<String> hosts = new HashSet<>();
        int level = state.level(image);
        while (chosen.size() < level && !candidates.isEmpty()) {
            LiveNodes.Node best = candidates.getFirst();
            double bestScore = Double.NEGATIVE_INFINITY;
            for (LiveNodes.Node node : candidates) {
                double score = score(node, stripe, attached, racks, hosts);
                if (score > bestScore) {
                    bestScore = score;
                    best = node;
                }
            }
            candidates.remove(best);
            chosen.add(best.image.getName());
            racks.add(best.image.getRack());
            hosts.add(best.image.getHost());
        }
        return chosen;
    }

    private double score(
            LiveNodes.Node node,
            int stripe,
            String attached,
            Set<String> racks,
            Set<String> hosts) {
        double score = 0;
        if (stripe == 0 && node.image.getName().equals(attached)) score += 1000;
        if (!hosts.isEmpty() && !hosts.contains(node.image.getHost())) score += 100;
        if (!racks.isEmpty() && !racks.contains(node.image.getRack())) score += 50;
        if (node.last.getCapacity() > 0) {
            score += 20.0 * node.last.getAvailable() / node.last.getCapacity();
        }
        score -= Math.min(10, node.last.getLoad());
        return score + state.chance();
    }
}
