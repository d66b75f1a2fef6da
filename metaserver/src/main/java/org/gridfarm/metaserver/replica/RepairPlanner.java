package org.gridfarm.metaserver.replica;

import org.gridfarm.metaserver.namespace.Content;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Repair, drain, trim and balance: one planner over the index of {@link ReplicaMap}. Owned by the
 * event thread; pure but for the dice of placement.
 *
 * <pre>
 *   fewest live copies first   files that lack copies get them; copies on a draining or down node do not count, so a drain is a repair
 *   enough good copies         stale, corrupt and superseded rows, and copies on nodes that are leaving, are dropped
 *   too many                   surplus copies are dropped, from the fullest node first, never a rack's only one while another rack has two
 *   nothing to repair          content moves from the fullest to the emptiest node; what is then too many is dropped at the fullest
 * </pre>
 *
 * All that must outlive a restart is in the rows: a new leader's planner finds the same work.
 */
public final class RepairPlanner {
    /** A file that could not be helped is not looked at again before this. */
    private static final long RETRY_NANOS = 5_000_000_000L;

    /** Files looked at in one step: about a millisecond. */
    private static final int EXAMINED_PER_STEP = 1_000;

    /** Judged again in one step, see {@link ReplicaMap#settle}: about ten milliseconds. */
    private static final int SETTLED_PER_STEP = 20_000;

    /** Rows dropped in one step, so that a trim does not flood the journal. */
    private static final int DROPS_PER_STEP = 1_000;

    private final ReplicaMap map;
    private final Files files;
    private final Placement placement;
    private final Supplier<List<NodeFacts>> nodes;
    private final Map<ObjectId, RepairEffect.Copy> running = new LinkedHashMap<>();
    private final Map<String, Integer> busy = new HashMap<>();
    private final Map<Long, Long> notBefore = new HashMap<>();
    private final long[] cursors = new long[ReplicaMap.liveClasses()];
    private final RepairRate rate = new RepairRate();
    private RepairLimits limits = RepairLimits.USUAL;
    private boolean paused;
    private long leftoverCursor;
    private long overCursor;
    private long balanceCursor;

    /**
     * @param nodes the nodes as they are at the moment of asking
     */
    public RepairPlanner(
            ReplicaMap map, Files files, Placement placement, Supplier<List<NodeFacts>> nodes) {
        this.map = map;
        this.files = files;
        this.placement = placement;
        this.nodes = nodes;
    }

    public void limit(RepairLimits newLimits) {
        limits = newLimits;
    }

    public RepairLimits limits() {
        return limits;
    }

    /** While paused, nothing new is begun. */
    public void pause(boolean pause) {
        paused = pause;
    }

    public List<RepairEffect> step(RepairEvent event) {
        return switch (event) {
            case RepairEvent.Tick tick -> tick(tick.now());
            case RepairEvent.Finished finished -> {
                finish(finished);
                yield List.of();
            }
        };
    }

    private void finish(RepairEvent.Finished finished) {
        RepairEffect.Copy copy = finished.copy();
        if (running.remove(copy.object()) == null) {
            return;
        }
        free(copy.target());
        free(copy.sources().getFirst());
        if (finished.made()) {
            rate.copied(copy.bytes(), finished.now());
        } else {
            notBefore.put(copy.object().getInode(), finished.now() + RETRY_NANOS);
        }
        map.touched(copy.object().getInode());
    }

    private List<RepairEffect> tick(long now) {
        map.settle(SETTLED_PER_STEP);
        notBefore.values().removeIf(at -> now - at >= 0);
        List<RepairEffect> effects = new ArrayList<>();
        if (paused) {
            return effects;
        }
        List<NodeFacts> facts = nodes.get();
        repair(facts, now, effects);
        drop(facts, effects);
        if (effects.isEmpty() && running.isEmpty() && map.unsettled() == 0) {
            balance(facts, now, effects);
        }
        return effects;
    }

    // ---- repair
    // --------------------------------------------------------------------------------------------------------------------------

