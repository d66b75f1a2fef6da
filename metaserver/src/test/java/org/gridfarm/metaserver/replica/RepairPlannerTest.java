package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

class RepairPlannerTest {
    private static final long GB = 1L << 30;
    private static final long MB = 1L << 20;

    private final SimFarm farm = new SimFarm();

    private void nodes(int count) {
        for (int i = 0; i < count; i++) {
            farm.node("n" + i, "r" + i % 2, NodeState.UP, 100 * GB, 50 * GB);
        }
    }

    @Test
    void filesWithFewestCopiesComeFirst() {
        nodes(4);
        farm.file(1, 3, MB, "n0", "n1");
        farm.file(2, 3, MB, "n0", "n2");
        farm.file(3, 3, MB, "n1");
        List<RepairEffect> effects = farm.tick();
        assertThat(effects).hasSize(3);
        assertThat(((RepairEffect.Copy) effects.getFirst()).object().getInode()).isEqualTo(3);
    }

    @Test
    void aDeadNodesFilesAreCopiedToOthersAndTheRowsStayAsSpares() {
        nodes(4);
        for (long inode = 1; inode <= 100; inode++) {
            farm.file(inode, 2, MB, "n0", "n" + (1 + inode % 3));
        }
        farm.state("n0", NodeState.DOWN);
        farm.settle();
        assertThat(farm.listed(Problem.UNDER)).isEmpty();
        assertThat(farm.holders(1)).hasSize(2).doesNotContain("n0");
        assertThat(farm.map.inodeCountAt("n0")).isEqualTo(100);
        farm.state("n0", NodeState.UP);
        farm.settle();
        assertThat(farm.listed(Problem.OVER)).as("trimmed after its return").isEmpty();
        assertThat(farm.holders(1)).hasSize(2);
    }

    @Test
    void aDrainedNodeEndsEmpty() {
        nodes(4);
        for (long inode = 1; inode <= 100; inode++) {
            farm.file(inode, 2, MB, "n0", "n" + (1 + inode % 3));
        }
        DrainEstimate estimate = farm.planner.drainEstimate("n0");
        assertThat(estimate.replicas()).isEqualTo(100);
        assertThat(estimate.bytes()).isEqualTo(100 * MB);
        assertThat(estimate.blockers()).isEmpty();
        farm.state("n0", NodeState.DRAINING);
        farm.settle();
        assertThat(farm.map.inodeCountAt("n0")).isZero();
        assertThat(farm.holders(7)).hasSize(2);
    }

    /**
     * A node of the other rack that has no time just now, or was not heard for a moment, has it
     * later.
     */
    @Test
    void copiesKeepToOtherRacksAlsoWhereTheirNodesAreOccupied() {
        nodes(4);
        for (long inode = 1; inode <= 100; inode++) {
            farm.file(inode, 2, MB, "n0", "n1");
        }
        farm.planner.limit(new RepairLimits(100, 1, 0, 0, 1));
        farm.state("n0", NodeState.DRAINING);
        farm.state("n2", NodeState.SUSPECT);
        farm.tick();
        assertThat(farm.holders(1)).containsExactly("n1");
        farm.state("n2", NodeState.UP);
        farm.settle();
        for (long inode = 1; inode <= 100; inode++) {
            assertThat(farm.holders(inode)).containsExactlyInAnyOrder("n1", "n2");
        }
    }

    @Test
    void aDrainWithNowhereToGoSaysSoAndKeepsTheCopies() {
        nodes(2);
        farm.file(1, 2, MB, "n0", "n1");
        assertThat(farm.planner.drainEstimate("n0").blockers())
                .containsExactly("inode 1: there is no other node for it");
        farm.state("n0", NodeState.DRAINING);
        farm.settle();
        assertThat(farm.map.rows(1)).hasSize(2);
        assertThat(farm.listed(Problem.UNDER)).containsExactly(1L);
    }

    @Test
    void staleAndCorruptCopiesGoOnlyWhenThereAreEnoughGoodOnes() {
        nodes(3);
        farm.file(1, 2, MB, "n0");
        farm.row(1, "n1", ReplicaState.CORRUPT);
        farm.planner.limit(new RepairLimits(8, 4, 0, 0, 1));
        List<RepairEffect> first = farm.tick();
        assertThat(first).as("the good copy comes before the bad one goes").hasSize(1);
        assertThat(first.getFirst()).isInstanceOf(RepairEffect.Copy.class);
        assertThat(farm.listed(Problem.CORRUPT)).containsExactly(1L);
        first.forEach(farm::carryOut);
        farm.settle();
        assertThat(farm.holders(1)).containsExactly("n0", "n2");
        assertThat(farm.map.rows(1)).hasSize(2);
        assertThat(farm.listed(Problem.CORRUPT)).isEmpty();
    }

