package org.gridfarm.metaserver.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** The core of coherence, event by event; times are seconds in nanoseconds. */
class LeaderCoherenceTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Touch NAME = new Touch(1, ByteString.copyFromUtf8("x"), 12);

    private final ClientCoherence clients = new ClientCoherence();
    private final LeaderCoherence leader = new LeaderCoherence(clients, 0, 0, List.of());
    private final List<Effect> effects = new ArrayList<>();

    LeaderCoherenceTest() {
        leader.expire(0, effects);
    }

    @Test
    void aBatchCompletesWhenItIsDurableAndMarkedAndDropped() {
        clients.open(11, 5 * SECOND);
        assertThat(clients.grant(11, Keys.directory(1), 0)).isTrue();
        leader.admit("c1", 2 * SECOND);
        leader.executed(NAME);
        assertThat(leader.pending(Keys.directory(1))).isEqualTo(1);
        assertThat(leader.close(0, effects)).containsExactly("c1");
        Effect.SendRecall recall = (Effect.SendRecall) effects.getFirst();
        effects.clear();
        leader.durable(1, effects);
        leader.marked("c1", 1, effects);
        assertThat(effects).isEmpty();
        List<Effect> answered = new ArrayList<>();
        clients.acknowledged(11, recall.recall(), answered);
        leader.absorb(answered, effects);
        assertThat(effects).containsExactly(new Effect.Completed(1));
        assertThat(leader.pending(Keys.directory(1))).isZero();
    }

    /** Session 11, whose lease is of five seconds. */
    private void oweAnAnswerSince(long now) {
        clients.open(11, 5 * SECOND);
        clients.grant(11, Keys.directory(1), 0);
        leader.executed(NAME);
        leader.close(now, effects);
        leader.durable(1, effects);
    }

    @Test
    void whoRenewsAndDoesNotAnswerIsEvictedAllTheSame() {
        oweAnAnswerSince(SECOND);
        for (long now = SECOND; now < 6 * SECOND; now += SECOND) {
            clients.renew(11, now, 5 * SECOND);
            leader.expire(now, effects);
            assertThat(effects).doesNotContain(new Effect.Completed(1));
        }
        leader.expire(6 * SECOND, effects);
        assertThat(effects)
                .contains(new Effect.SessionEnded(11, true, true), new Effect.Completed(1));
    }

    @Test
    void whoCouldNotBeHeardIsWaitedForAnew() {
        oweAnAnswerSince(SECOND);
        clients.heardNobody(60 * SECOND, 5 * SECOND);
        clients.renew(11, 63 * SECOND, 5 * SECOND);
        leader.expire(65 * SECOND - 1, effects);
        assertThat(effects).doesNotContain(new Effect.SessionEnded(11, true, true));
        leader.expire(65 * SECOND, effects);
        assertThat(effects)
                .contains(new Effect.SessionEnded(11, true, true), new Effect.Completed(1));
    }

    @Test
    void aSilentCacheIsWaitedForUntilItsLeaseIsOver() {
        leader.admit("c1", 2 * SECOND);
        leader.executed(NAME);
        leader.close(0, effects);
        leader.durable(1, effects);
        leader.expire(2 * SECOND - 1, effects);
        assertThat(effects).isEmpty();
        leader.expire(2 * SECOND, effects);
        assertThat(effects).containsExactly(new Effect.CacheDropped("c1"), new Effect.Completed(1));
    }

    @Test
    void whatWasTakenAwayIsNotHandedOutAgainAtOnce() {
        clients.open(11, 5 * SECOND);
        clients.grant(11, Keys.directory(1), 0);
        leader.executed(NAME);
        leader.close(0, effects);
        assertThat(clients.grant(11, Keys.directory(1), SECOND / 2)).isFalse();
        assertThat(clients.grant(11, Keys.directory(1), SECOND)).isTrue();
    }

    @Test
    void theOriginatorIsNotRecalled() {
        clients.open(12, 5 * SECOND);
        clients.grant(12, Keys.directory(1), 0);
        leader.executed(NAME);
        leader.close(0, effects);
        assertThat(effects).isEmpty();
        leader.durable(1, effects);
        assertThat(effects).containsExactly(new Effect.Completed(1));
    }

    @Test
    void nothingCompletesWhileLeasesOfTheFormerLeaderRun() {
        LeaderCoherence young = new LeaderCoherence(clients, 7, 5 * SECOND, List.of());
        young.executed(NAME);
        young.close(0, effects);
        young.durable(8, effects);
        young.expire(4 * SECOND, effects);
        assertThat(effects).isEmpty();
        young.expire(5 * SECOND, effects);
        assertThat(effects).containsExactly(new Effect.Completed(8));
    }
}
