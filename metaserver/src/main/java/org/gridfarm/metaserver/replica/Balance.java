package org.gridfarm.metaserver.replica;

import org.gridfarm.metaserver.namespace.Content;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which content moves from the fullest to the emptiest node. A move is a copy; what is then too
 * many is dropped at the fullest by {@link Trim}.
 */
final class Balance {
    private static final int EXAMINED_PER_STEP = 1_000;

    /** By then the heartbeats of both nodes tell of a move. */
    private static final long TOLD_AFTER_NANOS = 3_000_000_000L;

    /** Starts the copy that is the first half of a move; false: not now. */
    interface Mover {
        boolean start(Content content, int stripe, List<ReplicaImage> rows, String to);
    }

    /** From where to where, and how much would make both even. */
    record Pair(NodeFacts fullest, NodeFacts emptiest, long bytes) {}

    private record Moved(String from, String to, long bytes, long untilNanos) {}

    private final ReplicaMap map;
    private final Files files;
    private final ArrayDeque<Moved> untold = new ArrayDeque<>();
    private long cursor;

    Balance(ReplicaMap map, Files files) {
        this.map = map;
        this.files = files;
    }

    /** A move has been made, which the nodes' own figures do not show yet. */
    void moved(String from, String to, long bytes, long now) {
        untold.add(new Moved(from, to, bytes, now + TOLD_AFTER_NANOS));
    }

    /**
     * The nodes as they will be when what is under way has ended.
     *
     * @param running copies for balance under way
     */
    List<NodeFacts> foreseen(
            List<NodeFacts> nodes, List<RepairEffect.Copy> running, double spread, long now) {
        while (!untold.isEmpty() && now - untold.getFirst().untilNanos() >= 0) {
            untold.removeFirst();
        }
        List<NodeFacts> foreseen = new ArrayList<>(nodes.size());
        Pair pair = pair(nodes, spread);
        for (NodeFacts node : nodes) {
            long more = 0;
            for (Moved moved : untold) {
                more += share(node, moved.from(), moved.to(), moved.bytes());
            }
            for (RepairEffect.Copy copy : running) {
                String from = pair == null ? "" : pair.fullest().name();
                more += share(node, from, copy.target(), copy.bytes());
            }
            foreseen.add(node.withAvailable(Math.max(0, node.available() + more)));
        }
        return foreseen;
    }

    private static long share(NodeFacts node, String from, String to, long bytes) {
        return node.name().equals(from) ? bytes : node.name().equals(to) ? -bytes : 0;
    }

    /** Null: even enough. */
    static @Nullable Pair pair(List<NodeFacts> nodes, double spread) {
        List<NodeFacts> sorted =
                nodes.stream()
                        .filter(n -> n.state() == NodeState.UP && n.capacity() > 0)
                        .sorted(Comparator.comparingDouble(NodeFacts::freeShare))
                        .toList();
        if (sorted.size() < 2) {
            return null;
        }
        NodeFacts fullest = sorted.getFirst();
        NodeFacts emptiest = sorted.getLast();
        double difference = emptiest.freeShare() - fullest.freeShare();
        if (difference <= spread) {
            return null;
        }
        long smaller = Math.min(fullest.capacity(), emptiest.capacity());
        return new Pair(fullest, emptiest, (long) (difference / 2 * smaller));
    }

    /** How much has to move until all nodes are within the spread, by evening them out on paper. */
    static long bytesToMove(List<NodeFacts> nodes, double spread) {
        List<NodeFacts> now = new ArrayList<>(nodes);
        long all = 0;
        for (int round = 0; round < nodes.size() * 16; round++) {
            Pair pair = pair(now, spread);
            if (pair == null) {
                break;
            }
            all += pair.bytes();
            now.replaceAll(node ->
                    node.withAvailable(
                            node.available()
                                    + share(
                                            node,
                                            pair.fullest().name(),
                                            pair.emptiest().name(),
                                            pair.bytes())));
        }
        return all;
    }

    void step(List<NodeFacts> nodes, double spread, Mover mover) {
        Pair pair = pair(nodes, spread);
        if (pair == null) {
            return;
        }
        String from = pair.fullest().name();
        int[] examined = {0};
        long[] last = {0};
        List<Long> movable = new ArrayList<>();
        map.inodesAt(
                from,
                cursor,
                inode -> {
                    last[0] = inode;
                    movable.add(inode);
                    return ++examined[0] < EXAMINED_PER_STEP;
                });
        long left = pair.bytes();
        for (long inode : movable) {
            Content content = files.content(inode);
            if (content == null || files.isWritten(inode) || content.size() == 0) {
                cursor = inode;
                continue;
            }
            // what is larger than the difference would only turn it round
            for (int stripe = 0;
                    stripe < content.stripes() && content.objectBytes() <= pair.bytes();
                    stripe++) {
                List<ReplicaImage> rows = map.rows(inode, stripe, content.generation());
                if (wouldLeave(rows, pair, content, nodes)) {
                    if (left <= 0 || !mover.start(content, stripe, rows, pair.emptiest().name())) {
                        return;
                    }
                    left -= content.objectBytes();
                }
            }
            cursor = inode;
        }
        if (examined[0] < EXAMINED_PER_STEP) {
            cursor = 0;
        }
    }

    /**
     * Whether trimming would, after the copy, take the one at the fullest node; else the copy would
     * be in vain.
     */
    private static boolean wouldLeave(
            List<ReplicaImage> rows, Pair pair, Content content, List<NodeFacts> nodes) {
        String from = pair.fullest().name();
        String to = pair.emptiest().name();
        List<ReplicaImage> after = Copies.counting(rows, nodes);
        boolean held = after.stream().anyMatch(row -> row.getNode().equals(from));
        boolean there = rows.stream().anyMatch(row -> row.getNode().equals(to));
        if (!held || there || after.size() != content.wanted()) {
            return false;
        }
        after.add(after.getFirst().toBuilder().setNode(to).build());
        return Surplus.choose(after, content, nodes).getNode().equals(from);
    }
}
