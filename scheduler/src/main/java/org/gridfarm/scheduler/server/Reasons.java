package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.NodeVerdict;
import org.gridfarm.protocol.wire.WhyJobReply;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.placement.NodeSlots;
import org.gridfarm.scheduler.placement.Round;
import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What speaks for and against each node for a task that waits, by the same figures that place it.
 * For one moment, on the event thread.
 */
final class Reasons {
    private static final double NEVER = -1;

    private final Slots slots;
    private final Queue queue;
    private final double nowSeconds;
    private final Round round;
    private final Map<String, NodeSlots> usable = new HashMap<>();

    Reasons(Slots slots, Queue queue, double nowSeconds) {
        this.slots = slots;
        this.queue = queue;
        this.nowSeconds = nowSeconds;
        List<NodeSlots> now = slots.usable();
        this.round = new Round(now);
        now.forEach(node -> usable.put(node.name(), node));
    }

    /**
     * @param number of the task, from 1 on; 0 for the next that waits
     */
    WhyJobReply of(Job job, int number) {
        Task task =
                number == 0
                        ? job.tasks().stream()
                                .filter(one -> one.state() == TaskState.PENDING)
                                .findFirst()
                                .orElse(null)
                        : job.tasks().get(number - 1);
        WhyJobReply.Builder reply =
                WhyJobReply.newBuilder().setSummary(summary(job, task, number > 0));
        if (task != null) {
            reply.setTask(task.index() + 1).setArgument(task.info(false).getArgument());
        }
        if (task == null || task.state() != TaskState.PENDING) {
            return reply.build();
        }
        reply.setInputBytes(task.inputBytes());
        queue.find(job)
                .ifPresent(waiting -> {
                    reply.setTaskSeconds(waiting.costs.taskSeconds());
                    slots.all().stream()
                            .map(node -> verdict(waiting, task, node))
                            .sorted(BEST_FIRST)
                            .forEach(reply::addNodes);
                });
        return reply.build();
    }

    private static final Comparator<NodeVerdict> BEST_FIRST =
            Comparator.<NodeVerdict>comparingDouble(verdict ->
                            verdict.getWaitSeconds() < 0
                                    ? Double.POSITIVE_INFINITY
                                    : verdict.getWaitSeconds() + verdict.getReadSeconds())
                    .thenComparing(verdict -> -verdict.getBytesHeld())
                    .thenComparing(NodeVerdict::getNode);

    private String summary(Job job, @Nullable Task task, boolean isOne) {
        if (task == null) {
            return job.isDone()
                    ? "it has ended: " + job.state()
                    : job.runningCount() + " of its tasks run, none waits";
        }
        String why = queue.why(job, nowSeconds);
        return switch (task.state()) {
            case PENDING ->
                    (isOne || job.runningCount() == 0
                                    ? ""
                                    : "%d of its tasks run; the next "
                                            .formatted(job.runningCount()))
                            + (why.isEmpty() ? "starts" : why)
                            + (task.reason().isEmpty() ? "" : "; before: " + task.reason());
            case RUNNING -> "runs on " + task.node();
            case SUCCEEDED, FAILED, CANCELLED ->
                    task.state().word()
                            + (task.node().isEmpty() ? "" : " on " + task.node())
                            + (task.reason().isEmpty() ? "" : ": " + task.reason());
        };
    }

    private NodeVerdict verdict(Queue.Waiting waiting, Task task, NodeInfo node) {
        String name = node.getName();
        Map<String, Long> known = task.holders();
        Map<String, Long> holders = known == null ? Map.of() : known;
        long held = holders.getOrDefault(name, 0L);
        NodeSlots free = usable.get(name);
        boolean isAllowed = waiting.demand.allowed().test(name);
        double wait = round.waitSeconds(waiting.backlog, name, waiting.demand, waiting.costs);
        Needs needs = Needs.of(waiting.job.request());
        String never = slots.resources().neverRuns(node, needs, task.slots());
        NodeVerdict.Builder verdict =
                NodeVerdict.newBuilder()
                        .setNode(name)
                        .setRack(node.getRack())
                        .setState(node.getState())
                        .setSlots(node.getSlots())
                        .setFreeSlots(free == null ? 0 : free.free())
                        .setBytesHeld(held)
                        .setReadSeconds(waiting.costs.remoteReadSeconds(task.inputBytes() - held))
                        .setWaitSeconds(never != null || Double.isInfinite(wait) ? NEVER : wait);
        if (held > 0) {
            verdict.addInFavour(
                    held >= task.inputBytes() ? "holds all its input" : "holds part of its input");
        } else {
            Set<String> near = inRack(node, holders.keySet());
            if (!near.isEmpty()) {
                verdict.addInFavour(
                        "in one rack with " + String.join(", ", near) + ", which holds input");
            }
        }
        if (waiting.demand.preferred().test(name)) {
            verdict.addInFavour("preferred");
        }
        if (!isAllowed) {
            verdict.addAgainst("is not named by --on " + waiting.on.glob());
        }
        if (never != null) {
            verdict.addAgainst(never);
        } else if (free == null) {
            verdict.addAgainst("is " + node.getState());
        } else {
            if (free.free() < task.slots()) {
                verdict.addAgainst(
                        "%d of %d slots are taken%s"
                                .formatted(
                                        free.slots() - free.free(),
                                        free.slots(),
                                        task.slots() > 1 ? ", it needs " + task.slots() : ""));
            }
            verdict.addAllAgainst(slots.resources().lacks(node, needs));
            queue.large().against(name, waiting).ifPresent(verdict::addAgainst);
        }
        if (known == null) {
            verdict.addAgainst("its input has not been located yet");
        }
        return verdict.build();
    }

    private Set<String> inRack(NodeInfo node, Set<String> holders) {
        return slots.all().stream()
                .filter(other -> holders.contains(other.getName()))
                .filter(other ->
                        !node.getRack().isEmpty() && other.getRack().equals(node.getRack()))
                .map(NodeInfo::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
