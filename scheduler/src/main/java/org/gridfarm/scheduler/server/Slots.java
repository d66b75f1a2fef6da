package org.gridfarm.scheduler.server;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.placement.Demand;
import org.gridfarm.scheduler.placement.NodeSlots;
import org.gridfarm.scheduler.placement.Running;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The nodes as last heard of, and how much of each is taken. Owned by the event thread. */
final class Slots {
    private static final int REASONS_MAX = 8;

    private final Map<String, NodeInfo> nodes = new HashMap<>();
    private final Map<String, BitSet> taken = new HashMap<>(); // by number, from 1 on
    private final Map<String, Held> ofAttempt = new HashMap<>();
    private final Resources resources = new Resources();

    private record Held(
            long job, String node, BitSet slots, Needs needs, List<Integer> gpus, double since) {}

    void learn(List<NodeInfo> list) {
        nodes.clear();
        list.forEach(node -> nodes.put(node.getName(), node));
    }

    @Nullable NodeInfo find(String name) {
        return nodes.get(name);
    }

    /** Empty if it is not known. */
    String address(String name) {
        NodeInfo node = nodes.get(name);
        return node == null ? "" : node.getAddress();
    }

    /** As many as the task asks for; it is told the lowest number, and those of its GPUs. */
    void take(Task task, Needs needs, double nowSeconds) {
        BitSet ofNode = taken.computeIfAbsent(task.node(), _ -> new BitSet());
        BitSet own = new BitSet();
        int number = task.slot() > 0 && !ofNode.get(task.slot()) ? task.slot() : next(ofNode, 1);
        for (int i = 0; i < task.slots(); i++) {
            ofNode.set(number);
            own.set(number);
            number = next(ofNode, number);
        }
        List<Integer> gpus = resources.take(task.node(), needs, task.gpus());
        ofAttempt.put(
                task.attemptId(), new Held(task.job(), task.node(), own, needs, gpus, nowSeconds));
        task.hold(own.nextSetBit(1), gpus);
    }

    private static int next(BitSet taken, int from) {
        return taken.nextClearBit(from);
    }

    /** How many it had; none if it has given them back before. */
    int giveBack(String attempt) {
        Held own = ofAttempt.remove(attempt);
        if (own == null) {
            return 0;
        }
        BitSet ofNode = taken.get(own.node());
        if (ofNode != null) {
            ofNode.andNot(own.slots());
        }
        resources.giveBack(own.node(), own.needs(), own.gpus());
        return own.slots().cardinality();
    }

    /**
     * What runs, on which node, for how long.
     *
     * @param taskSeconds of the tasks of a job, by its number
     */
    List<Running> running(double nowSeconds, LongToDoubleFunction taskSeconds) {
        List<Running> running = new ArrayList<>();
        for (Held held : ofAttempt.values()) {
            running.add(
                    new Running(
                            held.node(),
                            held.slots().cardinality(),
                            nowSeconds - held.since(),
                            taskSeconds.applyAsDouble(held.job())));
        }
        return running;
    }

    /** Whether a node could run such a task if it ran nothing else. */
    boolean isAble(String name, Needs needs, int count) {
        NodeInfo node = nodes.get(name);
        return node != null && resources.neverRuns(node, needs, count) == null;
    }

    int taken() {
        return taken.values().stream().mapToInt(BitSet::cardinality).sum();
    }

    private int taken(String node) {
        BitSet ofNode = taken.get(node);
        return ofNode == null ? 0 : ofNode.cardinality();
    }

    /** Nodes that may run tasks now, with what is free on them. */
    List<NodeSlots> usable() {
        List<NodeSlots> usable = new ArrayList<>();
        for (NodeInfo node : nodes.values()) {
            if (isUsable(node)) {
                int room = node.getSlots() - taken(node.getName());
                usable.add(
                        new NodeSlots(
                                node.getName(),
                                node.getRack(),
                                Math.max(0, room),
                                node.getSlots()));
            }
        }
        return usable;
    }

    static boolean isUsable(NodeInfo node) {
        boolean serves = node.getState().equals("up") || node.getState().equals("readonly");
        return serves && node.getSlots() > 0;
    }

    boolean isUsable(NodePattern on) {
        return nodes.values().stream().anyMatch(node -> isUsable(node) && on.test(node));
    }

    /** What a job asks of nodes, by their names. */
    Demand demand(NodePattern on, NodePattern preferred, Needs needs) {
        return new Demand(
                name -> on.isAny() || is(name, on::test),
                name -> is(name, node -> resources.hasRoom(node, needs)),
                name -> !preferred.isAny() && is(name, preferred::test),
                needs.resources());
    }

    private boolean is(String name, Predicate<NodeInfo> so) {
        NodeInfo node = nodes.get(name);
        return node != null && so.test(node);
    }

    List<NodeInfo> all() {
        return List.copyOf(nodes.values());
    }

    Resources resources() {
        return resources;
    }

    /** NOT_FOUND if the farm has nodes and the job may run on none of them. */
    void requireNode(NodePattern on) {
        if (!nodes.isEmpty() && nodes.values().stream().noneMatch(on::test)) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "run on nodes",
                    on.glob(),
                    "no node or group has such a name; there are "
                            + nodes.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
    }

    /** INVALID if the farm has nodes and none of those named can ever run such a task. */
    void requireRoom(NodePattern on, Needs needs, int slots) {
        List<String> reasons = new ArrayList<>();
        for (NodeInfo node : nodes.values()) {
            if (on.test(node)) {
                String never = resources.neverRuns(node, needs, slots);
                if (never == null) {
                    return;
                }
                reasons.add(node.getName() + " " + never);
            }
        }
        if (!reasons.isEmpty()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "submit",
                    needs.words(slots),
                    "no node can ever run such a task: "
                            + reasons.stream()
                                    .sorted()
                                    .limit(REASONS_MAX)
                                    .collect(Collectors.joining(", "))
                            + (reasons.size() > REASONS_MAX ? ", ..." : ""));
        }
    }

    /** Why nothing of a job can start now. */
    String absent(NodePattern on) {
        String known =
                nodes.values().stream()
                        .filter(on::test)
                        .map(node ->
                                node.getName()
                                        + (node.getSlots() == 0
                                                ? " runs no tasks"
                                                : " is " + node.getState()))
                        .sorted()
                        .collect(Collectors.joining(", "));
        String wanted = on.isAny() ? "a node" : "a node or group named " + on.glob();
        return "waits for " + wanted + (known.isEmpty() ? ": there is none" : ": " + known);
    }
}