    @Test
    void aBadCopyMakesRoomForAGoodOneWhereThereIsNoOtherNode() {
        nodes(2);
        farm.file(1, 2, MB, "n0");
        farm.row(1, "n1", ReplicaState.CORRUPT);
        farm.settle();
        assertThat(farm.holders(1)).containsExactly("n0", "n1");
        assertThat(farm.listed(Problem.CORRUPT)).isEmpty();
        farm.file(2, 2, MB);
        farm.row(2, "n0", ReplicaState.CORRUPT);
        farm.settle();
        assertThat(farm.map.rows(2)).as("the only copy is kept, bad as it is").hasSize(1);
    }

    @Test
    void copiesMoveToTheGroupsThatAreWanted() {
        nodes(6);
        farm.file(1, 2, MB, "n0", "n2");
        String group = farm.facts("n1").group();
        farm.contents.put(1L, new Content(1, 1, MB, MB, 2, 1, group + ":2"));
        farm.map.touched(1);
        farm.settle();
        assertThat(farm.holders(1))
                .hasSize(2)
                .allMatch(node -> farm.facts(node).group().equals(group));
        assertThat(farm.listed(Problem.MISPLACED)).isEmpty();
    }

    @Test
    void aGroupWithoutNodesLeavesTheCopiesWhereTheyAre() {
        nodes(3);
        farm.file(1, 2, MB, "n0", "n1");
        farm.contents.put(1L, new Content(1, 1, MB, MB, 2, 1, "elsewhere:2"));
        farm.map.touched(1);
        farm.settle();
        assertThat(farm.holders(1)).containsExactly("n0", "n1");
        assertThat(farm.listed(Problem.MISPLACED)).containsExactly(1L);
    }

    @Test
    void aCopyThatWasAskedForTakesThePlaceOfAnother() {
        nodes(3);
        farm.file(1, 1, MB, "n0");
        farm.settle();
        List<RepairEffect> asked = farm.planner.copyTo(1, "n2", farm.now);
        assertThat(asked).hasSize(1);
        RepairEffect.Copy copy = (RepairEffect.Copy) asked.getFirst();
        assertThat(copy.target()).isEqualTo("n2");
        farm.carryOut(copy);
        assertThat(farm.planner.surplusBeside(copy.object(), "n2"))
                .extracting(drop -> drop.row().getNode())
                .containsExactly("n0");
    }

    @Test
    void aCopyForTasksStaysUntilItIsLetGoOrItsTimeIsOver() {
        nodes(4);
        farm.file(1, 1, MB, "n0");
        farm.settle();
        for (String node : List.of("n1", "n2")) {
            farm.planner.keep(1, node, farm.now + 60 * SimFarm.SECOND);
            RepairEffect.Copy copy =
                    (RepairEffect.Copy) farm.planner.copyTo(1, node, farm.now).getFirst();
            assertThat(farm.planner.surplusBeside(copy.object(), node)).isEmpty();
            farm.carryOut(copy);
        }
        farm.settle();
        assertThat(farm.holders(1)).containsExactly("n0", "n1", "n2");
        farm.planner.letGo(1, "n1");
        farm.settle();
        assertThat(farm.holders(1)).hasSize(2).contains("n2");
        farm.now += 60 * SimFarm.SECOND;
        farm.settle();
        assertThat(farm.holders(1)).hasSize(1);
        assertThat(farm.listed(Problem.OVER)).isEmpty();
    }

    @Test
    void aFileWithoutAReadableCopyIsAwayUntilItsNodeReturns() {
        nodes(3);
        farm.file(1, 2, MB, "n0");
        for (NodeState silent : List.of(NodeState.SUSPECT, NodeState.DOWN)) {
            farm.state("n0", silent);
            farm.settle();
            assertThat(farm.listed(Problem.AWAY)).as("%s", silent).containsExactly(1L);
            assertThat(farm.listed(Problem.LOST)).as("%s", silent).isEmpty();
            assertThat(farm.planner.estimate(100).lost()).isEqualTo(1);
        }
        farm.state("n0", NodeState.UP);
        farm.settle();
        assertThat(farm.holders(1)).hasSize(2);
        assertThat(farm.listed(Problem.AWAY)).isEmpty();
    }

