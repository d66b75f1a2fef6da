package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.ReplicaImage;

import java.util.List;
import java.util.Locale;
import java.util.function.LongPredicate;

/**
 * What can go: with enough good copies the stale, corrupt, lost and superseded ones and those on
 * nodes that are leaving; of too many good ones the surplus. Some at a time, in the order of
 * inodes.
 */
final class Trim {
    private static final int EXAMINED_PER_STEP = 1_000;

    /** Rows dropped in one step, so that a trim does not flood the journal. */
    private static final int DROPS_PER_STEP = 1_000;

    private final ReplicaMap map;
    private final Files files;
    private final ExtraCopies extra;
    private final LongPredicate isRunning;
    private long leftoverCursor;
    private long overCursor;

    /**
     * @param isRunning whether a copy of the file is being made: it is judged when that has ended
     */
    Trim(ReplicaMap map, Files files, ExtraCopies extra, LongPredicate isRunning) {
        this.map = map;
        this.files = files;
        this.extra = extra;
        this.isRunning = isRunning;
    }

    void step(List<NodeFacts> nodes, List<RepairEffect> effects) {
        int before = effects.size();
        long[] some = map.list(Problem.LEFTOVER, leftoverCursor, EXAMINED_PER_STEP);
        leftoverCursor = some.length == 0 ? 0 : some[some.length - 1];
        for (long inode : some) {
            if (effects.size() - before < DROPS_PER_STEP) {
                leftovers(inode, nodes, effects);
            }
        }
        some = map.list(Problem.OVER, overCursor, EXAMINED_PER_STEP);
        overCursor = some.length == 0 ? 0 : some[some.length - 1];
        for (long inode : some) {
            if (effects.size() - before < DROPS_PER_STEP) {
                surplus(inode, nodes, effects);
            }
        }
    }

    /** The map may be behind; the rows decide. */
    private void leftovers(long inode, List<NodeFacts> nodes, List<RepairEffect> effects) {
        Standing standing = map.standing(inode);
        if (standing == null || !standing.has(Problem.LEFTOVER) || isRunning.test(inode)) {
            return;
        }
        for (ReplicaImage row : map.rows(inode)) {
            String reason = leftoverReason(row, standing.content());
            if (!reason.isEmpty() && isSpare(row, standing.content(), nodes)) {
                effects.add(new RepairEffect.Drop(row, reason));
            }
        }
    }

    /** Old content, or content that can be read now from a copy that stays. */
    private boolean isSpare(ReplicaImage row, Content content, List<NodeFacts> nodes) {
        if (row.getGeneration() != content.generation()) {
            return true;
        }
        List<ReplicaImage> rows = map.rows(row.getInode(), row.getStripe(), row.getGeneration());
        return !Copies.readable(Copies.counting(rows, nodes), nodes).isEmpty();
    }

    private String leftoverReason(ReplicaImage row, Content content) {
        if (row.getGeneration() != content.generation()) {
            return "superseded";
        }
        switch (row.getState()) {
            case STALE, CORRUPT, LOST -> {
                return row.getState().name().toLowerCase(Locale.ROOT);
            }
            case VALID -> {}
            default -> {
                return "";
            }
        }
        // A node that is down may come back with a good copy; until it is removed its rows may stay
        // as spares that do not count.
        NodeState state = map.nodeState(row.getNode());
        return state == NodeState.DRAINING || state == NodeState.REMOVED
                ? "its node is leaving"
                : "";
    }

    private void surplus(long inode, List<NodeFacts> nodes, List<RepairEffect> effects) {
        Content content = files.content(inode);
        if (content == null || files.isWritten(inode) || isRunning.test(inode)) {
            return;
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> counting =
                    Copies.counting(map.rows(inode, stripe, content.generation()), nodes);
            counting.removeIf(row -> extra.has(inode, row.getNode()));
            if (!Copies.readable(counting, nodes).containsAll(counting)) {
                // A node that comes back tells of a copy before it is up, and one that is not
                // heard is up or down soon: only then is it known which copies racks can spare.
                continue;
            }
            while (counting.size() > content.wanted()) {
                ReplicaImage surplus = Surplus.choose(counting, content, nodes);
                counting.remove(surplus);
                effects.add(new RepairEffect.Drop(surplus, "more copies than wanted"));
            }
        }
    }
}
