package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.gridfarm.protocol.rpc.Liveness.Verdict.DEAD;
import static org.gridfarm.protocol.rpc.Liveness.Verdict.FINE;
import static org.gridfarm.protocol.rpc.Liveness.Verdict.PING;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** Times are in milliseconds after the connection began. */
class LivenessTest {
    private final Liveness liveness = new Liveness(KeepAlive.DEFAULT, 0);

    @Test
    void whoSaysNothingPingsAndWhoHearsNothingGivesUp() {
        assertThat(tick(500)).isEqualTo(FINE);
        assertThat(tick(1000)).isEqualTo(PING);
        liveness.spoke(nanos(1000));
        assertThat(tick(1500)).isEqualTo(FINE);
        for (int at = 2000; at < 4000; at += 500) assertThat(tick(at)).isEqualTo(PING);
        assertThat(tick(4000)).isEqualTo(DEAD);
    }

    @Test
    void anySignOfLifeStartsTheSilenceAnew() {
        for (int at = 500; at <= 3500; at += 500) tick(at);
        liveness.heard(nanos(3900));
        for (int at = 4000; at <= 7500; at += 500) assertThat(tick(at)).isNotEqualTo(DEAD);
        assertThat(tick(8000)).isEqualTo(DEAD);
    }

    @Test
    void aProcessThatWasStoppedDoesNotTakeTheOthersForDead() {
        tick(500);
        assertThat(tick(60_000)).as("the first tick after a minute of SIGSTOP").isNotEqualTo(DEAD);
        for (int at = 60_500; at < 64_000; at += 500) assertThat(tick(at)).isNotEqualTo(DEAD);
        assertThat(tick(64_000)).isEqualTo(DEAD);
    }

    @Test
    void whileWeDoNotReadProgressInSendingIsLifeAndItsLackIsDeath() {
        for (int at = 500; at <= 10_000; at += 500)
            assertThat(liveness.tick(nanos(at), true, 1_000_000 - at)).isNotEqualTo(DEAD);
        for (int at = 10_500; at < 14_000; at += 500)
            assertThat(liveness.tick(nanos(at), true, 990_000)).isNotEqualTo(DEAD);
        liveness.tick(nanos(14_000), true, 990_000);
        assertThat(liveness.tick(nanos(14_500), true, 990_000)).isEqualTo(DEAD);
    }

    private Liveness.Verdict tick(long millis) {
        return liveness.tick(nanos(millis), false, 0);
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
