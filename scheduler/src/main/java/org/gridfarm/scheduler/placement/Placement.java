package org.gridfarm.scheduler.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the plan in two passes. First every free slot takes a waiting task that has all its weight
 * there, tasks with fewest choices first. Then slots that are left take a task of another node when
 * {@code tasks queued for that node / its slots × mean run time} is more than the remote read.
 *
 * <p>The bound is on the queue and not on the single task: with a delay per task, tasks shorter
 * than the delay all end up on one node while the others stand idle (Spark's SPARK-18886).
 */
public final class Placement {
    private Placement() {}

    public static <T> List<Placed<T>> plan(
            List<Candidate<T>> waiting, List<NodeSlots> nodes, Costs costs) {
        return new Plan<>(waiting, nodes, costs).make();
    }

    private static final class Plan<T> {
        private final List<Candidate<T>> waiting;
        private final Map<String, NodeSlots> nodes = new HashMap<>();
        private final Map<String, Integer> free = new HashMap<>();
        private final Map<String, Integer> wanted = new HashMap<>();
        private final Costs costs;
        private final List<Placed<T>> placed = new ArrayList<>();
        private final Set<Candidate<T>> done = new HashSet<>();

        Plan(List<Candidate<T>> waiting, List<NodeSlots> nodes, Costs costs) {
            this.waiting = waiting;
            this.costs = costs;
            for (NodeSlots node : nodes) {
                this.nodes.put(node.name(), node);
                free.put(node.name(), node.free());
            }
        }

        List<Placed<T>> make() {
            List<Candidate<T>> byChoices = new ArrayList<>(waiting);
            byChoices.sort(Comparator.comparingInt(this::liveHolders));
            for (Candidate<T> candidate : byChoices) {
                if (liveHolders(candidate) > 0) {
                    best(candidate, true).ifPresent(node -> place(candidate, node));
                }
            }
            for (Candidate<T> candidate : byChoices) {
                if (!done.contains(candidate) && liveHolders(candidate) > 0) {
                    bestHolder(candidate)
                            .ifPresent(node -> wanted.merge(node, candidate.slots(), Integer::sum));
                }
            }
            for (Candidate<T> candidate : waiting) {
                if (!done.contains(candidate) && worthMoving(candidate)) {
                    best(candidate, false)
                            .ifPresent(node -> {
                                bestHolder(candidate)
                                        .ifPresent(holder ->
                                                wanted.merge(
                                                        holder, -candidate.slots(), Integer::sum));
                                place(candidate, node);
                            });
                }
            }
            return placed;
        }

        private boolean isFor(Candidate<T> candidate, String node) {
            return nodes.containsKey(node) && candidate.allowed().test(node);
        }

        private int liveHolders(Candidate<T> candidate) {
            int count = 0;
            for (Map.Entry<String, Long> holder : candidate.holders().entrySet()) {
                if (holder.getValue() > 0 && isFor(candidate, holder.getKey())) {
                    count++;
                }
            }
            return count;
        }

        /**
         * True when nothing holds it back, or the queue before its holders costs more than the
         * network.
         */
        private boolean worthMoving(Candidate<T> candidate) {
            return bestHolder(candidate)
                    .map(holder -> {
                        NodeSlots node = nodes.get(holder);
                        int slots = node == null ? 1 : Math.max(1, node.slots());
                        double waitSeconds =
                                costs.taskSeconds() * wanted.getOrDefault(holder, 0) / slots;
                        return waitSeconds > costs.remoteReadSeconds(candidate.heldBy(holder));
                    })
                    .orElse(true);
        }

        /** The live node that holds most of its input, free or not. */
        private java.util.Optional<String> bestHolder(Candidate<T> candidate) {
            return candidate.holders().entrySet().stream()
                    .filter(e -> e.getValue() > 0 && isFor(candidate, e.getKey()))
                    .max(
                            Map.Entry.<String, Long>comparingByValue()
                                    .thenComparing(Map.Entry.comparingByKey()))
                    .map(Map.Entry::getKey);
        }

        /**
         * The best node with room: most bytes held, then a holder's rack, then most free slots,
         * then by name.
         */
        private java.util.Optional<String> best(Candidate<T> candidate, boolean onlyHoldersOfMost) {
            long most =
                    candidate.holders().entrySet().stream()
                            .filter(e -> isFor(candidate, e.getKey()))
                            .mapToLong(Map.Entry::getValue)
                            .max()
                            .orElse(0);
            Set<String> racks = racksOfHolders(candidate);
            return nodes.keySet().stream()
                    .filter(candidate.allowed())
                    .filter(name -> room(name) >= candidate.slots())
                    .filter(name -> !onlyHoldersOfMost || candidate.heldBy(name) == most)
                    .max(
                            Comparator.<String>comparingLong(candidate::heldBy)
                                    .thenComparing(name -> inOneOf(racks, name))
                                    .thenComparing(this::room)
                                    .thenComparing(Comparator.reverseOrder()));
        }

        private boolean inOneOf(Set<String> racks, String name) {
            NodeSlots node = nodes.get(name);
            return node != null && racks.contains(node.rack());
        }

        private int room(String node) {
            return free.getOrDefault(node, 0);
        }

        private Set<String> racksOfHolders(Candidate<T> candidate) {
            Set<String> racks = new HashSet<>();
            for (String holder : candidate.holders().keySet()) {
                NodeSlots node = nodes.get(holder);
                if (node != null) {
                    racks.add(node.rack());
                }
            }
            return racks;
        }

        private void place(Candidate<T> candidate, String node) {
            done.add(candidate);
            free.merge(node, -candidate.slots(), Integer::sum);
            placed.add(new Placed<>(candidate.task(), node, locality(candidate, node)));
        }

        private String locality(Candidate<T> candidate, String node) {
            if (candidate.inputBytes() == 0) {
                return candidate.holders().isEmpty()
                        ? "none"
                        : candidate.holders().containsKey(node) ? "local" : "remote";
            }
            if (candidate.heldBy(node) >= candidate.inputBytes()) {
                return "local";
            }
            NodeSlots at = nodes.get(node);
            return at != null && racksOfHolders(candidate).contains(at.rack()) ? "rack" : "remote";
        }
    }
}
