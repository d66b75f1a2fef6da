package org.gridfarm.scheduler.placement;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Gives the free slots of one moment to tasks, one after the other. A task goes to a node that
 * holds most of its input and has a slot; to another one only if {@code slots asked for by those
 * who wait for that node / its slots × mean run time} is more than the remote read.
 *
 * <p>The bound is on the queue and not on the single task: with a delay per task, tasks shorter
 * than the delay all end up on one node while the others stand idle (Spark's SPARK-18886).
 */
public final class Round {
    /** Looked at in a line whose first one does not fit or is not to be moved. */
    private static final int LOOKED_AT_MAX = 16;

    private final Map<String, NodeSlots> nodes = new HashMap<>();
    private final Map<String, Integer> free = new HashMap<>(); // without those that have none
    private @Nullable Hold hold;

    public Round(List<NodeSlots> nodes) {
        for (NodeSlots node : nodes) {
            this.nodes.put(node.name(), node);
            if (node.free() > 0) {
                free.put(node.name(), node.free());
            }
        }
    }

    public boolean hasFree() {
        return !free.isEmpty();
    }

    /** The task that a node is kept for, if it can start there now. */
    public <T> Optional<Placed<T>> start(Reservation<T> reservation, Demand demand) {
        Candidate<T> candidate = reservation.candidate();
        String node = reservation.node();
        return free.getOrDefault(node, 0) >= candidate.slots() && demand.takes(node)
                ? Optional.of(place(candidate, node))
                : Optional.empty();
    }

    /** Keeps that node for it as long as this round goes on. */
    public void keep(Reservation<?> reservation, Collection<Running> running, double now) {
        hold = reservation.hold(nodes.get(reservation.node()), running, now);
    }

    /**
     * The next task of a job and where it runs; it waits no more. Empty: none of them can start
     * now, or is better off waiting.
     *
     * @param demand of the job
     */
    public <T> Optional<Placed<T>> take(Backlog<T> backlog, Demand demand, Costs costs) {
        Optional<Placed<T>> found =
                local(backlog, new Ask(demand, costs))
                        .or(() -> anywhere(backlog, new Ask(demand, costs)))
                        .or(() -> moved(backlog, demand, costs));
        found.ifPresent(placed -> backlog.remove(placed.task()));
        return found;
    }

    /** What a job asks of nodes, and for how long. */
    private record Ask(Demand demand, Costs costs) {
        boolean takes(String node) {
            return demand.takes(node);
        }
    }

    /** Those with fewest choices choose first, and leave a node to those who have only that one. */
    private <T> Optional<Placed<T>> local(Backlog<T> backlog, Ask ask) {
        Candidate<T> chosen = null;
        int fewest = Integer.MAX_VALUE;
        Collection<String> shorter =
                backlog.holders().size() < free.size() ? backlog.holders() : free.keySet();
        for (String node : shorter) {
            if (room(node, ask) == 0 || !ask.takes(node)) {
                continue;
            }
            Candidate<T> first = firstThatFits(backlog.before(node), room(node, ask));
            if (first != null) {
                int choices = first.best().size();
                if (choices < fewest) {
                    chosen = first;
                    fewest = choices;
                }
            }
        }
        if (chosen == null) {
            return Optional.empty();
        }
        Candidate<T> candidate = chosen;
        return candidate.best().stream()
                .filter(node -> room(node, ask) >= candidate.slots() && ask.takes(node))
                .min(
                        Comparator.<String>comparingDouble(backlog::slotsBefore)
                                .thenComparing(node -> !ask.demand().preferred().test(node))
                                .thenComparing(node -> -room(node, ask))
                                .thenComparing(Comparator.naturalOrder()))
                .map(node -> place(candidate, node));
    }

    private static <T> @Nullable Candidate<T> firstThatFits(
            Collection<Candidate<T>> line, int room) {
        int looked = 0;
        for (Candidate<T> candidate : line) {
            if (candidate.slots() <= room) {
                return candidate;
            }
            if (++looked == LOOKED_AT_MAX) {
                break;
            }
        }
        return null;
    }

    private <T> Optional<Placed<T>> anywhere(Backlog<T> backlog, Ask ask) {
        int most =
                free.keySet().stream()
                        .filter(ask::takes)
                        .mapToInt(node -> room(node, ask))
                        .max()
                        .orElse(0);
        Candidate<T> first = firstThatFits(backlog.anywhere(), most);
        return first == null
                ? Optional.empty()
                : roomiest(first, free.keySet(), ask).map(node -> place(first, node));
    }

    /** From the longest line, if the wait in it is worth a read over the network. */
    private <T> Optional<Placed<T>> moved(Backlog<T> backlog, Demand demand, Costs costs) {
        List<String> longestFirst =
                backlog.holders().stream()
                        .sorted(
                                Comparator.<String>comparingDouble(node ->
                                                -waitSeconds(
                                                        backlog, node, demand.allowed(), costs))
                                        .thenComparing(Comparator.naturalOrder()))
                        .toList();
        for (String holder : longestFirst) {
            int looked = 0;
            for (Candidate<T> candidate : backlog.before(holder)) {
                if (isWorthMoving(backlog, candidate, demand.allowed(), costs)) {
                    Optional<String> node =
                            roomiest(candidate, free.keySet(), new Ask(demand, costs));
                    if (node.isPresent()) {
                        return node.map(name -> place(candidate, name));
                    }
                }
                if (++looked == LOOKED_AT_MAX) {
                    break;
                }
            }
        }
        return Optional.empty();
    }

    private <T> boolean isWorthMoving(
            Backlog<T> backlog, Candidate<T> candidate, Predicate<String> allowed, Costs costs) {
        List<String> best = candidate.best();
        double wait =
                best.stream()
                        .mapToDouble(node -> waitSeconds(backlog, node, allowed, costs))
                        .min()
                        .orElse(Double.POSITIVE_INFINITY);
        return best.isEmpty() || wait > costs.remoteReadSeconds(candidate.heldBy(best.getFirst()));
    }

    /** Until the last in the line of a node has a slot there; without end if it can have none. */
    private double waitSeconds(
            Backlog<?> backlog, String name, Predicate<String> allowed, Costs costs) {
        NodeSlots node = nodes.get(name);
        if (node == null || node.slots() == 0 || !allowed.test(name)) {
            return Double.POSITIVE_INFINITY;
        }
        return costs.taskSeconds() * backlog.slotsBefore(name) / node.slots();
    }

    /**
     * Of some nodes the best with room: most bytes held, then a holder's rack, then preferred, then
     * most free slots, then by name.
     */
    private Optional<String> roomiest(Candidate<?> candidate, Collection<String> of, Ask ask) {
        Set<String> racks = racksOfHolders(candidate);
        return of.stream()
                .filter(name -> room(name, ask) >= candidate.slots() && ask.takes(name))
                .max(
                        Comparator.<String>comparingLong(candidate::heldBy)
                                .thenComparing(name -> racks.contains(rack(name)))
                                .thenComparing(name -> ask.demand().preferred().test(name))
                                .thenComparing(name -> room(name, ask))
                                .thenComparing(Comparator.reverseOrder()));
    }

    /** Slots there that the job may have now. */
    private int room(String node, Ask ask) {
        int slots = free.getOrDefault(node, 0);
        return hold != null && hold.node().equals(node)
                ? hold.room(slots, ask.demand(), ask.costs().taskSeconds())
                : slots;
    }

    private String rack(String name) {
        NodeSlots node = nodes.get(name);
        return node == null ? "" : node.rack();
    }

    private Set<String> racksOfHolders(Candidate<?> candidate) {
        return candidate.holders().keySet().stream()
                .filter(nodes::containsKey)
                .map(this::rack)
                .collect(Collectors.toSet());
    }

    private <T> Placed<T> place(Candidate<T> candidate, String node) {
        int left = free.getOrDefault(node, 0) - candidate.slots();
        if (hold != null && hold.node().equals(node)) {
            hold =
                    new Hold(
                            node,
                            hold.spare() - candidate.slots(),
                            hold.seconds(),
                            hold.resources());
        }
        if (left > 0) {
            free.put(node, left);
        } else {
            free.remove(node);
        }
        return new Placed<>(candidate.task(), node, locality(candidate, node));
    }

    private String locality(Candidate<?> candidate, String node) {
        if (candidate.inputBytes() == 0) {
            return candidate.holders().isEmpty()
                    ? "none"
                    : candidate.holders().containsKey(node) ? "local" : "remote";
        }
        if (candidate.heldBy(node) >= candidate.inputBytes()) {
            return "local";
        }
        return racksOfHolders(candidate).contains(rack(node)) ? "rack" : "remote";
    }

    /** Until one more task of a job has a slot on a node; without end if it can have none. */
    public double waitSeconds(Backlog<?> backlog, String node, Demand demand, Costs costs) {
        return room(node, new Ask(demand, costs)) > 0 && demand.takes(node)
                ? 0
                : waitSeconds(backlog, node, demand.allowed(), costs);
    }

    /** Why nothing of a job started in this round; it has to have waiting tasks. */
    public <T> String why(Backlog<T> backlog, Predicate<String> allowed, Costs costs) {
        for (String holder : backlog.holders()) {
            Candidate<T> first = backlog.firstBefore(holder);
            if (first != null && !isWorthMoving(backlog, first, allowed, costs)) {
                return "waits for a slot on %s, which holds its input: about %.1f s, and reading it elsewhere would take %.1f s"
                        .formatted(
                                String.join(" or ", first.best()),
                                waitSeconds(backlog, holder, allowed, costs),
                                costs.remoteReadSeconds(first.heldBy(holder)));
            }
        }
        return "";
    }
}
