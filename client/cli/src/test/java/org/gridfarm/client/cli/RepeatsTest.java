package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.error.ErrorKind;
import org.junit.jupiter.api.Test;

/** Calls to a scheduler that cannot be reached, or has no room. */
class RepeatsTest {
    private static final long SECOND = 1_000_000_000;

    private final Repeats repeats = new Repeats(0);

    @Test
    void whoLeadsIsSearchedForSoLong() {
        assertThat(repeats.after(ErrorKind.NOT_LEADER, 19 * SECOND))
                .isEqualTo(Repeats.Step.ELSEWHERE);
        assertThat(repeats.after(ErrorKind.NOT_READY, 20 * SECOND))
                .isEqualTo(Repeats.Step.ELSEWHERE);
        assertThat(repeats.after(ErrorKind.DISCONNECTED, 21 * SECOND))
                .isEqualTo(Repeats.Step.GIVE_UP);
        assertThat(repeats.after(ErrorKind.NOT_FOUND, 0)).isEqualTo(Repeats.Step.GIVE_UP);
    }

    /** The scheduler holds the room of a call that was given up for ten seconds after that. */
    @Test
    void whatIsRefusedForWantOfRoomComesAgainAlsoLongAfterItsFirstAnswerWasLost() {
        assertThat(repeats.after(ErrorKind.OVERLOADED, 1)).isEqualTo(Repeats.Step.LATER);
        assertThat(repeats.after(ErrorKind.TIMED_OUT, 10 * SECOND))
                .isEqualTo(Repeats.Step.ELSEWHERE);
        assertThat(repeats.after(ErrorKind.OVERLOADED, 25 * SECOND)).isEqualTo(Repeats.Step.LATER);
        assertThat(repeats.after(ErrorKind.OVERLOADED, 31 * SECOND))
                .isEqualTo(Repeats.Step.GIVE_UP);
    }
}
