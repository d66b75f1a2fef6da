package org.gridfarm.metaserver.replica;

import org.gridfarm.metaserver.replica.RepairEffect.Reason;
import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;

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
 *   in the wrong groups        copies are made where they are wanted; what is then too many is dropped where it is not
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

    private final ReplicaMap map;
    private final Files files;
    private final Placement placement;
    private final Supplier<List<NodeFacts>> nodes;
    private final Map<ObjectId, RepairEffect.Copy> running = new LinkedHashMap<>();
    private final Map<String, Integer> busy = new HashMap<>();
    private final Map<Long, Long> notBefore = new HashMap<>();
    private final long[] cursors = new long[ReplicaMap.liveClasses()];
    private final RepairRate rate = new RepairRate();
    private final RepairRate balanceRate = new RepairRate();
    private final ExtraCopies extra = new ExtraCopies();
    private final Trim trim;
    private final Balance balance;
    private RepairLimits limits = RepairLimits.USUAL;
    private boolean paused;
    private long misplacedCursor;

    /**
     * @param nodes the nodes as they are at the moment of asking
     */
    public RepairPlanner(
            ReplicaMap map, Files files, Placement placement, Supplier<List<NodeFacts>> nodes) {
        this.map = map;
        this.files = files;
        this.placement = placement;
        this.nodes = nodes;
        this.trim = new Trim(map, files, extra, this::isRunning);
        this.balance = new Balance(map, files);
    }

    public void limit(RepairLimits newLimits) {
        limits = newLimits;
        balance.reset();
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
            case RepairEvent.Finished finished -> finish(finished);
        };
    }

    private List<RepairEffect> finish(RepairEvent.Finished finished) {
        RepairEffect.Copy copy = finished.copy();
        if (running.remove(copy.object()) == null) {
            return List.of();
        }
        free(copy.target());
        free(copy.sources().getFirst());
        RepairRate counted = copy.reason() == Reason.BALANCE ? balanceRate : rate;
        counted.ended(finished.made() ? copy.bytes() : 0, finished.now());
        String from = balance.ended(copy.object(), finished.now());
        map.touched(copy.object().getInode());
        if (!finished.made()) {
            notBefore.put(copy.object().getInode(), finished.now() + RETRY_NANOS);
            return List.of();
        }
        return from == null ? List.of() : moved(copy.object(), from);
    }

    /** The second half of a move, unless a copy was lost meanwhile. */
    private List<RepairEffect> moved(ObjectId object, String from) {
        Content content = files.content(object.getInode());
        List<ReplicaImage> counting =
                Copies.counting(
                        map.rows(object.getInode(), object.getStripe(), object.getGeneration()),
                        nodes.get());
        if (content == null || counting.size() <= content.wanted()) {
            return List.of();
        }
        return counting.stream()
                .filter(row -> row.getNode().equals(from))
                .<RepairEffect>map(row -> new RepairEffect.Drop(row, "it has moved"))
                .toList();
    }

    private List<RepairEffect> tick(long now) {
        map.settle(SETTLED_PER_STEP);
        extra.expire(now);
        notBefore.values().removeIf(at -> now - at >= 0);
        List<RepairEffect> effects = new ArrayList<>();
        if (paused) {
            return effects;
        }
        List<NodeFacts> facts = nodes.get();
        repair(facts, now, effects);
        place(facts, now, effects);
        boolean repairing = !effects.isEmpty() || running.size() > balancing().size();
        trim.step(facts, effects);
        if (!repairing && map.unsettled() == 0 && limits.balances()) {
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
            while (examined < EXAMINED_PER_STEP && mayStart(now)) {
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
                    if (mayStart(now)) {
                        repair(inode, facts, now, effects);
                    }
                }
            }
        }
    }

    private boolean mayStart(long now) {
        return running.size() < limits.copies() && rate.mayStart(limits.bytesPerSecond(), now);
    }

    private void repair(long inode, List<NodeFacts> facts, long now, List<RepairEffect> effects) {
        Content content = files.content(inode);
        if (content == null || files.isWritten(inode) || notBefore.containsKey(inode)) {
            return;
        }
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> rows = map.rows(inode, stripe, content.generation());
            if (!rows.isEmpty() && Copies.counting(rows, facts).size() < content.wanted()) {
                startCopy(content, stripe, rows, facts, "", Reason.REPAIR, now, effects);
            }
        }
    }

    /** Files with enough copies, but not in the groups that are wanted. */
    private void place(List<NodeFacts> facts, long now, List<RepairEffect> effects) {
        long[] some = map.list(Problem.MISPLACED, misplacedCursor, EXAMINED_PER_STEP);
        misplacedCursor = some.length == 0 ? 0 : some[some.length - 1];
        for (long inode : some) {
            Content content = files.content(inode);
            if (content == null || files.isWritten(inode) || notBefore.containsKey(inode)) {
                continue;
            }
            for (int stripe = 0; stripe < content.stripes() && mayStart(now); stripe++) {
                place(content, stripe, facts, now, effects);
            }
        }
    }

    private void place(
            Content content,
            int stripe,
            List<NodeFacts> facts,
            long now,
            List<RepairEffect> effects) {
        List<ReplicaImage> rows = map.rows(content.inode(), stripe, content.generation());
        List<ReplicaImage> counting = Copies.counting(rows, facts);
        Map<String, Integer> missing = Placement.groups(content.groups());
        for (ReplicaImage row : counting) {
            NodeFacts node = Copies.find(facts, row.getNode());
            if (node != null) {
                missing.computeIfPresent(node.group(), (group, left) -> left - 1);
            }
        }
        if (counting.size() != content.wanted()
                || missing.values().stream().noneMatch(left -> left > 0)) {
            return;
        }
        List<NodeFacts> there =
                facts.stream().filter(n -> missing.getOrDefault(n.group(), 0) > 0).toList();
        List<NodeFacts> asked = new ArrayList<>(there);
        facts.stream()
                .filter(n -> rows.stream().anyMatch(row -> row.getNode().equals(n.name())))
                .filter(n -> !there.contains(n))
                .forEach(asked::add);
        startCopy(content, stripe, rows, asked, "", Reason.REPAIR, now, effects);
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
            Reason reason,
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
        boolean throttled = reason != Reason.REQUEST;
        if (sources.isEmpty() || (throttled && isBusy(sources.getFirst()))) {
            return false;
        }
        Placement.Wish wish = wish(content, stripe, rows, facts, only, throttled);
        Placement.Plan plan = placement.plan(wish, facts);
        if (plan.nodes().isEmpty()) {
            if (throttled && only.isEmpty() && !makeRoom(rows, facts, effects)) {
                notBefore.put(content.inode(), now + RETRY_NANOS);
            }
            return false;
        }
        if (wish.occupied().contains(plan.nodes().getFirst())) {
            return false; // better a little later than in a worse place for good
        }
        RepairEffect.Copy copy =
                new RepairEffect.Copy(
                        object, plan.nodes().getFirst(), sources, content.objectBytes(), reason);
        running.put(object, copy);
        busy.merge(copy.target(), 1, Integer::sum);
        busy.merge(sources.getFirst(), 1, Integer::sum);
        if (reason == Reason.BALANCE) {
            balanceRate.started(copy.bytes(), limits.balanceBytesPerSecond(), now);
        } else {
            rate.started(copy.bytes(), limits.bytesPerSecond(), now);
        }
        effects.add(copy);
        return true;
    }

    /**
     * Where every node that could take a copy has a bad one, that goes first; the good one that can
     * be read is its reason.
     */
    private static boolean makeRoom(
            List<ReplicaImage> rows, List<NodeFacts> facts, List<RepairEffect> effects) {
        for (ReplicaImage row : rows) {
            NodeFacts node = Copies.find(facts, row.getNode());
            boolean bad =
                    row.getState() == ReplicaState.STALE || row.getState() == ReplicaState.CORRUPT;
            if (bad && node != null && node.state().takesNew()) {
                effects.add(new RepairEffect.Drop(row, "bad, and to be made again there"));
                return true;
            }
        }
        return false;
    }

    /** Readable good holders, the least busy first. */
    private List<String> sources(List<ReplicaImage> rows, List<NodeFacts> facts) {
        List<String> sources = new ArrayList<>();
        Copies.readable(rows, facts).forEach(row -> sources.add(row.getNode()));
        sources.sort(Comparator.comparingInt(name -> busy.getOrDefault(name, 0)));
        return sources;
    }

    /**
     * Copies on nodes that are leaving keep their node from getting another, but do not count for
     * spread and groups.
     */
    private Placement.Wish wish(
            Content content,
            int stripe,
            List<ReplicaImage> rows,
            List<NodeFacts> facts,
            String only,
            boolean throttled) {
        Set<String> holding = new HashSet<>();
        Map<String, String> excluded = new HashMap<>();
        for (ReplicaImage row : rows) {
            NodeFacts node = Copies.find(facts, row.getNode());
            if (row.getState() == ReplicaState.VALID && node != null && node.state().counts()) {
                holding.add(row.getNode());
            } else {
                excluded.put(row.getNode(), "has a copy that does not count");
            }
        }
        Set<String> occupied = new HashSet<>();
        for (NodeFacts node : facts) {
            if (throttled && (isBusy(node.name()) || node.state() == NodeState.SUSPECT)) {
                occupied.add(node.name());
            }
            if (!only.isEmpty() && !node.name().equals(only)) {
                excluded.putIfAbsent(node.name(), "is not the one in question");
            }
        }
        return new Placement.Wish(
                1,
                content.groups(),
                holding,
                excluded,
                "",
                content.objectBytes(),
                otherStripes(content, stripe),
                occupied);
    }

    private Map<String, Integer> otherStripes(Content content, int stripe) {
        if (content.stripes() == 1) {
            return Map.of();
        }
        Map<String, Integer> there = new HashMap<>();
        for (ReplicaImage row : map.rows(content.inode())) {
            if (row.getGeneration() == content.generation() && row.getStripe() != stripe) {
                there.merge(row.getNode(), 1, Integer::sum);
            }
        }
        return there;
    }

    private boolean isBusy(String node) {
        return busy.getOrDefault(node, 0) >= limits.copiesPerNode();
    }

    private void free(String node) {
        busy.computeIfPresent(node, (n, count) -> count == 1 ? null : count - 1);
    }

    private boolean isRunning(long inode) {
        for (ObjectId object : running.keySet()) {
            if (object.getInode() == inode) {
                return true;
            }
        }
        return false;
    }

    // ---- what people ask for
    // -------------------------------------------------------------------------------------------------------------

    /**
     * Copies of the file's objects at the node, if it may have them, whatever the level says; those
     * it has, or that are being made somewhere, are passed over.
     */
    public List<RepairEffect> copyTo(long inode, String node, long now) {
        List<RepairEffect> effects = new ArrayList<>();
        Content content = files.content(inode);
        if (content == null || files.isWritten(inode)) {
            return effects;
        }
        List<NodeFacts> facts = nodes.get();
        for (int stripe = 0; stripe < content.stripes(); stripe++) {
            List<ReplicaImage> rows = map.rows(inode, stripe, content.generation());
            startCopy(content, stripe, rows, facts, node, Reason.REQUEST, now, effects);
        }
        return effects;
    }

    /** A copy there is no surplus until then, whatever the level says. */
    public void keep(long inode, String node, long untilNanos) {
        extra.keep(inode, node, untilNanos);
    }

    /** Nobody has use for it any more. */
    public void letGo(long inode, String node) {
        extra.letGo(inode, node);
        map.touched(inode);
    }

    /** What becomes too many by a copy that somebody asked for: never that one. */
    public List<RepairEffect.Drop> surplusBeside(ObjectId object, String node) {
        Content content = files.content(object.getInode());
        List<NodeFacts> facts = nodes.get();
        List<RepairEffect.Drop> drops = new ArrayList<>();
        if (content == null
                || content.generation() != object.getGeneration()
                || extra.has(object.getInode(), node)) {
            return drops;
        }
        List<ReplicaImage> others =
                Copies.counting(
                        map.rows(object.getInode(), object.getStripe(), object.getGeneration()),
                        facts);
        others.removeIf(
                row -> row.getNode().equals(node) || extra.has(row.getInode(), row.getNode()));
        while (others.size() >= content.wanted() && !others.isEmpty()) {
            ReplicaImage surplus = Surplus.choose(others, content, facts);
            others.remove(surplus);
            drops.add(new RepairEffect.Drop(surplus, "a copy elsewhere was asked for"));
        }
        return drops;
    }

    /** Somebody waits for the file: it is looked at again at once. */
    public void hurry(long inode) {
        notBefore.remove(inode);
        map.touched(inode);
    }

    // ---- balance
    // -------------------------------------------------------------------------------------------------------------------------

    private void balance(List<NodeFacts> facts, long now, List<RepairEffect> effects) {
        double spread = limits.balanceSpread();
        balance.step(
                facts,
                spread,
                now,
                (content, stripe, rows, to) -> {
                    List<String> sources = sources(rows, facts);
                    if (notBefore.containsKey(content.inode()) || sources.isEmpty()) {
                        return Balance.Begun.NEVER;
                    }
                    if (running.size() >= limits.copies()
                            || isBusy(to)
                            || isBusy(sources.getFirst())
                            || !balanceRate.mayStart(limits.balanceBytesPerSecond(), now)) {
                        return Balance.Begun.NOT_NOW;
                    }
                    return startCopy(content, stripe, rows, facts, to, Reason.BALANCE, now, effects)
                            ? Balance.Begun.YES
                            : Balance.Begun.NEVER;
                });
    }

    private List<RepairEffect.Copy> balancing() {
        return running.values().stream().filter(c -> c.reason() == Reason.BALANCE).toList();
    }

    /** What evening out takes. */
    public BalanceEstimate balanceEstimate(RepairLimits wanted) {
        List<NodeFacts> facts = nodes.get();
        return BalanceEstimate.of(
                facts,
                wanted.balanceSpread(),
                balanceRate.bytesPerSecond(wanted.balanceBytesPerSecond()));
    }

    /** Nothing is left to move, and nothing is being moved. */
    public boolean isBalanced() {
        return balancing().isEmpty()
                && (balance.isExhausted()
                        || Balance.pair(nodes.get(), limits.balanceSpread()) == null);
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
    public RepairEstimate estimate(int examinedMax) {
        return RepairEstimate.of(
                map, files, examinedMax, rate.bytesPerSecond(limits.bytesPerSecond()));
    }

    /** What draining the node would take, without beginning it. */
    public DrainEstimate drainEstimate(String node) {
        return DrainEstimate.of(
                node,
                map,
                files,
                placement,
                nodes.get(),
                rate.bytesPerSecond(limits.bytesPerSecond()));
    }
}
