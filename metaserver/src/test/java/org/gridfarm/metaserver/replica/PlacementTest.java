package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.gridfarm.protocol.env.Entropy;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

class PlacementTest {
    private static final long GB = 1L << 30;

    private final Placement placement = new Placement(Entropy.seeded(7));
    private final List<NodeFacts> nodes = new ArrayList<>();

    private void node(String name, String rack, String group, NodeState state, long available) {
        nodes.add(new NodeFacts(name, "host-" + name, rack, group, state, 100 * GB, available, 0));
    }

    private void six() {
        for (int i = 0; i < 6; i++) {
            node("n" + i, "r" + i / 2, i < 3 ? "a" : "b", NodeState.UP, 50 * GB);
        }
    }

    private static String rack(String node) {
        return "r" + (node.charAt(1) - '0') / 2;
    }

    @Test
    void theAttachedNodeIsTheHeadAndTheOthersAreInOtherRacks() {
        six();
        for (int i = 0; i < 50; i++) {
            Placement.Plan plan = placement.plan(Placement.Wish.fresh(3, "", "n4"), nodes);
            assertThat(plan.nodes()).hasSize(3).doesNotHaveDuplicates().first().isEqualTo("n4");
            assertThat(plan.nodes().stream().map(PlacementTest::rack)).doesNotHaveDuplicates();
            assertThat(plan.missing()).isZero();
        }
    }

    @Test
    void groupsGetTheCopiesAskedForThem() {
        six();
        Placement.Plan plan = placement.plan(Placement.Wish.fresh(3, "a:1,b:2", "n0"), nodes);
        assertThat(plan.nodes().stream().filter(n -> n.compareTo("n3") < 0)).hasSize(1);
        assertThat(plan.nodes().stream().filter(n -> n.compareTo("n3") >= 0)).hasSize(2);
    }

    @Test
    void copiesThatAreThereCountForTheirGroup() {
        six();
        Placement.Wish wish = new Placement.Wish(1, "a:1,b:1", Set.of("n0"), Map.of(), "", 0);
        assertThat(placement.plan(wish, nodes).nodes().getFirst()).isGreaterThanOrEqualTo("n3");
    }

    @Test
    void theRackOfANodeThatIsEmptiedIsFreeAgain() {
        node("n0", "r0", "", NodeState.DRAINING, 50 * GB);
        node("n1", "r0", "", NodeState.UP, 50 * GB);
        node("n2", "r1", "", NodeState.UP, 50 * GB);
        node("n3", "r1", "", NodeState.UP, 50 * GB);
        Placement.Wish wish = new Placement.Wish(1, "", Set.of("n0", "n2"), Map.of(), "", 0);
        for (int i = 0; i < 50; i++) {
            assertThat(placement.plan(wish, nodes).nodes()).containsExactly("n1");
        }
    }

    @Test
    void everyRefusalIsTold() {
        node("up", "r", "", NodeState.UP, 50 * GB);
        node("full", "r", "", NodeState.UP, 1000);
        node("draining", "r", "", NodeState.DRAINING, 50 * GB);
        node("silent", "r", "", NodeState.SUSPECT, 50 * GB);
        node("holder", "r", "", NodeState.UP, 50 * GB);
        node("failed", "r", "", NodeState.UP, 50 * GB);
        Placement.Wish wish =
                new Placement.Wish(
                        2, "", Set.of("holder"), Map.of("failed", "failed before"), "", GB);
        Placement.Plan plan = placement.plan(wish, nodes);
        assertThat(plan.nodes()).containsExactly("up");
        assertThat(plan.missing()).isEqualTo(1);
        assertThat(plan.forSpace()).isTrue();
        assertThat(plan.why())
                .contains(
                        "up: chosen",
                        "full: no room",
                        "draining: is draining",
                        "silent: is suspect",
                        "holder: has a copy",
                        "failed: failed before");
    }

    @Test
    void stripesLieOnDifferentNodesWhileThereAreSome() {
        six();
        Map<String, Integer> there = new java.util.HashMap<>();
        for (int stripe = 0; stripe < 3; stripe++) {
            Placement.Wish wish =
                    new Placement.Wish(
                            2, "", Set.of(), Map.of(), stripe == 0 ? "n4" : "", 0, there, Set.of());
            Placement.Plan plan = placement.plan(wish, nodes);
            assertThat(plan.nodes().stream().map(PlacementTest::rack)).doesNotHaveDuplicates();
            plan.nodes().forEach(node -> there.merge(node, 1, Integer::sum));
        }
        assertThat(there).hasSize(6).allSatisfy((node, count) -> assertThat(count).isEqualTo(1));
    }

    @Test
    void theEmptierNodeIsPreferred() {
        node("emptier", "r", "", NodeState.UP, 90 * GB);
        node("fuller", "r", "", NodeState.UP, 20 * GB);
        assertThat(placement.plan(Placement.Wish.fresh(1, "", ""), nodes).nodes())
                .containsExactly("emptier");
    }

    @Property(tries = 200)
    void noTwoCopiesShareANodeAndNoneIsOnANodeThatTakesNone(Dice dice) {
        int count = 1 + dice.below(12);
        for (int i = 0; i < count; i++) {
            node(
                    "n" + i,
                    "r" + dice.below(3),
                    dice.oneOf("a", "b"),
                    dice.oneOf(NodeState.values()),
                    dice.below(3) * 50 * GB);
        }
        int copies = 1 + dice.below(5);
        Placement.Plan plan =
                placement.plan(
                        Placement.Wish.fresh(copies, dice.oneOf("", "a:2", "a:1,b:1"), "n0"),
                        nodes);
        long usable =
                nodes.stream().filter(n -> n.state() == NodeState.UP && n.available() > 0).count();
        assertThat(plan.nodes()).doesNotHaveDuplicates().hasSize((int) Math.min(copies, usable));
        for (String chosen : plan.nodes()) {
            NodeFacts node =
                    nodes.stream().filter(n -> n.name().equals(chosen)).findFirst().orElseThrow();
            assertThat(node.state()).isEqualTo(NodeState.UP);
            assertThat(node.available()).isPositive();
        }
        assertThat(plan.judgements()).hasSize(count);
    }
}
