package org.gridfarm.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

class ClockTest {
    @Test
    void virtualTimeMovesOnlyWhenItIsMoved() {
        SimClock clock = new SimClock(Instant.EPOCH);
        assertThat(clock.micros()).isZero();
        clock.advance(Duration.ofMillis(1500));
        assertThat(clock.now()).isEqualTo(Instant.ofEpochMilli(1500));
        assertThat(clock.nanoTime()).isEqualTo(1_500_000_000L);
        assertThat(clock.micros()).isEqualTo(1_500_000L);
    }

    @Test
    void timersRunInOrderOfTheirInstantsThenOfSetting() {
        SimClock clock = new SimClock();
        List<String> ran = new ArrayList<>();
        clock.after(Duration.ofSeconds(2), () -> ran.add("late"));
        clock.after(Duration.ofSeconds(1), () -> ran.add("first"));
        clock.after(
                Duration.ofSeconds(1),
                () -> {
                    ran.add("second");
                    clock.after(Duration.ZERO, () -> ran.add("set on the way"));
                });
        Clock.Timer cancelled = clock.after(Duration.ofSeconds(1), () -> ran.add("cancelled"));
        cancelled.cancel();
        clock.advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("first", "second", "set on the way");
        assertThat(clock.runNext()).isTrue();
        assertThat(ran).endsWith("late");
        assertThat(clock.runNext()).isFalse();
        assertThat(clock.nanoTime()).isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void theSystemsTimersRunAfterTheirDelayAndNotWhenCancelled() throws InterruptedException {
        Clock clock = Clock.system();
        long began = clock.nanoTime();
        CountDownLatch ran = new CountDownLatch(1);
        AtomicBoolean cancelledRan = new AtomicBoolean();
        clock.after(Duration.ofMillis(400), () -> cancelledRan.set(true)).cancel();
        clock.after(
                Duration.ofMillis(5),
                () -> {
                    throw new IllegalStateException("planted: the timers of others go on");
                });
        clock.after(Duration.ofMillis(500), ran::countDown);
        assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(clock.nanoTime() - began).isGreaterThanOrEqualTo(500_000_000L);
        assertThat(cancelledRan).isFalse();
    }

    @Test
    void aSeedGivesTheSameNumbersWithinTheirBounds() {
        Entropy one = Entropy.seeded(7);
        Entropy two = Entropy.seeded(7);
        for (int i = 0; i < 1000; i++) {
            assertThat(one.nextInt(10)).isEqualTo(two.nextInt(10)).isBetween(0, 9);
            assertThat(one.nextDouble()).isEqualTo(two.nextDouble()).isBetween(0.0, 1.0);
        }
        byte[] bytes = new byte[13];
        one.fill(bytes);
        assertThat(bytes).isNotEqualTo(new byte[13]);
    }
}
