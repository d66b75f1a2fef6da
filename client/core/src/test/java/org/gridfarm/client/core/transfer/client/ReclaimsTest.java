package org.gridfarm.client.core.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** How long a leader is asked for an open file. */
class ReclaimsTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final SimClock clock = new SimClock();
    private final long until = clock.nanoTime() + DEADLINE.toNanos();
    private int asked;
    private boolean isOpen = true;
    private ErrorKind failure = ErrorKind.NOT_READY;
    private int failures = Integer.MAX_VALUE;

    /** A leader that has just stood still, for example, takes every node for down. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorKind.class,
            names = {"TIMED_OUT", "OVERLOADED", "NOT_READY", "DATA_UNAVAILABLE"})
    void whatPassesIsWaitedFor(ErrorKind kind) {
        failure = kind;
        failures = 3;
        CompletableFuture<Void> back = reclaimed();
        clock.advance(TransferLimits.RETRY_PAUSE.multipliedBy(2));
        assertThat(back).isNotDone();
        clock.advance(TransferLimits.RETRY_PAUSE);
        assertThat(back).isCompleted();
    }

    @Test
    void notForEver() {
        CompletableFuture<Void> back = reclaimed();
        clock.advance(DEADLINE.plus(TransferLimits.RETRY_PAUSE));
        assertThat(back).isCompletedExceptionally();
    }

    @Test
    void whatDoesNotPassIsNotWaitedFor() {
        failure = ErrorKind.STALE;
        assertThat(reclaimed()).isCompletedExceptionally();
        assertThat(asked).isOne();
    }

    @Test
    void theNextLeaderIsAskedByOthers() {
        isOpen = false;
        assertThat(reclaimed()).isCompletedExceptionally();
        assertThat(asked).isOne();
    }

    private CompletableFuture<Void> reclaimed() {
        return Reclaims.again(
                clock,
                until,
                () -> isOpen,
                () ->
                        asked++ < failures
                                ? CompletableFuture.failedFuture(
                                        new FarmException(failure, "reopen", ""))
                                : CompletableFuture.completedFuture(null));
    }
}
