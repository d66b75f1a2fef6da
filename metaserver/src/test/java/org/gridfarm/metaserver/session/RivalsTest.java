package org.gridfarm.metaserver.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class RivalsTest {
    private static final long DIRECTORY = 9;
    private static final long MINE = 7;
    private static final long OTHER = 8;

    private final Rivals rivals = new Rivals();
    private long now = -1_000_000_000_000L; // a monotonic clock may begin anywhere

    @Test
    void whoIsAloneInADirectoryMayHaveIt() {
        assertThat(pause(MINE)).isZero();
        changed(MINE);
        changed(MINE);
        assertThat(pause(MINE)).isZero();
    }

    @Test
    void notWhereAnotherHasJustChangedANameBeforeOrAfter() {
        changed(OTHER);
        changed(MINE);
        assertThat(pause(MINE)).isEqualTo(Rivals.ALONE_FOR.toNanos());
        pass(Rivals.ALONE_FOR);
        assertThat(pause(MINE)).isZero();
        changed(OTHER);
        assertThat(pause(MINE)).isPositive();
    }

    @Test
    void whatIsAskedBackAtOnceStaysLongerWithTheLeaderEachTime() {
        long last = 0;
        for (int i = 0; i < 5; i++) {
            rivals.given(DIRECTORY, now);
            rivals.askedBack(DIRECTORY, now);
            assertThat(pause(MINE)).isGreaterThan(last);
            last = pause(MINE);
            pass(Duration.ofNanos(last));
            assertThat(pause(MINE)).isZero();
        }
        for (int i = 0; i < 20; i++) {
            rivals.given(DIRECTORY, now);
            rivals.askedBack(DIRECTORY, now);
        }
        assertThat(pause(MINE)).as("bounded").isEqualTo(Rivals.PAUSE_MAX.toNanos());
    }

    @Test
    void onceItWasWorthWhileItIsGivenAgainSoon() {
        for (int i = 0; i < 5; i++) rivals.askedBack(DIRECTORY, now);
        pass(Rivals.PAUSE_MAX);
        rivals.given(DIRECTORY, now);
        pass(Rivals.HELD_WELL);
        rivals.askedBack(DIRECTORY, now);
        assertThat(pause(MINE)).isEqualTo(Rivals.PAUSE_MIN.toNanos());
    }

    private void changed(long session) {
        rivals.changed(DIRECTORY, session, now);
    }

    private long pause(long session) {
        return rivals.pauseNanos(DIRECTORY, session, now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
