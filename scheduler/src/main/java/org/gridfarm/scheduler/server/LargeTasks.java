package org.gridfarm.scheduler.server;

import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.placement.Candidate;
import org.gridfarm.scheduler.placement.NodeSlots;
import org.gridfarm.scheduler.placement.Placed;
import org.gridfarm.scheduler.placement.Reservation;
import org.gridfarm.scheduler.placement.Round;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.function.LongToDoubleFunction;

/**
 * Sees to it that a task which asks for more than one slot, or for memory, disk or GPUs, starts
 * some time although smaller ones are there for every slot that comes free: when it is the turn of
 * its job, one node is kept for it ({@link Reservation}). One at a time in the whole farm. Owned by
 * the event thread; a scheduler that starts anew chooses anew.
 */
final class LargeTasks {
    private record Kept(Queue.Waiting of, Reservation<Task> reservation) {}

    private final Slots slots;
    private final LongToDoubleFunction taskSeconds; // of a job
    private @Nullable Kept kept;

    LargeTasks(Slots slots, LongToDoubleFunction taskSeconds) {
        this.slots = slots;
        this.taskSeconds = taskSeconds;
    }

    /** The task, if it can start; else its node is kept from the others in this round. */
    Optional<Queue.Next> start(Round round, double nowSeconds) {
        Kept now = kept;
        if (now == null) {
            return Optional.empty();
        }
        Queue.Waiting of = now.of();
        Reservation<Task> reservation = now.reservation();
        Candidate<Task> candidate = reservation.candidate();
        if (!of.isStartable()
                || of.backlog.find(candidate.task()) != candidate
                || !isPossible(of, candidate, reservation.node())) {
            kept = null;
            return Optional.empty();
        }
        Optional<Placed<Task>> placed = round.start(reservation, of.demand);
        if (placed.isPresent()) {
            of.backlog.remove(candidate.task());
            kept = null;
            return Optional.of(new Queue.Next(of, placed.get()));
        }
        round.keep(reservation, slots.running(nowSeconds, taskSeconds), nowSeconds);
        return Optional.empty();
    }

    private static boolean isLarge(Queue.Waiting waiting) {
        Candidate<Task> first = waiting.backlog.first();
        return waiting.isStartable() && first != null && Reservation.isLarge(first, waiting.demand);
    }

    private boolean isPossible(Queue.Waiting of, Candidate<Task> candidate, String node) {
        return slots.usable().stream().anyMatch(one -> one.name().equals(node))
                && of.demand.allowed().test(node)
                && slots.isAble(node, of.needs, candidate.slots());
    }

    /** After all slots were given: if the next one is due to a task that is too large for it. */
    void reserve(List<Queue.Waiting> inOrder, double nowSeconds) {
        if (kept != null || inOrder.stream().noneMatch(LargeTasks::isLarge)) {
            return;
        }
        List<NodeSlots> nodes = slots.usable();
        for (Queue.Waiting waiting : inOrder) {
            Candidate<Task> first = waiting.backlog.first();
            if (!waiting.isStartable() || first == null || isNotHeldUp(waiting, first, nodes)) {
                continue;
            }
            if (isLarge(waiting)) {
                Reservation.make(
                                first,
                                waiting.demand,
                                nodes,
                                node -> slots.isAble(node, waiting.needs, first.slots()),
                                slots.running(nowSeconds, taskSeconds),
                                nowSeconds)
                        .ifPresent(made -> kept = new Kept(waiting, made));
            }
            return; // it is the turn of this job
        }
    }

    /** It waits for a better node, or for one that is not there. */
    private boolean isNotHeldUp(
            Queue.Waiting waiting, Candidate<Task> candidate, List<NodeSlots> nodes) {
        boolean isAway = true;
        for (NodeSlots node : nodes) {
            if (isPossible(waiting, candidate, node.name())) {
                isAway = false;
                if (node.free() >= candidate.slots()
                        && waiting.demand.hasRoom().test(node.name())) {
                    return true;
                }
            }
        }
        return isAway;
    }

    void forget(Queue.Waiting waiting) {
        if (kept != null && kept.of() == waiting) {
            kept = null;
        }
    }

    /** What the next task of a job waits for, if a node is kept for it. */
    Optional<String> why(Queue.Waiting waiting, double nowSeconds) {
        Kept now = kept;
        if (now == null || now.of() != waiting) {
            return Optional.empty();
        }
        Reservation<Task> reservation = now.reservation();
        return Optional.of(
                "waits for %s on %s, which is kept for it: about %.1f s"
                        .formatted(
                                waiting.needs.words(reservation.candidate().slots()),
                                reservation.node(),
                                Math.max(0, reservation.start() - nowSeconds)));
    }

    /** What stands against other tasks on a node. */
    Optional<String> against(String node, Queue.Waiting of) {
        Kept now = kept;
        return now == null || now.of() == of || !now.reservation().node().equals(node)
                ? Optional.empty()
                : Optional.of(
                        "is kept for job %d, which needs %s"
                                .formatted(
                                        now.of().job.id(),
                                        now.of()
                                                .needs
                                                .words(now.reservation().candidate().slots())));
    }
}
