package org.gridfarm.scheduler.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

class ReservationTest {
    private static final Demand ANY = Demand.of(_ -> true);

    private static Candidate<String> task(String name, int slots) {
        return new Candidate<>(name, slots, 0, Map.of());
    }

    private static NodeSlots node(String name, int free, int slots) {
        return new NodeSlots(name, "", free, slots);
    }

    private static Optional<Reservation<String>> make(
            Candidate<String> candidate, List<NodeSlots> nodes, List<Running> running) {
        return Reservation.make(candidate, ANY, nodes, _ -> true, running, 100);
    }

    @Test
    void theNodeIsKeptWhereTheTaskIsExpectedToStartFirst() {
        List<NodeSlots> nodes = List.of(node("n1", 1, 4), node("n2", 1, 4), node("n3", 0, 2));
        List<Running> running =
                List.of(
                        new Running("n1", 1, 1, 60),
                        new Running("n1", 2, 50, 60),
                        new Running("n2", 3, 1, 30),
                        new Running("n3", 2, 1, 2));
        assertThat(make(task("big", 3), nodes, running))
                .hasValueSatisfying(made -> {
                    assertThat(made.node()).isEqualTo("n1");
                    assertThat(made.start()).isEqualTo(110); // when the two of n1 have ended
                });
    }

    @Test
    void whoFitsNowOrNeverOrIsSmallHasNone() {
        assertThat(make(task("big", 2), List.of(node("n1", 2, 4)), List.of())).isEmpty();
        assertThat(make(task("big", 5), List.of(node("n1", 0, 4)), List.of())).isEmpty();
        assertThat(make(task("small", 1), List.of(node("n1", 0, 4)), List.of())).isEmpty();
    }

    /** 4 slots for the large one of 6: two are left over, and until it starts the short may all. */
    @Test
    void othersHaveWhatIsLeftOverAndWhateverEndsBefore() {
        List<NodeSlots> nodes = List.of(node("n1", 3, 6));
        List<Running> running = List.of(new Running("n1", 3, 0, 20));
        Reservation<String> made = make(task("big", 4), nodes, running).orElseThrow();
        List<Running> later = List.of(new Running("n1", 3, 5, 20));
        assertThat(taken(nodes, made, later, 105, 5)).isEqualTo(3);
        assertThat(taken(nodes, made, later, 105, 60)).isEqualTo(2);
        List<Running> more = List.of(new Running("n1", 3, 5, 20), new Running("n1", 1, 2, 60));
        assertThat(taken(List.of(node("n1", 2, 6)), made, more, 105, 60)).isEqualTo(1);
        List<Running> late = List.of(new Running("n1", 3, 25, 20));
        assertThat(taken(nodes, made, late, 125, 5)).isEqualTo(2); // what was expected is over
    }

    private static int taken(
            List<NodeSlots> nodes,
            Reservation<String> made,
            List<Running> running,
            double now,
            double taskSeconds) {
        Round round = new Round(nodes);
        assertThat(round.start(made, ANY)).isEmpty();
        round.keep(made, running, now);
        Backlog<String> small = new Backlog<>();
        for (int i = 0; i < 10; i++) {
            small.add(task("s" + i, 1));
        }
        int count = 0;
        while (round.take(small, ANY, new Costs(taskSeconds, 1e8)).isPresent()) {
            count++;
        }
        return count;
    }

    @Test
    void ofMemoryNothingIsLeftOver() {
        List<NodeSlots> nodes = List.of(node("n1", 3, 4));
        Demand full = new Demand(_ -> true, _ -> false, _ -> false, Set.of(Resource.MEMORY));
        Reservation<String> made =
                Reservation.make(task("big", 1), full, nodes, _ -> true, List.of(), 0)
                        .orElseThrow();
        Round round = new Round(nodes);
        round.keep(made, List.of(), 0);
        Backlog<String> others = new Backlog<>();
        others.add(task("small", 1));
        Demand some = new Demand(_ -> true, _ -> true, _ -> false, Set.of(Resource.MEMORY));
        assertThat(round.take(others, some, new Costs(5, 1e8))).isEmpty();
        Demand other = new Demand(_ -> true, _ -> true, _ -> false, Set.of(Resource.GPUS));
        assertThat(round.take(others, other, new Costs(5, 1e8))).isPresent();
    }

    private record Run(String node, int slots, double started, double ends, double taskSeconds) {}

    /**
     * Farms of all sizes under more small tasks than they can run, whose times are drawn and not
     * what is expected: the large task starts at the latest when those have ended that ran when its
     * node was kept or were let in before it was expected to start.
     */
    @Test
    void underAnyLoadTheLargeTaskStartsWhenThoseBeforeItHaveEnded() {
        long first = Tier.seed(31);
        for (int i = 0; i < Tier.count("placement.rounds"); i++) {
            assertThat(simulate(first + i)).as("seed %d", first + i).isFinite();
        }
    }

    private static double simulate(long seed) {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(4);
        int slots = 2 + random.nextInt(7);
        int wanted = 2 + random.nextInt(slots - 1);
        double mean = 1 + random.nextInt(20);
        List<Run> runs = new ArrayList<>();
        Optional<Reservation<String>> made = Optional.empty();
        double bound = Double.POSITIVE_INFINITY;
        for (double now = 0; now < 400; now += 0.25) {
            double at = now;
            runs.removeIf(run -> run.ends <= at);
            List<Running> running =
                    runs.stream()
                            .map(run ->
                                    new Running(
                                            run.node, run.slots, at - run.started, run.taskSeconds))
                            .toList();
            List<NodeSlots> nodes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String name = "n" + i;
                int taken =
                        running.stream()
                                .filter(run -> run.node().equals(name))
                                .mapToInt(Running::slots)
                                .sum();
                assertThat(taken).isLessThanOrEqualTo(slots);
                nodes.add(node(name, slots - taken, slots));
            }
            Round round = new Round(nodes);
            boolean isWaiting = now >= 30;
            if (made.isPresent()) {
                if (round.start(made.get(), ANY).isPresent()) {
                    assertThat(now).isLessThanOrEqualTo(bound + 0.25);
                    return now;
                }
                round.keep(made.get(), running, now);
            }
            Costs costs = new Costs(mean * (0.5 + random.nextDouble()), 1e8);
            Backlog<String> small = new Backlog<>();
            for (int i = 0; i < count * slots; i++) {
                small.add(task(now + "-" + i, 1));
            }
            Optional<Placed<String>> placed = round.take(small, ANY, costs);
            while (placed.isPresent()) {
                String node = placed.get().node();
                double takes = mean * 3 * random.nextDouble();
                runs.add(new Run(node, 1, now, now + takes, costs.taskSeconds()));
                if (made.isPresent()
                        && made.get().node().equals(node)
                        && now + costs.taskSeconds() <= made.get().start()) {
                    bound = Math.max(bound, now + takes); // let in as one that is short
                }
                placed = round.take(small, ANY, costs);
            }
            if (isWaiting && made.isEmpty()) {
                List<NodeSlots> full = nodes.stream().map(n -> node(n.name(), 0, slots)).toList();
                made = Reservation.make(task("big", wanted), ANY, full, _ -> true, running, now);
                String node = made.orElseThrow().node();
                bound =
                        runs.stream()
                                .filter(run -> run.node.equals(node))
                                .mapToDouble(run -> run.ends)
                                .max()
                                .orElse(now);
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
