package org.gridfarm.scheduler.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FairShareTest {
    private final FairShare share = new FairShare();

    @Test
    void whoeverHasHadLeastIsChargedLeast() {
        share.started("busy", 4, 0);
        share.ended("busy", 4, 100);
        share.started("now and then", 1, 100);
        assertThat(share.charge("now and then", 110, 1)).isLessThan(share.charge("busy", 110, 1));
        assertThat(share.charge("new", 110, 1)).isZero();
    }

    @Test
    void whatRunsCountsForAsMuchAsATaskTakes() {
        share.started("a", 2, 0);
        assertThat(share.charge("a", 0, 30)).isEqualTo(60);
        assertThat(share.running("a")).isEqualTo(2);
    }

    @Test
    void halfIsForgottenInAHalfLife() {
        share.started("a", 1, 0);
        share.ended("a", 1, 8);
        double then = share.charge("a", 8, 1);
        assertThat(share.charge("a", 8 + FairShare.HALF_LIFE_SECONDS, 1))
                .isCloseTo(then / 2, within(1e-9));
    }

    @Test
    void anotherProcessGoesOnFromWhatWasWrittenDown() {
        share.started("a", 1, 0);
        share.ended("a", 1, 100);
        FairShare next = new FairShare();
        share.used(100).forEach((user, used) -> next.restore(user, used, 50, 7));
        assertThat(next.charge("a", 7, 1)).isCloseTo(share.charge("a", 150, 1), within(1e-9));
        assertThat(share.used(100)).containsOnlyKeys("a");
    }
}
