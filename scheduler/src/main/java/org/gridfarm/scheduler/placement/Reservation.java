package org.gridfarm.scheduler.placement;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One node that is kept for one large task, which small ones would otherwise keep out for ever: as
 * soon as a slot is free one of them takes it. Only the task whose turn it is has one, and keeps it
 * until it starts. Others may have the slots that it leaves over, and while the node runs empty
 * whatever is expected to end before it starts (EASY back-filling). What is expected is counted
 * from the moment of the reservation and not put off: so the task starts at the latest when what
 * ran then, and what was let in before that moment had passed, has ended.
 *
 * @param since when it was made
 * @param start when it was expected to start, then
 */
public record Reservation<T>(
        Candidate<T> candidate, String node, Set<Resource> resources, double since, double start) {
    /**
     * The node on which the task is expected to start first; then one that holds more of its input.
     * Empty where a node has room for it now, since it can start there, or where none ever has.
     *
     * @param able by all that the task asks for, if nothing else ran there
     */
    public static <T> Optional<Reservation<T>> make(
            Candidate<T> candidate,
            Demand demand,
            List<NodeSlots> nodes,
            Predicate<String> able,
            Collection<Running> running,
            double now) {
        List<NodeSlots> possible =
                nodes.stream()
                        .filter(node ->
                                demand.allowed().test(node.name())
                                        && able.test(node.name())
                                        && node.slots() >= candidate.slots())
                        .toList();
        boolean hasRoom =
                possible.stream()
                        .anyMatch(node ->
                                node.free() >= candidate.slots()
                                        && demand.hasRoom().test(node.name()));
        if (hasRoom || !isLarge(candidate, demand)) {
            return Optional.empty();
        }
        return possible.stream()
                .min(
                        Comparator.<NodeSlots>comparingDouble(
                                        node -> seconds(candidate, demand, node, running))
                                .thenComparing(node -> -candidate.heldBy(node.name()))
                                .thenComparing(NodeSlots::name))
                .map(node ->
                        new Reservation<>(
                                candidate,
                                node.name(),
                                demand.resources(),
                                now,
                                now + seconds(candidate, demand, node, running)));
    }

    /** Any free slot is enough for the others: they wait for their turn and for nothing else. */
    public static boolean isLarge(Candidate<?> candidate, Demand demand) {
        return candidate.slots() > 1 || !demand.resources().isEmpty();
    }

    private static double seconds(
            Candidate<?> candidate, Demand demand, NodeSlots node, Collection<Running> running) {
        int free = node.free();
        double until = 0;
        List<Running> first =
                running.stream()
                        .filter(task -> task.node().equals(node.name()))
                        .sorted(Comparator.comparingDouble(Running::remaining))
                        .toList();
        for (Running task : first) {
            // Who has the memory is not known here: it is counted on when all have ended.
            if (free >= candidate.slots() && demand.resources().isEmpty()) {
                break;
            }
            free += task.slots();
            until = Math.max(until, task.remaining());
        }
        return until;
    }

    /** What others may do there now. */
    Hold hold(@Nullable NodeSlots of, Collection<Running> running, double now) {
        int since =
                running.stream()
                        .filter(task -> task.node().equals(node) && task.age() < now - this.since)
                        .mapToInt(Running::slots)
                        .sum();
        int spare = of == null ? 0 : of.slots() - candidate.slots() - since;
        return new Hold(node, spare, start - now, resources);
    }
}