    @Test
    void aFileIsLostWhenNoNodeThatIsNotRemovedHasIt() {
        nodes(3);
        farm.file(1, 1, MB, "n0", "n1");
        farm.row(1, "n0", ReplicaState.LOST);
        farm.state("n1", NodeState.DOWN);
        farm.settle();
        assertThat(farm.listed(Problem.AWAY)).containsExactly(1L);
        farm.state("n1", NodeState.REMOVED);
        farm.settle();
        assertThat(farm.listed(Problem.LOST)).containsExactly(1L);
        assertThat(farm.listed(Problem.AWAY)).isEmpty();
        assertThat(farm.map.rows(1)).as("found again, it is the content").hasSize(2);
    }

    @Test
    void aDrainSaysWhichFilesItWaitsForAndWhy() {
        nodes(3);
        farm.file(1, 1, MB, "n0");
        farm.file(2, 1, MB, "n0");
        farm.file(3, 1, MB, "n0", "n1");
        farm.row(1, "n0", ReplicaState.LOST);
        farm.row(3, "n0", ReplicaState.CORRUPT);
        farm.state("n1", NodeState.DOWN);
        farm.state("n0", NodeState.DRAINING);
        farm.settle();
        assertThat(farm.holders(2)).as("it has moved").doesNotContain("n0");
        assertThat(farm.planner.drainEstimate("n0").blockers())
                .containsExactly(
                        "inode 1 is lost: n0 does not find its copy, and is asked for it again",
                        "inode 3 is away: n0: corrupt copy, n1 is down");
    }

    /** Else it would keep its node from being emptied for ever. */
    @Test
    void aLostCopyIsForgottenWhenThereAreGoodOnes() {
        nodes(3);
        farm.file(1, 1, MB, "n0", "n1");
        farm.row(1, "n0", ReplicaState.LOST);
        farm.state("n1", NodeState.SUSPECT);
        farm.settle();
        assertThat(farm.map.rows(1)).as("n1 may yet not find its own").hasSize(2);
        farm.state("n1", NodeState.UP);
        farm.settle();
        assertThat(farm.map.rows(1)).extracting(ReplicaImage::getNode).containsExactly("n1");
    }

    @Test
    void aFileBeingWrittenIsLeftAlone() {
        nodes(3);
        farm.written.add(1L);
        farm.file(1, 2, MB, "n0");
        assertThat(farm.tick()).isEmpty();
        farm.written.clear();
        farm.map.touched(1);
        assertThat(farm.tick()).hasSize(1);
    }

    @Test
    void noNodeGetsMoreCopiesAtOnceThanTheLimit() {
        nodes(6);
        for (long inode = 1; inode <= 200; inode++) {
            farm.file(inode, 2, MB, "n" + inode % 3);
        }
        farm.planner.limit(new RepairLimits(100, 2, 0, 0, 1));
        List<RepairEffect> effects = farm.tick();
        assertThat(effects).hasSizeBetween(3, 6);
        for (String node : farm.nodes.keySet()) {
            assertThat(
                            effects.stream()
                                    .filter(e ->
                                            e instanceof RepairEffect.Copy c
                                                    && c.target().equals(node))
                                    .count())
                    .isLessThanOrEqualTo(2);
            assertThat(
                            effects.stream()
                                    .filter(e ->
                                            e instanceof RepairEffect.Copy c
                                                    && c.sources().getFirst().equals(node))
                                    .count())
                    .isLessThanOrEqualTo(2);
        }
    }

    @Test
    void theRateIsKept() {
        nodes(8);
        for (long inode = 1; inode <= 500; inode++) {
            farm.file(inode, 2, 10 * MB, "n" + inode % 8);
        }
        farm.planner.limit(new RepairLimits(1000, 1000, 50 * MB, 0, 1));
        long copied = 0;
        for (int second = 0; second < 20; second++) {
            for (RepairEffect effect : farm.tick()) {
                copied += effect instanceof RepairEffect.Copy copy ? copy.bytes() : 0;
                farm.carryOut(effect);
            }
        }
        assertThat(copied).isBetween(19 * 50 * MB, 22 * 50 * MB);
        assertThat(farm.planner.estimate(1000).seconds()).isBetween(20.0, 1000.0);
    }

    @Test
    void whilePausedNothingBegins() {
        nodes(3);
        farm.file(1, 2, MB, "n0");
        farm.planner.pause(true);
        assertThat(farm.tick()).isEmpty();
        farm.planner.pause(false);
        assertThat(farm.tick()).hasSize(1);
    }

    @Test
    void trimmingKeepsOneCopyPerRack() {
        nodes(4);
        farm.file(1, 2, MB, "n0", "n2", "n1");
        farm.settle();
        Set<String> racks =
                farm.holders(1).stream().map(n -> farm.facts(n).rack()).collect(Collectors.toSet());
        assertThat(racks).containsExactlyInAnyOrder("r0", "r1");
    }

