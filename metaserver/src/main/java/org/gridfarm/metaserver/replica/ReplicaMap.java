package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaKey;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * All replica rows, by inode and by node, and the index of files with problems. Owned by the event
 * thread. About 60 bytes per file with two copies.
 *
 * <p>Files are judged again when something about them changed: at {@link #settle}, so that a node's
 * failure, which touches every file it holds, is worked off in pieces. {@link #unsettled} tells how
 * many wait.
 */
public final class ReplicaMap {
    private static final int ROW = 3; // ints: stripe, generation, node << 3 | state
    private static final int LIVE_CLASSES =
            8; // files with more live copies than this are equally urgent

    private final Files files;
    private final RowTable table = new RowTable();
    private final List<String> nodeNames = new ArrayList<>();
    private final Map<String, Integer> nodeNumbers = new HashMap<>();
    private final List<NodeState> nodeStates = new ArrayList<>();
    private final List<String> nodeGroups = new ArrayList<>();
    private final List<Roaring64Bitmap> byNode = new ArrayList<>();
    private final Map<Problem, Roaring64Bitmap> problems = new HashMap<>();
    private final Roaring64Bitmap[] underByLive = new Roaring64Bitmap[LIVE_CLASSES];
    private final Roaring64Bitmap toJudge = new Roaring64Bitmap();
    private final ReplicaMatrix matrix = new ReplicaMatrix();
    private long rowCount;

    public ReplicaMap(Files files) {
        this.files = files;
        for (Problem problem : Problem.values()) {
            problems.put(problem, new Roaring64Bitmap());
        }
        Arrays.setAll(underByLive, i -> new Roaring64Bitmap());
    }

    // ---- rows
    // ----------------------------------------------------------------------------------------------------------------------------

    /**
     * Takes REPLICA and REPLICA_GONE rows, drops the rows of an INODE_GONE, judges an INODE again;
     * to be called after the namespace took the change.
     */
    public void apply(Change change) {
        switch (change.getChangeCase()) {
            case REPLICA -> put(change.getReplica());
            case REPLICA_GONE -> remove(change.getReplicaGone());
            case INODE -> touched(change.getInode().getInode());
            case INODE_GONE -> removeAll(change.getInodeGone());
            default -> {}
        }
    }

    /** Something about the file changed that shows in no row, as the end of its being written. */
    public void touched(long inode) {
        if (table.get(inode) != null) {
            toJudge.addLong(inode);
        }
    }

    /** Something changed that concerns every file, as the level of those without their own. */
    public void allTouched() {
        table.forEach(toJudge::addLong);
    }

    private void put(ReplicaImage row) {
        long inode = row.getInode();
        int node = number(row.getNode());
        int packed = node << 3 | row.getStateValue();
        int[] rows = table.get(inode);
        int at = rows == null ? -1 : find(rows, row.getStripe(), row.getGeneration(), node);
        if (rows != null && at >= 0) {
            rows[at + 2] = packed;
        } else {
            int length = rows == null ? 0 : rows.length;
            int[] more = rows == null ? new int[ROW] : Arrays.copyOf(rows, length + ROW);
            more[length] = row.getStripe();
            more[length + 1] = row.getGeneration();
            more[length + 2] = packed;
            table.put(inode, more);
            rowCount++;
            byNode.get(node).addLong(inode);
        }
        toJudge.addLong(inode);
    }

    private void remove(ReplicaKey key) {
        long inode = key.getInode();
        int[] rows = table.get(inode);
        Integer node = nodeNumbers.get(key.getNode());
        int at =
                rows == null || node == null
                        ? -1
                        : find(rows, key.getStripe(), key.getGeneration(), node);
        if (rows == null || node == null || at < 0) {
            return;
        }
        rowCount--;
        toJudge.addLong(inode);
        if (rows.length == ROW) {
            table.remove(inode);
            byNode.get(node).removeLong(inode);
            return;
        }
        int[] fewer = new int[rows.length - ROW];
        System.arraycopy(rows, 0, fewer, 0, at);
        System.arraycopy(rows, at + ROW, fewer, at, fewer.length - at);
        table.put(inode, fewer);
        if (!holds(fewer, node)) {
            byNode.get(node).removeLong(inode);
        }
    }

    private void removeAll(long inode) {
        int[] rows = table.get(inode);
        if (rows == null) {
            return;
        }
        for (int i = 0; i < rows.length; i += ROW) {
            byNode.get(rows[i + 2] >> 3).removeLong(inode);
        }
        rowCount -= rows.length / ROW;
        table.remove(inode);
        toJudge.addLong(inode);
    }

    private static int find(int[] rows, int stripe, int generation, int node) {
        for (int i = 0; i < rows.length; i += ROW) {
            if (rows[i] == stripe && rows[i + 1] == generation && rows[i + 2] >> 3 == node) {
                return i;
            }
        }
        return -1;
    }

    private static boolean holds(int[] rows, int node) {
        for (int i = 0; i < rows.length; i += ROW) {
            if (rows[i + 2] >> 3 == node) {
                return true;
            }
        }
        return false;
    }

    private int number(String node) {
        Integer known = nodeNumbers.get(node);
        if (known != null) {
            return known;
        }
        nodeNames.add(node);
        nodeStates.add(NodeState.SUSPECT);
        nodeGroups.add("");
        byNode.add(new Roaring64Bitmap());
        nodeNumbers.put(node, nodeNames.size() - 1);
        return nodeNames.size() - 1;
    }

    /** All rows of the inode, of whatever generation. */
    public List<ReplicaImage> rows(long inode) {
        List<ReplicaImage> found = new ArrayList<>(2);
        int[] rows = table.get(inode);
        for (int i = 0; rows != null && i < rows.length; i += ROW) {
            found.add(image(inode, rows, i));
        }
        return found;
    }

    /** The rows of one object. */
    public List<ReplicaImage> rows(long inode, int stripe, int generation) {
        List<ReplicaImage> found = new ArrayList<>(2);
        int[] rows = table.get(inode);
        for (int i = 0; rows != null && i < rows.length; i += ROW) {
            if (rows[i] == stripe && rows[i + 1] == generation) {
                found.add(image(inode, rows, i));
            }
        }
        return found;
    }

    private ReplicaImage image(long inode, int[] rows, int at) {
        return ReplicaImage.newBuilder()
                .setInode(inode)
                .setStripe(rows[at])
                .setGeneration(rows[at + 1])
                .setNode(nodeNames.get(rows[at + 2] >> 3))
                .setStateValue(rows[at + 2] & 7)
                .build();
    }

    /**
     * The inodes of which the node has a row, in order, from {@code after} on; the action answers
     * false to stop. Rows must not change meanwhile.
     */
    public void inodesAt(String node, long after, java.util.function.LongPredicate action) {
        Integer number = nodeNumbers.get(node);
        if (number == null) {
            return;
        }
        LongIterator each = byNode.get(number).getLongIteratorFrom(after + 1);
        while (each.hasNext()) {
            if (!action.test(each.next())) {
                return;
            }
        }
    }

    /** How many inodes have a row at the node. */
    public long inodeCountAt(String node) {
        Integer number = nodeNumbers.get(node);
        return number == null ? 0 : byNode.get(number).getLongCardinality();
    }

    /** All inodes that have rows. */
    public long[] inodeNumbers() {
        long[] numbers = new long[table.size()];
        int[] n = {0};
        table.forEach(inode -> numbers[n[0]++] = inode);
        return numbers;
    }

    public void forEach(Consumer<ReplicaImage> action) {
        forEachInode(inode -> rows(inode).forEach(action));
    }

    /** Every inode that has rows. Rows must not change meanwhile. */
    public void forEachInode(LongConsumer action) {
        table.forEach(action);
    }

    public long rowCount() {
        return rowCount;
    }

    // ---- problems
    // ------------------------------------------------------------------------------------------------------------------------

    /** The node is in this state now: every file it holds is judged again. */
    public void nodeIs(String node, NodeState state) {
        int number = number(node);
        if (nodeStates.get(number) != state) {
            nodeStates.set(number, state);
            toJudge.or(byNode.get(number));
        }
    }

    /** The node belongs to this group: what it holds may lie where it should, or not. */
    public void nodeStands(String node, String group) {
        int number = number(node);
        if (!nodeGroups.get(number).equals(group)) {
            nodeGroups.set(number, group);
            toJudge.or(byNode.get(number));
        }
    }

    /** As last told; SUSPECT before. */
    public NodeState nodeState(String node) {
        Integer number = nodeNumbers.get(node);
        return number == null ? NodeState.SUSPECT : nodeStates.get(number);
    }

    public long unsettled() {
        return toJudge.getLongCardinality();
    }

    /** Judges up to so many files again. */
    public void settle(int limit) {
        for (int i = 0; i < limit && !toJudge.isEmpty(); i++) {
            long inode = toJudge.first();
            toJudge.removeLong(inode);
            judge(inode);
        }
    }

    private void judge(long inode) {
        Standing standing = standing(inode);
        matrix.put(inode, standing);
        for (Map.Entry<Problem, Roaring64Bitmap> index : problems.entrySet()) {
            set(index.getValue(), inode, standing != null && standing.has(index.getKey()));
        }
        boolean under = standing != null && standing.has(Problem.UNDER);
        for (int live = 0; live < LIVE_CLASSES; live++) {
            set(
                    underByLive[live],
                    inode,
                    under
                            && standing != null
                            && Math.min(standing.live(), LIVE_CLASSES - 1) == live);
        }
    }

    private static void set(Roaring64Bitmap index, long inode, boolean member) {
        if (member) {
            index.addLong(inode);
        } else {
            index.removeLong(inode);
        }
    }

    /**
     * How the file stands now; null if there is nothing to say: no rows, no file, or it is being
     * written.
     */
    public @Nullable Standing standing(long inode) {
        int[] rows = table.get(inode);
        Content content = rows == null ? null : files.content(inode);
        if (rows == null || content == null || files.isWritten(inode)) {
            return null;
        }
        int live = Integer.MAX_VALUE;
        Whereabouts reach = Whereabouts.HERE;
        int staying = Integer.MAX_VALUE;
        int most = 0;
        boolean corrupt = false;
        boolean leftover = false;
        boolean misplaced = false;
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            int stripeLive = 0;
            Whereabouts best = Whereabouts.NOWHERE;
            int stripeStaying = 0;
            boolean any = false;
            for (int i = 0; i < rows.length; i += ROW) {
                if (rows[i] != stripe || rows[i + 1] != content.generation()) {
                    leftover |= rows[i + 1] != content.generation();
                    continue;
                }
                any = true;
                NodeState state = nodeStates.get(rows[i + 2] >> 3);
                Whereabouts where = Whereabouts.of(rows[i + 2] & 7, state);
                best = where.compareTo(best) < 0 ? where : best;
                switch (rows[i + 2] & 7) {
                    case ReplicaState.VALID_VALUE -> {
                        stripeLive += where == Whereabouts.HERE ? 1 : 0;
                        stripeStaying += state.counts() ? 1 : 0;
                        leftover |= state == NodeState.DRAINING || state == NodeState.REMOVED;
                    }
                    case ReplicaState.CORRUPT_VALUE -> corrupt = true;
                    case ReplicaState.STALE_VALUE, ReplicaState.LOST_VALUE -> leftover = true;
                    default -> {}
                }
            }
            // An object never written to has no copies, and lacks none: of an empty file, and of a
            // stripe that a short or sparse file does not reach.
            if (any || (content.size() > 0 && content.stripes() == 1)) {
                live = Math.min(live, stripeLive);
                reach = best.compareTo(reach) > 0 ? best : reach;
                staying = Math.min(staying, stripeStaying);
                most = Math.max(most, stripeStaying);
                misplaced |= !content.groups().isEmpty() && isMisplaced(content, stripe, rows);
            }
        }
        return new Standing(content, live, reach, staying, most, corrupt, leftover, misplaced);
    }

    private boolean isMisplaced(Content content, int stripe, int[] rows) {
        Map<String, Integer> missing = Placement.groups(content.groups());
        for (int i = 0; i < rows.length; i += ROW) {
            int node = rows[i + 2] >> 3;
            if (rows[i] == stripe
                    && rows[i + 1] == content.generation()
                    && (rows[i + 2] & 7) == ReplicaState.VALID_VALUE
                    && nodeStates.get(node).counts()) {
                missing.computeIfPresent(nodeGroups.get(node), (group, left) -> left - 1);
            }
        }
        return missing.values().stream().anyMatch(left -> left > 0);
    }

    /** How many files have the problem. */
    public long count(Problem problem) {
        return index(problem).getLongCardinality();
    }

    /** Files with the problem, in order, after the given one. */
    public long[] list(Problem problem, long after, int limit) {
        return take(index(problem), after, limit);
    }

    /** Files that lack copies and have so many that can be read (the last class: or more). */
    long[] under(int live, long after, int limit) {
        return take(underByLive[live], after, limit);
    }

    long underCount(int live) {
        return underByLive[live].getLongCardinality();
    }

    static int liveClasses() {
        return LIVE_CLASSES;
    }

    /** Files by copies wanted and copies that can be read. */
    public ReplicaMatrix matrix() {
        return matrix;
    }

    static long[] take(Roaring64Bitmap index, long after, int limit) {
        LongIterator each = index.getLongIteratorFrom(after + 1);
        long[] found = new long[limit];
        int n = 0;
        while (n < limit && each.hasNext()) {
            found[n++] = each.next();
        }
        return Arrays.copyOf(found, n);
    }

    private Roaring64Bitmap index(Problem problem) {
        Roaring64Bitmap index = problems.get(problem);
        if (index == null) {
            throw new IllegalStateException("no index of " + problem);
        }
        return index;
    }
}
