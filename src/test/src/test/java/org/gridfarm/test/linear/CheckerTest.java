package org.gridfarm.test.linear;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.linear.Tree.Call;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The checker must see what is wrong and must accept what is right; otherwise a green run says
 * nothing.
 */
@Tag("quick")
class CheckerTest {
    private static final Checker<Tree, Call, String> CHECKER = new Checker<>(Tree.MODEL);

    private static Operation<Call, String> op(
            int client, Call call, String outcome, long called, long returned) {
        return new Operation<>(client, call, outcome, called, returned);
    }

    @SafeVarargs
    private static boolean linearizable(Operation<Call, String>... operations) {
        return CHECKER.check(List.of(operations)).linearizable();
    }

    @Test
    void whatReturnedIsSeenByWhatStartsLater() {
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), "ok", 1, 2),
                                op(2, new Call.Stat("/a"), "file 644 1", 3, 4)))
                .isTrue();
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), "ok", 1, 2),
                                op(2, new Call.Stat("/a"), "ENOENT", 3, 4)))
                .isFalse();
    }

    @Test
    void whatOverlapsMayBeSeenOrNot() {
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), "ok", 1, 5),
                                op(2, new Call.Stat("/a"), "ENOENT", 2, 3)))
                .isTrue();
    }

    @Test
    void whatWasSeenOnceIsNotUnseen() {
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), "ok", 1, 10),
                                op(2, new Call.Stat("/a"), "file 644 1", 2, 3),
                                op(3, new Call.Stat("/a"), "ENOENT", 4, 5)))
                .isFalse();
    }

    @Test
    void exclusiveCreationHasOneWinner() {
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), "ok", 1, 5),
                                op(2, new Call.Create("/a", true), "ok", 1, 5)))
                .isFalse();
    }

    @Test
    void anUnknownOutcomeMayHaveHappenedLaterOrNever() {
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), null, 1, 0),
                                op(2, new Call.Stat("/a"), "ENOENT", 10, 11),
                                op(2, new Call.Stat("/a"), "file 644 1", 12, 13)))
                .isTrue();
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), null, 1, 0),
                                op(2, new Call.Stat("/a"), "ENOENT", 10, 11)))
                .isTrue();
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), null, 20, 0),
                                op(2, new Call.Stat("/a"), "file 644 1", 10, 11)))
                .isFalse();
    }

    @Test
    void aRenameIsNeverHalfSeen() {
        assertThat(
                        linearizable(
                                op(1, new Call.Create("/a", true), "ok", 1, 2),
                                op(1, new Call.Rename("/a", "/b"), "ok", 3, 10),
                                op(2, new Call.List("/"), "a,b", 4, 5)))
                .isFalse();
    }

    @Test
    void everyHistoryMadeByAnAtomicServerIsAccepted() {
        long seed = Tier.seed(1);
        for (int round = 0; round < Tier.count("histories.made"); round++) {
            Random random = new Random(seed + round);
            assertThat(CHECKER.check(Histories.atomic(random, 4, 200)))
                    .as("seed %d", seed + round)
                    .matches(Checker.Verdict::linearizable);
        }
    }

    @Test
    void aReaderWithAStaleCacheIsCaughtSoonerOrLater() {
        long seed = Tier.seed(1);
        int caught = 0;
        for (int round = 0; round < 50; round++) {
            caught +=
                    CHECKER.check(Histories.withStaleReads(new Random(seed + round), 4, 200))
                                    .linearizable()
                            ? 0
                            : 1;
        }
        assertThat(caught).as("seed %d", seed).isGreaterThan(40);
    }

    /**
     * Histories by construction: every operation takes effect at one instant between its call and
     * its return.
     */
    private static final class Histories {
        static List<Operation<Call, String>> atomic(Random random, int clients, int operations) {
            return make(random, clients, operations, 0);
        }

        static List<Operation<Call, String>> withStaleReads(
                Random random, int clients, int operations) {
            return make(random, clients, operations, 4);
        }

        private static List<Operation<Call, String>> make(
                Random random, int clients, int operations, int staleEvery) {
            List<Operation<Call, String>> history = new ArrayList<>();
            List<Tree> past = new ArrayList<>(List.of(Tree.EMPTY));
            long[] free = new long[clients];
            for (int i = 0; i < operations; i++) {
                long instant = 100L * i + 100;
                int client = random.nextInt(clients);
                if (free[client] >= instant) {
                    continue;
                }
                Call call = RandomCalls.next(random);
                Tree now = past.get(past.size() - 1);
                boolean stale =
                        staleEvery > 0
                                && call instanceof Call.Stat
                                && random.nextInt(staleEvery) == 0;
                Tree seen = stale ? past.get(Math.max(0, past.size() - 20)) : now;
                Model.Step<Tree, String> step = Tree.MODEL.step(seen, call);
                if (!stale) {
                    past.add(step.state());
                }
                long called = Math.max(free[client] + 1, instant - random.nextInt(150));
                long returned = instant + random.nextInt(250);
                free[client] = returned;
                history.add(new Operation<>(client, call, step.outcome(), called, returned));
            }
            return history;
        }
    }
}
