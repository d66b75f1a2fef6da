package org.gridfarm.scheduler.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class RoundTest {
    private static final Costs SECOND_TASKS = new Costs(1, 100e6);

    private static Candidate<String> task(String name, long bytes, String... holders) {
        Map<String, Long> held = new HashMap<>();
        for (String holder : holders) {
            held.put(holder, bytes);
        }
        return new Candidate<>(name, 1, bytes, held);
    }

    private static NodeSlots node(String name, int free) {
        return new NodeSlots(name, "rack-" + name, free, 2);
    }

    @Test
    void aTaskGoesWhereItsInputLies() {
        List<Placed<String>> plan =
                plan(
                        List.of(task("a", 100, "n2"), task("b", 100, "n1")),
                        List.of(node("n1", 1), node("n2", 1)),
                        SECOND_TASKS);
        assertThat(plan)
                .containsExactlyInAnyOrder(
                        new Placed<>("a", "n2", "local"), new Placed<>("b", "n1", "local"));
    }

    @Test
    void theTaskWithFewerChoicesChoosesFirst() {
        List<Placed<String>> plan =
                plan(
                        List.of(task("either", 100, "n1", "n2"), task("only1", 100, "n1")),
                        List.of(node("n1", 1), node("n2", 1)),
                        SECOND_TASKS);
        assertThat(plan)
                .containsExactlyInAnyOrder(
                        new Placed<>("only1", "n1", "local"),
                        new Placed<>("either", "n2", "local"));
    }

    @Test
    void aLargeInputWaitsForItsNode() {
        List<Placed<String>> plan =
                plan(
                        List.of(task("big", 10_000_000_000L, "n1")),
                        List.of(node("n1", 0), node("n2", 2)),
                        SECOND_TASKS);
        assertThat(plan).isEmpty();
    }

    @Test
    void manyShortTasksOfOneNodeSpreadOverIdleOnes() {
        List<Candidate<String>> waiting =
                IntStream.range(0, 50).mapToObj(i -> task("t" + i, 1000, "n1")).toList();
        List<NodeSlots> nodes = new ArrayList<>(List.of(node("n1", 2)));
        for (int i = 2; i <= 10; i++) {
            nodes.add(node("n" + i, 2));
        }
        List<Placed<String>> plan = plan(waiting, nodes, SECOND_TASKS);
        assertThat(plan).hasSize(20);
        assertThat(plan.stream().filter(p -> p.node().equals("n1")))
                .hasSize(2)
                .allMatch(p -> p.locality().equals("local"));
    }

    @Test
    void inputOfAVanishedNodeHoldsNothingBack() {
        assertThat(
                        plan(
                                List.of(task("t", 10_000_000_000L, "gone")),
                                List.of(node("n1", 1)),
                                SECOND_TASKS))
                .containsExactly(new Placed<>("t", "n1", "remote"));
    }

    @Test
    void noSlotIsGivenTwiceAndNoTaskPlacedTwiceWhateverTheInput() {
        long seed = Tier.seed(7);
        Random random = new Random(seed);
        for (int round = 0; round < Tier.count("placement.rounds"); round++) {
            List<NodeSlots> nodes =
                    IntStream.range(0, 1 + random.nextInt(6))
                            .mapToObj(
                                    i -> new NodeSlots("n" + i, "r" + i % 2, random.nextInt(4), 4))
                            .toList();
            List<Candidate<Integer>> waiting =
                    IntStream.range(0, random.nextInt(30))
                            .mapToObj(i ->
                                    new Candidate<>(
                                            i,
                                            1 + random.nextInt(2),
                                            random.nextInt(1000),
                                            holders(random)))
                            .toList();
            List<Placed<Integer>> plan = plan(waiting, nodes, new Costs(random.nextDouble(), 1e6));
            assertThat(plan.stream().map(Placed::task))
                    .as("seed %d round %d", seed, round)
                    .doesNotHaveDuplicates();
            Map<String, Integer> used =
                    plan.stream()
                            .collect(
                                    Collectors.groupingBy(
                                            Placed::node,
                                            Collectors.summingInt(
                                                    p -> waiting.get(p.task()).slots())));
            for (NodeSlots node : nodes) {
                assertThat(used.getOrDefault(node.name(), 0))
                        .as("seed %d round %d", seed, round)
                        .isLessThanOrEqualTo(node.free());
            }
        }
    }

    private static Map<String, Long> holders(Random random) {
        Map<String, Long> held = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            held.put("n" + random.nextInt(8), (long) random.nextInt(1000));
        }
        return held;
    }

    private static <T> List<Placed<T>> plan(
            List<Candidate<T>> waiting, List<NodeSlots> nodes, Costs costs) {
        return plan(waiting, nodes, costs, _ -> true);
    }

    private static <T> List<Placed<T>> plan(
            List<Candidate<T>> waiting,
            List<NodeSlots> nodes,
            Costs costs,
            Predicate<String> allowed) {
        Backlog<T> backlog = new Backlog<>();
        waiting.forEach(backlog::add);
        Round round = new Round(nodes);
        List<Placed<T>> plan = new ArrayList<>();
        Optional<Placed<T>> next = round.take(backlog, Demand.of(allowed), costs);
        while (next.isPresent()) {
            plan.add(next.get());
            next = round.take(backlog, Demand.of(allowed), costs);
        }
        assertThat(backlog.size()).isEqualTo(waiting.size() - plan.size());
        return plan;
    }

    @Test
    void aTaskGoesOnlyWhereItMay() {
        List<Candidate<String>> bound = List.of(task("bound", 100, "n1"));
        assertThat(
                        plan(
                                bound,
                                List.of(node("n1", 2), node("n2", 1), node("n3", 2)),
                                SECOND_TASKS,
                                "n2"::equals))
                .extracting(Placed::node)
                .containsExactly("n2");
        assertThat(plan(bound, List.of(node("n1", 2), node("n2", 0)), SECOND_TASKS, "n2"::equals))
                .isEmpty();
    }

    @Test
    void aTaskThatTwoNodesHoldLeavesBothLinesWhenItStarts() {
        Backlog<String> backlog = new Backlog<>();
        backlog.add(task("a", 100, "n1", "n2"));
        assertThat(backlog.slotsBefore("n1")).isEqualTo(0.5);
        new Round(List.of(node("n1", 1))).take(backlog, Demand.of(_ -> true), SECOND_TASKS);
        assertThat(backlog.isEmpty()).isTrue();
        assertThat(backlog.slotsBefore("n2")).isZero();
        assertThat(backlog.holders()).isEmpty();
    }

    @Test
    void aNarrowTaskPassesAWideOneThatDoesNotFit() {
        Candidate<String> wide = new Candidate<>("wide", 2, 0, Map.of());
        Candidate<String> narrow = new Candidate<>("narrow", 1, 0, Map.of());
        assertThat(plan(List.of(wide, narrow), List.of(node("n1", 1)), SECOND_TASKS))
                .extracting(Placed::task)
                .containsExactly("narrow");
    }

    /** What waits there ends sooner than the read of a gigabyte over the network. */
    @Test
    void shortTasksWithLargeInputsWaitForTheNodeThatHoldsThem() {
        List<Candidate<String>> waiting =
                IntStream.range(0, 8).mapToObj(i -> task("t" + i, 1_000_000_000, "n1")).toList();
        Costs measured = new Costs(0.02, 110e6);
        List<NodeSlots> nodes = List.of(node("n1", 2), node("n2", 2), node("n3", 2));
        assertThat(plan(waiting, nodes, measured)).extracting(Placed::node).containsOnly("n1");
    }

    @Test
    void aTaskThatIsHeldBackSaysForWhat() {
        Backlog<String> backlog = new Backlog<>();
        backlog.add(task("big", 10_000_000_000L, "n1"));
        assertThat(
                        new Round(List.of(node("n1", 0), node("n2", 2)))
                                .why(backlog, _ -> true, SECOND_TASKS))
                .isEqualTo(
                        "waits for a slot on n1, which holds its input: about 0.5 s, and reading it elsewhere would take 100.0 s");
    }

    /** Whatever the farm and the queue look like. */
    @Test
    void noPlanTakesMoreThanThereIsNorWhatIsNotAllowed() {
        Random random = new Random(Tier.seed(28));
        for (int run = 0; run < Tier.count("placement.rounds"); run++) {
            List<NodeSlots> nodes = new ArrayList<>();
            Map<String, Integer> room = new HashMap<>();
            int many = 1 + random.nextInt(5);
            for (int i = 0; i < many; i++) {
                int slots = random.nextInt(5);
                int free = random.nextInt(slots + 1);
                nodes.add(new NodeSlots("n" + i, "r" + i % 2, free, slots));
                room.put("n" + i, random.nextInt(4)); // tasks that fit by memory
            }
            Backlog<Integer> backlog = new Backlog<>();
            int tasks = random.nextInt(20);
            for (int task = 0; task < tasks; task++) {
                Map<String, Long> holders = new HashMap<>();
                for (int h = random.nextInt(3); h > 0; h--) {
                    holders.put("n" + random.nextInt(6), 1 + (long) random.nextInt(1 << 30) * 16);
                }
                long bytes = holders.values().stream().mapToLong(b -> b).max().orElse(0);
                backlog.add(new Candidate<>(task, 1 + random.nextInt(2), bytes, holders));
            }
            String forbidden = "n" + random.nextInt(6);
            Map<String, Integer> taken = new HashMap<>();
            Demand demand =
                    new Demand(
                            name -> !name.equals(forbidden),
                            name -> taken.getOrDefault(name, 0) < room.getOrDefault(name, 0),
                            name -> name.equals("n1"),
                            Set.of());
            int before = backlog.size();
            Map<String, Integer> slots = new HashMap<>();
            Map<Integer, Integer> asked = new HashMap<>();
            backlog.anywhere().forEach(one -> asked.put(one.task(), one.slots()));
            backlog.holders()
                    .forEach(node ->
                            backlog.before(node)
                                    .forEach(one -> asked.put(one.task(), one.slots())));
            Round round = new Round(nodes);
            Set<Integer> placed = new HashSet<>();
            Optional<Placed<Integer>> next = round.take(backlog, demand, SECOND_TASKS);
            while (next.isPresent()) {
                String node = next.get().node();
                assertThat(placed.add(next.get().task())).isTrue();
                taken.merge(node, 1, Integer::sum);
                slots.merge(node, asked.getOrDefault(next.get().task(), 99), Integer::sum);
                next = round.take(backlog, demand, SECOND_TASKS);
            }
            assertThat(backlog.size()).isEqualTo(before - placed.size());
            assertThat(taken).doesNotContainKey(forbidden);
            taken.forEach((node, count) ->
                    assertThat(count).isLessThanOrEqualTo(room.getOrDefault(node, 0)));
            nodes.forEach(node ->
                    assertThat(slots.getOrDefault(node.name(), 0))
                            .isLessThanOrEqualTo(node.free()));
            // Whoever reads nothing in particular never waits beside a free slot that fits.
            boolean isIdle =
                    nodes.stream()
                            .anyMatch(node ->
                                    node.free() - slots.getOrDefault(node.name(), 0) >= 2
                                            && demand.takes(node.name()));
            assertThat(isIdle && !backlog.anywhere().isEmpty()).isFalse();
        }
    }
}