    private void repair(List<NodeFacts> facts, long now, List<RepairEffect> effects) {
        int examined = 0;
        // class 0 has nothing to copy from; it comes back by itself when a holder returns
        for (int live = 1; live < cursors.length; live++) {
            boolean wrapped = cursors[live] == 0;
            while (examined < EXAMINED_PER_STEP
                    && running.size() < limits.copies()
                    && rate.mayStart(limits, now)) {
                long[] some = map.under(live, cursors[live], 64);
                if (some.length == 0) {
                    cursors[live] = 0;
                    if (wrapped) {
                        break;
                    }
                    wrapped = true;
                    continue;
                }
                for (long inode : some) {
                    cursors[live] = inode;
                    examined++;
                    if (running.size() < limits.copies() && rate.mayStart(limits, now)) {
                        repair(inode, facts, now, effects);
                    }
                }
            }
        }
    }

    private void repair(long inode, List<NodeFacts> facts, long now, List<RepairEffect> effects) {
        if (notBefore.containsKey(inode)) {
            return;
        }
        Content content = files.content(inode);
        if (content == null || files.isWritten(inode)) {
            return;
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> rows = map.rows(inode, stripe, content.generation());
            if (!rows.isEmpty() && counting(rows, facts).size() < content.wanted()) {
                startCopy(
                        content, stripe, rows, facts, "", RepairEffect.Reason.REPAIR, now, effects);
            }
        }
    }

    /** The good copies that count for the level. */
    private static List<ReplicaImage> counting(List<ReplicaImage> rows, List<NodeFacts> facts) {
        List<ReplicaImage> counting = new ArrayList<>();
        for (ReplicaImage row : rows) {
            NodeFacts node = find(facts, row.getNode());
            if (row.getState() == ReplicaState.VALID && node != null && node.state().counts()) {
                counting.add(row);
            }
        }
        return counting;
    }

    /**
     * @param only the one target in question; empty: whatever placement says
     */
    private boolean startCopy(
            Content content,
            int stripe,
            List<ReplicaImage> rows,
            List<NodeFacts> facts,
            String only,
            RepairEffect.Reason reason,
            long now,
            List<RepairEffect> effects) {
        ObjectId object =
                ObjectId.newBuilder()
                        .setInode(content.inode())
                        .setStripe(stripe)
                        .setGeneration(content.generation())
                        .build();
        if (running.containsKey(object)) {
            return false;
        }
        List<String> sources = sources(rows, facts);
        if (sources.isEmpty() || isBusy(sources.getFirst())) {
            return false;
        }
        Placement.Wish wish = wish(content, rows, facts, only);
        Placement.Plan plan = placement.plan(wish, facts);
        if (plan.nodes().isEmpty()) {
            if (!isBusyEverywhere(plan)) {
                notBefore.put(content.inode(), now + RETRY_NANOS);
            }
            return false;
        }
        RepairEffect.Copy copy =
                new RepairEffect.Copy(
                        object, plan.nodes().getFirst(), sources, content.objectBytes(), reason);
        running.put(object, copy);
        busy.merge(copy.target(), 1, Integer::sum);
        busy.merge(sources.getFirst(), 1, Integer::sum);
        rate.started(copy.bytes(), limits, now);
        effects.add(copy);
        return true;
    }

    private static boolean isBusyEverywhere(Placement.Plan plan) {
        return plan.judgements().stream().anyMatch(j -> j.reason().equals(BUSY));
    }

    private static final String BUSY = "is busy with other copies";

    /** Readable good holders, the least busy first. */
    private List<String> sources(List<ReplicaImage> rows, List<NodeFacts> facts) {
        List<String> sources = new ArrayList<>();
        for (ReplicaImage row : rows) {
            NodeFacts node = find(facts, row.getNode());
            if (row.getState() == ReplicaState.VALID && node != null && node.state().isReadable()) {
                sources.add(row.getNode());
            }
        }
        sources.sort(Comparator.comparingInt(name -> busy.getOrDefault(name, 0)));
        return sources;
    }

