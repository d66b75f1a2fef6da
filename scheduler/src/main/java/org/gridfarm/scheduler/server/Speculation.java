package org.gridfarm.scheduler.server;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.placement.Backlog;
import org.gridfarm.scheduler.placement.Candidate;
import org.gridfarm.scheduler.placement.Costs;
import org.gridfarm.scheduler.placement.Demand;
import org.gridfarm.scheduler.placement.Placed;
import org.gridfarm.scheduler.placement.Round;
import org.gridfarm.scheduler.placement.Stragglers;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Second attempts for tasks that take much longer than the others of their job ({@code
 * --speculate}), in slots that nobody else has use for. For the event thread.
 */
record Speculation(Slots slots) {
    private static final double MILLIS = 1e3;

    /** A task, and where its second attempt runs. */
    record Found(Task task, Placed<Task> placed) {}

    /**
     * The next one of a job.
     *
     * @param round what is free after all others have been served
     */
    Optional<Found> next(Job job, Round round, long nowMillis) {
        if (!job.request().getSpeculate()
                || job.hasPending()
                || job.runningCount() == 0
                || !job.halted().isEmpty()
                || job.isHeld()
                || job.room() == 0
                || !round.hasFree()) {
            return Optional.empty();
        }
        double[] took =
                job.finished().stream()
                        .filter(task -> task.state() == TaskState.SUCCEEDED)
                        .mapToDouble(task -> (task.ended() - task.started()) / MILLIS)
                        .toArray();
        OptionalDouble from = Stragglers.from(took, job.tasks().size());
        if (from.isEmpty()) {
            return Optional.empty();
        }
        for (Task task : job.running()) {
            boolean isLate = (nowMillis - task.started()) / MILLIS > from.getAsDouble();
            if (isLate && task.mayHaveSecond()) {
                Optional<Placed<Task>> placed = place(job, task, round, from.getAsDouble());
                if (placed.isPresent()) {
                    return Optional.of(new Found(task, placed.get()));
                }
            }
        }
        return Optional.empty();
    }

    /** Not where it runs already; else as every other task. */
    private Optional<Placed<Task>> place(Job job, Task task, Round round, double seconds) {
        NodePattern on = NodePattern.of(job.request().getNodePattern());
        NodePattern preferred = NodePattern.of(job.request().getPrefer());
        Demand asked = slots.demand(on, preferred, Needs.of(job.request()));
        Demand other =
                new Demand(
                        name -> !name.equals(task.node()) && asked.allowed().test(name),
                        asked.hasRoom(),
                        asked.preferred(),
                        asked.resources());
        Map<String, Long> holders = task.holders();
        Backlog<Task> one = new Backlog<>();
        one.add(
                new Candidate<>(
                        task,
                        task.slots(),
                        task.inputBytes(),
                        holders == null ? Map.of() : holders));
        return round.take(one, other, new Costs(seconds, Costs.UNMEASURED.networkBytesPerSecond()));
    }
}
