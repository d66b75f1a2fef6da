package org.gridfarm.metaserver.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** How long a session lives that owes answers to recalls, and renews its lease every second. */
class OwedRecallsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long LEASE = 5 * SECOND;

    private final ClientCoherence clients = new ClientCoherence(80);
    private final Deque<Effect.SendRecall> owed = new ArrayDeque<>();
    private long wait;

    OwedRecallsTest() {
        clients.open(1, LEASE);
    }

    private void recall(long now) {
        List<Effect> effects = new ArrayList<>();
        DataTouch touch = new DataTouch(7, 0, true);
        clients.recallData(++wait, Map.of(1L, List.of(touch)), now, effects);
        owed.add((Effect.SendRecall) effects.getFirst());
    }

    private void answerOldest() {
        clients.acknowledged(1, owed.remove().recall(), new ArrayList<>());
    }

    private boolean livesAt(long now) {
        clients.renew(1, now, LEASE);
        clients.expire(now, new ArrayList<>());
        return clients.knows(1);
    }

    /** As where a node is silent, which its writers are told every second. */
    @Test
    void whoAnswersEachInTimeLivesThoughItNeverOwesNone() {
        for (long second = 0; second < 60; second++) {
            recall(second * SECOND);
            if (second >= 3) answerOldest();
            assertThat(livesAt(second * SECOND)).as("after %s s", second).isTrue();
        }
        assertThat(owed).hasSize(3);
    }

    @Test
    void whoLeavesOneUnansweredLivesForALeaseHoweverManyOthersItAnswers() {
        recall(0);
        long unanswered = owed.remove().recall();
        for (long second = 1; second < 5; second++) {
            recall(second * SECOND);
            answerOldest();
            assertThat(livesAt(second * SECOND)).as("after %s s", second).isTrue();
        }
        assertThat(livesAt(LEASE)).as("owes %s for longer than a lease", unanswered).isFalse();
    }

    @Test
    void whoCouldNotBeHeardOwesFromThenOn() {
        recall(0);
        clients.heardNobody(4 * SECOND, LEASE);
        assertThat(livesAt(8 * SECOND)).isTrue();
        assertThat(livesAt(9 * SECOND)).isFalse();
    }
}