    /**
     * Copies on nodes that are leaving keep their node from getting another, but do not count for
     * spread and groups.
     */
    private Placement.Wish wish(
            Content content, List<ReplicaImage> rows, List<NodeFacts> facts, String only) {
        Set<String> holding = new HashSet<>();
        Map<String, String> excluded = new HashMap<>();
        for (ReplicaImage row : rows) {
            NodeFacts node = find(facts, row.getNode());
            if (row.getState() == ReplicaState.VALID && node != null && node.state().counts()) {
                holding.add(row.getNode());
            } else {
                excluded.put(row.getNode(), "has a copy that does not count");
            }
        }
        for (NodeFacts node : facts) {
            if (isBusy(node.name())) {
                excluded.putIfAbsent(node.name(), BUSY);
            } else if (!only.isEmpty() && !node.name().equals(only)) {
                excluded.putIfAbsent(node.name(), "is not the emptiest");
            }
        }
        return new Placement.Wish(
                1, content.groups(), holding, excluded, "", content.objectBytes());
    }

    private boolean isBusy(String node) {
        return busy.getOrDefault(node, 0) >= limits.copiesPerNode();
    }

    private void free(String node) {
        busy.computeIfPresent(node, (n, count) -> count == 1 ? null : count - 1);
    }

    private static @Nullable NodeFacts find(List<NodeFacts> facts, String name) {
        for (NodeFacts node : facts) {
            if (node.name().equals(name)) {
                return node;
            }
        }
        return null;
    }

    // ---- drop
    // ----------------------------------------------------------------------------------------------------------------------------

    private void drop(List<NodeFacts> facts, List<RepairEffect> effects) {
        int before = effects.size();
        long[] some = map.list(Problem.LEFTOVER, leftoverCursor, EXAMINED_PER_STEP);
        leftoverCursor = some.length == 0 ? 0 : some[some.length - 1];
        for (long inode : some) {
            if (effects.size() - before < DROPS_PER_STEP) {
                dropLeftovers(inode, facts, effects);
            }
        }
        some = map.list(Problem.OVER, overCursor, EXAMINED_PER_STEP);
        overCursor = some.length == 0 ? 0 : some[some.length - 1];
        for (long inode : some) {
            if (effects.size() - before < DROPS_PER_STEP) {
                trim(inode, facts, effects);
            }
        }
    }

    /** The map may be behind; the rows decide. */
    private void dropLeftovers(long inode, List<NodeFacts> facts, List<RepairEffect> effects) {
        Standing standing = map.standing(inode);
        if (standing == null || !standing.has(Problem.LEFTOVER) || isRunning(inode)) {
            return;
        }
        for (ReplicaImage row : map.rows(inode)) {
            String reason = leftoverReason(row, standing.content());
            if (!reason.isEmpty()
                    && (row.getState() != ReplicaState.VALID
                            || isSpare(row, standing.content(), facts))) {
                effects.add(new RepairEffect.Drop(row, reason));
            }
        }
    }

    /** Old content, or content that can be read now from a copy that stays. */
    private boolean isSpare(ReplicaImage row, Content content, List<NodeFacts> facts) {
        return row.getGeneration() != content.generation()
                || readable(
                                counting(
                                        map.rows(
                                                row.getInode(),
                                                row.getStripe(),
                                                row.getGeneration()),
                                        facts),
                                facts)
                        > 0;
    }

    private String leftoverReason(ReplicaImage row, Content content) {
        if (row.getGeneration() != content.generation()) {
            return "superseded";
        }
        if (row.getState() == ReplicaState.STALE || row.getState() == ReplicaState.CORRUPT) {
            return row.getState() == ReplicaState.STALE ? "stale" : "corrupt";
        }
        if (row.getState() != ReplicaState.VALID) {
            return "";
        }
        // A node that is down may come back with a good copy; until it is removed its rows may stay
        // as spares that do not count.
        NodeState state = map.nodeState(row.getNode());
        return state == NodeState.DRAINING || state == NodeState.REMOVED
                ? "its node is leaving"
                : "";
    }

    private boolean isRunning(long inode) {
        for (ObjectId object : running.keySet()) {
            if (object.getInode() == inode) {
                return true;
            }
        }
        return false;
    }

