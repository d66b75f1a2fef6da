package org.gridfarm.client.core.transfer.idle;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A handle that is not given up keeps its file open for everybody. */
class ReleasesTest {
    private final SimClock clock = new SimClock();
    private final List<List<Long>> told = new ArrayList<>();
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
    private final Releases releases =
            new Releases(
                    (settled, unsettled) -> {
                        told.add(settled);
                        return answer;
                    },
                    clock);

    @Test
    void whatNoChangeTakesAlongGoesByItself() {
        releases.release(1);
        releases.release(2);
        clock.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly(List.of(1L, 2L));
    }

    @Test
    void whatAChangeTookAlongInVainGoesByItself() {
        releases.release(1);
        List<Long> along = releases.take();
        clock.advance(Duration.ofSeconds(1));
        assertThat(told).isEmpty();
        releases.putBack(along);
        clock.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly(List.of(1L));
    }

    @Test
    void whatTheLeaderDidNotHearIsToldAgainUntilItDoes() {
        answer =
                CompletableFuture.failedFuture(new FarmException(ErrorKind.TIMED_OUT, "close", ""));
        releases.release(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(told).isNotEmpty();
        told.clear();
        answer = CompletableFuture.completedFuture(null);
        clock.advance(Duration.ofSeconds(5));
        assertThat(told).containsExactly(List.of(1L));
        clock.advance(Duration.ofSeconds(5));
        assertThat(told).hasSize(1);
    }
}
