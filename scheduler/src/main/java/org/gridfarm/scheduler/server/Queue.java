package org.gridfarm.scheduler.server;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.placement.Backlog;
import org.gridfarm.scheduler.placement.Costs;
import org.gridfarm.scheduler.placement.Demand;
import org.gridfarm.scheduler.placement.FairShare;
import org.gridfarm.scheduler.placement.Placed;
import org.gridfarm.scheduler.placement.Round;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The jobs that have tasks waiting, by user, and the order in which free slots are given to them:
 * the user who has had least of late comes first; among his own jobs the one with the highest
 * priority, then the oldest. A job that can use none of the free slots holds nobody else back.
 *
 * <p>What a slot costs depends on how many users and nodes there are, not on how many tasks wait: a
 * job hands out a window of its tasks. Owned by the event thread.
 */
final class Queue {
    /** What the queue knows of a job: the tasks at hand, and how long they take. */
    static final class Waiting {
        final Job job;
        final NodePattern on;
        final Demand demand;
        final Backlog<Task> backlog = new Backlog<>();
        final Set<Task> locating = new HashSet<>();
        Costs costs;
        String problem = ""; // with locating its input
        boolean isSpreading; // copies of its input are being made, for which it waits
        String before = ""; // the jobs that it waits for, in words
        final Needs needs;

        Waiting(Job job, Costs costs, Slots slots) {
            this.job = job;
            this.on = NodePattern.of(job.request().getNodePattern());
            NodePattern preferred = NodePattern.of(job.request().getPrefer());
            this.needs = Needs.of(job.request());
            this.demand = slots.demand(on, preferred, needs);
            this.costs = costs;
            this.isSpreading = job.request().getSpread();
        }

        Costs placing() {
            return isSpreading ? costs.localOnly() : costs;
        }

        /** One of its tasks may start if there is room for it. */
        boolean isStartable() {
            return before.isEmpty() && !job.isHeld() && job.room() > 0 && !backlog.isEmpty();
        }
    }

    private static final Comparator<Waiting> ORDER =
            Comparator.<Waiting>comparingInt(one -> -one.job.request().getPriority())
                    .thenComparingLong(one -> one.job.id());

    private final FairShare share;
    private final Slots slots;
    private final Map<Long, Waiting> byJob = new HashMap<>();
    private final Map<String, TreeSet<Waiting>> byUser = new TreeMap<>();
    private final LargeTasks large;
    private Costs costs = Costs.UNMEASURED;

    Queue(FairShare share, Slots slots) {
        this.share = share;
        this.slots = slots;
        this.large = new LargeTasks(slots, this::taskSeconds);
    }

    /** The task that a node is kept for. */
    LargeTasks large() {
        return large;
    }

    private double taskSeconds(long job) {
        Waiting waiting = byJob.get(job);
        return (waiting == null ? costs : waiting.costs).taskSeconds();
    }

    /** From now on until {@link #remove}. */
    Waiting add(Job job) {
        Waiting waiting = byJob.computeIfAbsent(job.id(), _ -> new Waiting(job, costs, slots));
        update(waiting);
        return waiting;
    }

    void remove(Job job) {
        Waiting waiting = byJob.remove(job.id());
        if (waiting != null) {
            leave(waiting);
            large.forget(waiting);
        }
    }

    Optional<Waiting> find(Job job) {
        return Optional.ofNullable(byJob.get(job.id()));
    }

    /** After a job has got or lost tasks that wait. */
    void update(Waiting waiting) {
        if (waiting.job.hasPending()) {
            byUser.computeIfAbsent(waiting.job.user(), _ -> new TreeSet<>(ORDER)).add(waiting);
        } else {
            leave(waiting);
            waiting.backlog.clear();
        }
    }

    private void leave(Waiting waiting) {
        TreeSet<Waiting> jobs = byUser.get(waiting.job.user());
        if (jobs != null) {
            jobs.remove(waiting);
            if (jobs.isEmpty()) {
                byUser.remove(waiting.job.user());
            }
        }
    }

    /** A task of the job has run for so long. */
    void ran(Job job, double seconds) {
        costs = costs.after(seconds);
        find(job).ifPresent(waiting -> waiting.costs = waiting.costs.after(seconds));
    }

    /** Those with tasks that wait, in the order in which they are served now. */
    List<Waiting> inOrder(double nowSeconds) {
        List<Waiting> order = new ArrayList<>();
        for (String user : usersInOrder(nowSeconds)) {
            order.addAll(byUser.getOrDefault(user, new TreeSet<>(ORDER)));
        }
        return order;
    }

    private List<String> usersInOrder(double nowSeconds) {
        Map<String, Double> charges = new HashMap<>();
        byUser.keySet()
                .forEach(user ->
                        charges.put(user, share.charge(user, nowSeconds, costs.taskSeconds())));
        return byUser.keySet().stream()
                .sorted(
                        Comparator.<String>comparingDouble(user -> charges.getOrDefault(user, 0.0))
                                .thenComparingInt(share::running))
                .toList();
    }

    /** A task and its place. */
    record Next(Waiting of, Placed<Task> placed) {}

    /**
     * What the next free slot is for; the caller starts it, or ends it.
     *
     * @param passed jobs that found nothing in this round, to which this adds
     */
    Optional<Next> next(Round round, Set<Waiting> passed, double nowSeconds) {
        for (String user : usersInOrder(nowSeconds)) {
            for (Waiting waiting : byUser.getOrDefault(user, new TreeSet<>(ORDER))) {
                if (passed.contains(waiting)) {
                    continue;
                }
                if (waiting.isStartable()) {
                    Optional<Placed<Task>> placed =
                            round.take(waiting.backlog, waiting.demand, waiting.placing());
                    if (placed.isPresent()) {
                        return Optional.of(new Next(waiting, placed.get()));
                    }
                }
                passed.add(waiting);
            }
        }
        return Optional.empty();
    }

    /** Why nothing of a job starts; empty if nothing waits. */
    String why(Job job, double nowSeconds) {
        Waiting waiting = byJob.get(job.id());
        if (waiting == null || !job.hasPending()) {
            return "";
        }
        if (job.isHeld()) {
            return "is held by %s: gf job release %d".formatted(job.heldBy(), job.id());
        }
        if (!waiting.before.isEmpty()) {
            return waiting.before;
        }
        if (!slots.isUsable(waiting.on)) {
            return slots.absent(waiting.on);
        }
        if (!waiting.problem.isEmpty()) {
            return waiting.problem;
        }
        if (job.room() == 0) {
            return "runs as many tasks at once as it may: %d".formatted(job.runningCount());
        }
        if (waiting.isSpreading) {
            return "waits for copies of its input at nodes with free slots (--spread)";
        }
        Optional<String> kept = large.why(waiting, nowSeconds);
        if (kept.isPresent()) {
            return kept.get();
        }
        Round round = new Round(slots.usable());
        String held = round.why(waiting.backlog, waiting.demand.allowed(), waiting.costs);
        if (!held.isEmpty()) {
            return held;
        }
        if (round.hasFree()) {
            return waiting.backlog.isEmpty()
                    ? "its input is being located"
                    : "waits for a node with room for one of its tasks: see gf job why";
        }
        int users = usersInOrder(nowSeconds).indexOf(job.user());
        int jobs = byUser.getOrDefault(job.user(), new TreeSet<>(ORDER)).headSet(waiting).size();
        return "waits for a free slot: all %d are taken".formatted(slots.taken())
                + (users > 0 ? "; users served before: " + users : "")
                + (jobs > 0 ? "; jobs of the same user served before: " + jobs : "");
    }
}
