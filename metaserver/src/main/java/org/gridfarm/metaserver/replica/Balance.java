package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which content moves from the fullest to the emptiest node. A move is a copy, after which the one
 * at the fullest node is dropped.
 *
 * <p>It goes by waves: what brings the two nodes to the mean of all is moved, then their next
 * heartbeats are waited for, since until then nobody knows how full they are.
 */
final class Balance {
    private static final int EXAMINED_PER_STEP = 1_000;

    /** By then the heartbeats of both nodes tell of a move. */
    private static final long TOLD_AFTER_NANOS = 3_000_000_000L;

    /** What became of the wish to begin a move. */
    enum Begun {
        YES,
        /** Something is occupied: the same file is asked for again. */
        NOT_NOW,
        NEVER
    }

    /** Starts the copy that is the first half of a move. */
    interface Mover {
        Begun start(Content content, int stripe, List<ReplicaImage> rows, String to);
    }

    /** From where to where, and how much brings the first of them to the mean of all nodes. */
    record Pair(NodeFacts fullest, NodeFacts emptiest, long bytes) {}

    private static final class Wave {
        final String from;
        final String to;
        long left;
        long cursor;
        boolean moved;

        Wave(Pair pair) {
            from = pair.fullest().name();
            to = pair.emptiest().name();
            left = pair.bytes();
        }
    }

    private final ReplicaMap map;
    private final Files files;
    private final Map<ObjectId, String> moving = new HashMap<>(); // from where
    private @Nullable Wave wave;
    private boolean exhausted;
    private long toldAt;
    private boolean waits;

    Balance(ReplicaMap map, Files files) {
        this.map = map;
        this.files = files;
    }

    /** Begins anew. */
    void reset() {
        wave = null;
        exhausted = false;
    }

    /** Nothing that lies on the fullest node would make it more even. */
    boolean isExhausted() {
        return exhausted;
    }

    /** The copy has ended; from where the object has moved, null: it was no move. */
    @Nullable String ended(ObjectId object, long now) {
        String from = moving.remove(object);
        if (from != null) {
            toldAt = now + TOLD_AFTER_NANOS;
            waits = true;
        }
        return from;
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
        if (emptiest.freeShare() - fullest.freeShare() <= spread) {
            return null;
        }
        double mean = sorted.stream().mapToDouble(NodeFacts::freeShare).average().orElseThrow();
        double lacking = (mean - fullest.freeShare()) * fullest.capacity();
        double spare = (emptiest.freeShare() - mean) * emptiest.capacity();
        return new Pair(fullest, emptiest, (long) Math.min(lacking, spare));
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
            now.replaceAll(node -> {
                boolean from = node.name().equals(pair.fullest().name());
                boolean to = node.name().equals(pair.emptiest().name());
                return node.withAvailable(
                        node.available() + (from ? pair.bytes() : to ? -pair.bytes() : 0));
            });
        }
        return all;
    }

    void step(List<NodeFacts> nodes, double spread, long now, Mover mover) {
        if (wave == null) {
            if (!moving.isEmpty() || (waits && now - toldAt < 0)) {
                return;
            }
            Pair pair = pair(nodes, spread);
            if (pair == null) {
                return;
            }
            wave = new Wave(pair);
        }
        Wave under = wave;
        List<Long> some = new ArrayList<>();
        map.inodesAt(
                under.from,
                under.cursor,
                inode -> {
                    some.add(inode);
                    return some.size() < EXAMINED_PER_STEP;
                });
        for (long inode : some) {
            if (!move(under, inode, nodes, mover)) {
                return;
            }
            under.cursor = inode;
        }
        if (some.size() < EXAMINED_PER_STEP) {
            exhausted = !under.moved;
            wave = null;
        }
    }

    /** False: the same inode again, later. */
    private boolean move(Wave under, long inode, List<NodeFacts> nodes, Mover mover) {
        Content content = files.content(inode);
        if (content == null || files.isWritten(inode) || content.size() == 0) {
            return true;
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> rows = map.rows(inode, stripe, content.generation());
            // What is larger than the rest would only turn the difference round.
            if (content.objectBytes() > under.left
                    || !wouldLeave(rows, under.from, under.to, content, nodes)) {
                continue;
            }
            switch (mover.start(content, stripe, rows, under.to)) {
                case YES -> {
                    under.left -= content.objectBytes();
                    under.moved = true;
                    moving.put(object(content, stripe), under.from);
                }
                case NOT_NOW -> {
                    return false;
                }
                case NEVER -> {}
            }
        }
        return true;
    }

    private static ObjectId object(Content content, int stripe) {
        return ObjectId.newBuilder()
                .setInode(content.inode())
                .setStripe(stripe)
                .setGeneration(content.generation())
                .build();
    }

    /**
     * Whether the copy at the fullest node is the one that is missed least after the move, for the
     * spread over racks and groups.
     */
    private static boolean wouldLeave(
            List<ReplicaImage> rows,
            String from,
            String to,
            Content content,
            List<NodeFacts> nodes) {
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