    @Test
    void theOnlyCopyOfARackIsNotTakenForSurplusWhileItsNodeComesBack() {
        nodes(4);
        farm.file(1, 2, MB, "n0", "n2", "n1");
        farm.state("n1", NodeState.SUSPECT);
        farm.settle();
        assertThat(farm.holders(1)).containsExactly("n0", "n1", "n2");
        farm.state("n1", NodeState.UP);
        farm.settle();
        assertThat(farm.holders(1)).hasSize(2).contains("n1");
    }

    @Test
    void balanceMovesFromTheFullestToTheEmptiestAndEnds() {
        farm.node("n0", "r0", NodeState.UP, 10 * GB, 9 * GB);
        farm.node("n1", "r1", NodeState.UP, 10 * GB, 5 * GB);
        farm.node("n2", "r2", NodeState.UP, 10 * GB, 0);
        for (long inode = 1; inode <= 90; inode++) {
            farm.file(inode, 1, 100 * MB, "n0");
        }
        farm.settle();
        assertThat(farm.done).as("off unless asked for").isEmpty();
        farm.planner.limit(new RepairLimits(8, 4, 0, 0, 0.1));
        farm.settle();
        double spread =
                farm.nodes.values().stream().mapToDouble(NodeFacts::freeShare).max().orElseThrow()
                        - farm.nodes.values().stream()
                                .mapToDouble(NodeFacts::freeShare)
                                .min()
                                .orElseThrow();
        assertThat(spread).isLessThanOrEqualTo(0.15);
        for (long inode = 1; inode <= 90; inode++) {
            assertThat(farm.holders(inode)).hasSize(1);
        }
    }

    @Test
    void balanceEndsWhereFilesAreTooLargeToMakeItMoreEven() {
        farm.node("n0", "r0", NodeState.UP, 10 * GB, 9 * GB);
        farm.node("n1", "r0", NodeState.UP, 10 * GB, 0);
        for (long inode = 1; inode <= 3; inode++) {
            farm.file(inode, 1, 3 * GB, "n0");
        }
        farm.planner.limit(new RepairLimits(8, 4, 0, 0, 0.1));
        farm.settle();
        assertThat(farm.map.inodeCountAt("n0")).isEqualTo(2);
        assertThat(farm.planner.isBalanced()).isTrue();
    }

    @Property(tries = 60)
    void whateverFailsNoGoodCopyIsLostAndTheLevelIsRestored(Dice dice) {
        int count = 5 + dice.below(4);
        nodes(count);
        for (long inode = 1; inode <= 60; inode++) {
            int wanted = 1 + dice.below(3);
            farm.file(inode, wanted, dice.below(1000) * 1000L, "n" + dice.below(count));
        }
        farm.settle();
        for (int round = 0; round < 30; round++) {
            String node = "n" + dice.below(count);
            farm.state(
                    node,
                    dice.oneOf(
                            NodeState.UP,
                            NodeState.UP,
                            NodeState.DOWN,
                            NodeState.SUSPECT,
                            NodeState.DRAINING,
                            NodeState.READONLY));
            if (dice.once(3)) {
                damage(1 + dice.below(60), dice);
            }
            for (int i = 0; i < dice.below(4); i++) {
                for (RepairEffect effect : farm.tick()) {
                    farm.carryOut(effect);
                }
            }
            requireEveryFileHasAGoodCopySomewhere();
        }
        for (String node : farm.nodes.keySet()) {
            farm.state(node, NodeState.UP);
        }
        farm.now += 10 * SimFarm.SECOND;
        farm.settle();
        for (Problem problem : Problem.values()) {
            assertThat(farm.listed(problem)).as("%s", problem).isEmpty();
        }
        farm.contents.forEach(
                (inode, content) -> assertThat(farm.holders(inode)).hasSize(content.wanted()));
    }

    /** One copy goes bad, if there is another good one. */
    private void damage(long inode, Dice dice) {
        List<ReplicaImage> good =
                farm.map.rows(inode).stream()
                        .filter(r -> r.getState() == ReplicaState.VALID)
                        .toList();
        if (good.size() > 1) {
            farm.row(
                    inode,
                    dice.oneOf(good).getNode(),
                    dice.oneOf(ReplicaState.STALE, ReplicaState.CORRUPT));
        }
    }

    private void requireEveryFileHasAGoodCopySomewhere() {
        for (long inode : farm.contents.keySet()) {
            List<ReplicaImage> rows = farm.map.rows(inode);
            assertThat(rows.stream().filter(r -> r.getState() == ReplicaState.VALID).count())
                    .isPositive();
            assertThat(rows.stream().map(ReplicaImage::getNode).distinct().count())
                    .isEqualTo(rows.size());
        }
    }
}
