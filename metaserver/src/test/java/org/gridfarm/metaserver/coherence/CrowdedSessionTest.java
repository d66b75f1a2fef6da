package org.gridfarm.metaserver.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** A session that holds more than it may. */
class CrowdedSessionTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int MAX = 80;

    private final ClientCoherence clients = new ClientCoherence(MAX);
    private final List<Effect> effects = new ArrayList<>();

    CrowdedSessionTest() {
        clients.open(1, 5 * SECOND);
        clients.open(2, 5 * SECOND);
    }

    private void read(int from, int to) {
        for (int inode = from; inode <= to; inode++) clients.grant(1, Keys.attributes(inode), 0);
    }

    @Test
    void whatItHasHeldForLongestIsTakenFromItAndNobodyWaits() {
        read(1, MAX);
        clients.expire(SECOND, effects);
        assertThat(effects).isEmpty();
        read(MAX + 1, MAX + 5);
        clients.expire(SECOND, effects);
        Effect.SendRecall recall = (Effect.SendRecall) effects.get(0);
        assertThat(effects).hasSize(1);
        assertThat(recall.session()).isEqualTo(1);
        assertThat(recall.touches()).extracting(Touch::inode).startsWith(1L, 2L, 3L).hasSize(15);
        assertThat(clients.held()).as("until it answers").isEqualTo(MAX + 5);
        clients.acknowledged(1, recall.recall(), effects);
        assertThat(clients.held()).isEqualTo(MAX - 10);
        read(1, 3);
        assertThat(clients.held()).as("it may read them again at once").isEqualTo(MAX - 7);
    }

    private long askedForRoom() {
        read(1, MAX + 1);
        clients.expire(SECOND, effects);
        Effect.SendRecall recall = (Effect.SendRecall) effects.removeFirst();
        assertThat(effects).isEmpty();
        return recall.recall();
    }

    private void changed(int inode) {
        effects.clear();
        clients.recall(7, List.of(new Touch(inode, null, 2)), SECOND, effects);
    }

    /** It may be stopped, and believe all of it as long as its lease lasts. */
    @Test
    void whoChangesWhatItHasNotGivenBackYetWaitsForIt() {
        long room = askedForRoom();
        changed(1);
        Effect.SendRecall recall = (Effect.SendRecall) effects.removeFirst();
        assertThat(recall.session()).isEqualTo(1);
        assertThat(effects).doesNotContain(new Effect.RecallsDone(7));
        clients.acknowledged(1, room, effects);
        assertThat(effects).doesNotContain(new Effect.RecallsDone(7));
        clients.acknowledged(1, recall.recall(), effects);
        assertThat(effects).contains(new Effect.RecallsDone(7));
    }

    @Test
    void whatItReadsAgainBeforeItAnswersItHolds() {
        long room = askedForRoom();
        assertThat(clients.grant(1, Keys.attributes(1), SECOND)).isTrue();
        clients.acknowledged(1, room, effects);
        changed(1);
        assertThat(effects).hasSize(1).first().isInstanceOf(Effect.SendRecall.class);
        changed(2);
        assertThat(effects).containsExactly(new Effect.RecallsDone(7));
    }

    @Test
    void whoDoesNotGiveBackIsGrantedNoMoreThanTwiceAsMuch() {
        for (int i = 0; i < 10; i++) {
            read(i * MAX + 1, (i + 1) * MAX);
            clients.expire(SECOND, effects);
        }
        assertThat(effects).as("asked once, while it does not answer").hasSize(1);
        assertThat(clients.held()).isLessThanOrEqualTo(2 * MAX);
        clients.expire(6 * SECOND, effects);
        assertThat(effects).contains(new Effect.SessionEnded(1, true, true));
        assertThat(clients.held()).isZero();
    }

    @Test
    void whoIsGrantedNothingKeepsWhatItHas() {
        read(1, 2);
        clients.grantNothing(1, 3 * SECOND);
        assertThat(clients.grant(1, Keys.attributes(9), SECOND)).isFalse();
        assertThat(clients.grant(2, Keys.attributes(9), SECOND)).isTrue();
        assertThat(clients.held()).isEqualTo(3);
        assertThat(clients.grant(1, Keys.attributes(9), 3 * SECOND)).isTrue();
    }
}
