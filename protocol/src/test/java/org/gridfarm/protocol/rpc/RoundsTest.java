package org.gridfarm.protocol.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;

class RoundsTest {
    @Test
    void aMillionStepsNeedNoMoreStackThanOne() {
        int[] steps = {0};
        CompletableFuture<Void> done =
                Rounds.of(() -> CompletableFuture.completedFuture(++steps[0] < 1_000_000));
        assertThat(done).isCompleted();
        assertThat(steps[0]).isEqualTo(1_000_000);
    }

    /** As a chain of thenCompose would: all of them, until the last one is done. */
    @Test
    void noStepWaitsForAnother() {
        CompletableFuture<?>[] now = {null};
        int[] steps = {0};
        CompletableFuture<Void> done =
                Rounds.of(() -> {
                    steps[0]++;
                    CompletableFuture<Boolean> step = new CompletableFuture<>();
                    now[0] = step;
                    return step;
                });
        for (int i = 0; i < 1000; i++) {
            CompletableFuture<?> step = now[0];
            assertThat(step.getNumberOfDependents()).isEqualTo(1);
            complete(step, true);
            assertThat(step.getNumberOfDependents()).isZero();
            assertThat(done.getNumberOfDependents()).isZero();
        }
        complete(now[0], false);
        assertThat(done).isCompleted();
        assertThat(steps[0]).isEqualTo(1001);
    }

    @SuppressWarnings("unchecked")
    private static void complete(CompletableFuture<?> step, boolean more) {
        ((CompletableFuture<Boolean>) step).complete(more);
    }

    @Test
    void whatFailsEndsItWithItsReason() {
        FarmException why = new FarmException(ErrorKind.BUSY, "test", "");
        assertThat(Rounds.of(() -> CompletableFuture.failedFuture(why)))
                .failsWithin(java.time.Duration.ZERO)
                .withThrowableThat()
                .havingRootCause()
                .isSameAs(why);
        assertThat(
                        Rounds.of(() -> {
                            throw why;
                        }))
                .isCompletedExceptionally();
    }
}