    private void trim(long inode, List<NodeFacts> facts, List<RepairEffect> effects) {
        Content content = files.content(inode);
        if (content == null || files.isWritten(inode) || isRunning(inode)) {
            return;
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> counting =
                    counting(map.rows(inode, stripe, content.generation()), facts);
            while (counting.size() > content.wanted() && readable(counting, facts) > 0) {
                ReplicaImage surplus = Surplus.choose(counting, content, facts);
                counting.remove(surplus);
                effects.add(new RepairEffect.Drop(surplus, "more copies than wanted"));
            }
        }
    }

    private static int readable(List<ReplicaImage> rows, List<NodeFacts> facts) {
        int readable = 0;
        for (ReplicaImage row : rows) {
            NodeFacts node = find(facts, row.getNode());
            readable += node != null && node.state().isReadable() ? 1 : 0;
        }
        return readable;
    }

    // ---- balance
    // -------------------------------------------------------------------------------------------------------------------------

    private void balance(List<NodeFacts> facts, long now, List<RepairEffect> effects) {
        List<NodeFacts> sorted =
                facts.stream()
                        .filter(n -> n.state() == NodeState.UP && n.capacity() > 0)
                        .sorted(Comparator.comparingDouble(NodeFacts::freeShare))
                        .toList();
        if (sorted.size() < 2) {
            return;
        }
        NodeFacts fullest = sorted.getFirst();
        NodeFacts emptiest = sorted.getLast();
        if (emptiest.freeShare() - fullest.freeShare() <= limits.balanceSpread()) {
            return;
        }
        int[] examined = {0};
        long[] last = {0};
        List<Long> movable = new ArrayList<>();
        map.inodesAt(
                fullest.name(),
                balanceCursor,
                inode -> {
                    last[0] = inode;
                    movable.add(inode);
                    return ++examined[0] < EXAMINED_PER_STEP;
                });
        balanceCursor = examined[0] < EXAMINED_PER_STEP ? 0 : last[0];
        for (long inode : movable) {
            if (running.size() >= limits.copies()
                    || isBusy(emptiest.name())
                    || !rate.mayStart(limits, now)) {
                return;
            }
            move(inode, fullest.name(), emptiest.name(), facts, now, effects);
        }
    }

    private void move(
            long inode,
            String from,
            String to,
            List<NodeFacts> facts,
            long now,
            List<RepairEffect> effects) {
        Content content = files.content(inode);
        if (content == null
                || files.isWritten(inode)
                || content.size() == 0
                || notBefore.containsKey(inode)) {
            return;
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> rows = map.rows(inode, stripe, content.generation());
            if (wouldLeave(rows, from, to, content, facts)) {
                startCopy(
                        content,
                        stripe,
                        rows,
                        facts,
                        to,
                        RepairEffect.Reason.BALANCE,
                        now,
                        effects);
            }
        }
    }

    /**
     * Whether trimming would, after the copy, take the one at the fullest node; else the copy would
     * be in vain.
     */
    private static boolean wouldLeave(
            List<ReplicaImage> rows,
            String from,
            String to,
            Content content,
            List<NodeFacts> facts) {
        List<ReplicaImage> after = counting(rows, facts);
        boolean held = after.stream().anyMatch(row -> row.getNode().equals(from));
        boolean there = rows.stream().anyMatch(row -> row.getNode().equals(to));
        if (!held || there || after.size() != content.wanted()) {
            return false;
        }
        after.add(after.getFirst().toBuilder().setNode(to).build());
        return Surplus.choose(after, content, facts).getNode().equals(from);
    }

    // ---- telling
    // -------------------------------------------------------------------------------------------------------------------------

    public int running() {
        return running.size();
    }

    public List<RepairEffect.Copy> runningCopies() {
        return List.copyOf(running.values());
    }

    /**
     * What is left to do and how long it will take at the rate of the last minute. Counts up to so
     * many files, and extrapolates from them.
     */
    public RepairEstimate estimate(int examinedMax, long now) {
        return RepairEstimate.of(map, files, examinedMax, rate.bytesPerSecond(limits, now));
    }

    /** What draining the node would take, without beginning it. */
    public DrainEstimate drainEstimate(String node, long now) {
        return DrainEstimate.of(
                node, map, files, placement, nodes.get(), rate.bytesPerSecond(limits, now));
    }
}
