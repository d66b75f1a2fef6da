package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class GraceTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Grace grace = new Grace(0, Duration.ofSeconds(6), Duration.ofSeconds(30));

    @Test
    void endsInTimeWhenNobodyComesBack() {
        assertThat(grace.lasts(6 * SECOND - 1)).isTrue();
        assertThat(grace.lasts(6 * SECOND)).isFalse();
    }

    @Test
    void whoComesBackEarlyDoesNotShortenIt() {
        grace.isUsed(SECOND);
        assertThat(grace.lasts(6 * SECOND - 1)).isTrue();
    }

    @Test
    void goesOnWhileSomebodyBringsBackWhatHeHad() {
        for (long now = 0; now < 20 * SECOND; now += SECOND / 2) {
            grace.isUsed(now);
            assertThat(grace.lasts(now)).isTrue();
        }
        assertThat(grace.lasts(21 * SECOND)).as("a second after the last").isFalse();
        grace.isUsed(22 * SECOND);
        assertThat(grace.lasts(22 * SECOND)).as("what is over stays over").isFalse();
    }

    @Test
    void doesNotGoOnForEver() {
        for (long now = 0; now < 40 * SECOND; now += SECOND / 2) {
            grace.isUsed(now);
        }
        assertThat(grace.lasts(30 * SECOND - 1)).isTrue();
        assertThat(grace.lasts(30 * SECOND)).isFalse();
    }
}
