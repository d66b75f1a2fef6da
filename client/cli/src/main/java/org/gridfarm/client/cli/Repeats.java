package org.gridfarm.client.cli;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.Retry;

import java.time.Duration;

/**
 * How long a call to the scheduler is repeated. While nobody can be reached that is so long from
 * its beginning. One that is refused because too much is asked for comes again on the same
 * connection, and so long after the last answer that was lost: until then it may be the call
 * itself, sent before, that takes the room.
 */
final class Repeats {
    private static final long SEARCH_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();
    private static final long BUSY_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /** What is done about a failure. */
    enum Step {
        GIVE_UP(0),
        /** Whoever leads now may be somebody else. */
        ELSEWHERE(PAUSE_NANOS),
        /** The same one has room again, some time. */
        LATER(BUSY_PAUSE_NANOS);

        private final long pauseNanos;

        Step(long pauseNanos) {
            this.pauseNanos = pauseNanos;
        }

        long pauseNanos() {
            return pauseNanos;
        }
    }

    private final long begun;
    private long lost; // when an answer was last

    Repeats(long nowNanos) {
        begun = nowNanos;
        lost = nowNanos;
    }

    Step after(ErrorKind failure, long nowNanos) {
        if (failure == ErrorKind.OVERLOADED) {
            return nowNanos - lost > SEARCH_NANOS ? Step.GIVE_UP : Step.LATER;
        }
        boolean isElsewhere = failure.retry() == Retry.ELSEWHERE || failure == ErrorKind.NOT_READY;
        if (!isElsewhere || nowNanos - begun > SEARCH_NANOS) {
            return Step.GIVE_UP;
        }
        lost = nowNanos;
        return Step.ELSEWHERE;
    }
}
