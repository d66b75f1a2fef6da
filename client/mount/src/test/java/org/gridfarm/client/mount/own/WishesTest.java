package org.gridfarm.client.mount.own;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class WishesTest {
    private static final long DIRECTORY = 9;

    private final Wishes wishes = new Wishes();
    private long now = -1_000_000_000_000L;

    @Test
    void whoChangesNamesThereOnceOrSlowlyAsksForNothing() {
        for (int i = 0; i < 10; i++) {
            assertThat(changes(false)).isFalse();
            pass(Wishes.SOON.plusMillis(1));
        }
    }

    @Test
    void whoGoesOnAsks() {
        for (int i = 1; i < Wishes.CHANGES; i++) assertThat(changes(false)).isFalse();
        assertThat(changes(false)).isTrue();
        assertThat(wishes.changes(DIRECTORY + 1, false, now)).as("of another one").isFalse();
    }

    @Test
    void inADirectoryOfOurOwnOneChangeIsEnough() {
        assertThat(changes(true)).isTrue();
    }

    @Test
    void whatWasRefusedIsNotAskedForUntilThePauseIsOver() {
        wishes.refused(DIRECTORY, Duration.ofSeconds(1), now);
        for (int i = 0; i < 9; i++) {
            pass(Duration.ofMillis(100));
            assertThat(changes(true)).isFalse();
        }
        pass(Duration.ofMillis(100));
        assertThat(changes(true)).isTrue();
    }

    @Test
    void whatWasGivenIsCountedAnewWhenItIsGone() {
        for (int i = 1; i < Wishes.CHANGES; i++) changes(false);
        wishes.given(DIRECTORY);
        assertThat(changes(false)).isFalse();
    }

    private boolean changes(boolean alone) {
        return wishes.changes(DIRECTORY, alone, now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
