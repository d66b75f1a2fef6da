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

/** What the leader has open is what it was told of, less what it was told is closed. */
class UntoldTest {
    private final SimClock clock = new SimClock();
    private final List<Long> openAtLeader = new ArrayList<>();
    private final Untold untold =
            new Untold(
                    new Releases(
                            (settled, unsettled) -> {
                                openAtLeader.removeAll(settled);
                                return CompletableFuture.completedFuture(null);
                            },
                            clock));

    private final class Open implements Untold.Reader {
        private final long inode;
        private final long id;
        final CompletableFuture<Void> answer = new CompletableFuture<>();

        Open(long inode, long id) {
            this.inode = inode;
            this.id = id;
            untold.add(this);
        }

        @Override
        public long inode() {
            return inode;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public CompletableFuture<Void> tellLeader() {
            openAtLeader.add(id);
            return answer;
        }
    }

    private void aMomentLater() {
        clock.advance(Duration.ofSeconds(1));
    }

    @Test
    void ofWhatIsClosedInTimeTheLeaderHearsNothing() {
        Open file = new Open(7, 1);
        assertThat(untold.has(7)).isTrue();
        assertThat(untold.closed(file)).isTrue();
        assertThat(untold.has(7)).isFalse();
        assertThat(untold.tell(List.of(7L))).isCompleted();
        assertThat(openAtLeader).isEmpty();
    }

    @Test
    void whoeverNeedsTheLeaderToKnowWaitsForAllThatIsOpen() {
        Open first = new Open(7, 1);
        Open second = new Open(7, 2);
        new Open(8, 3);
        CompletableFuture<Void> told = untold.tell(List.of(7L, 9L));
        assertThat(openAtLeader).containsExactly(1L, 2L);
        first.answer.complete(null);
        assertThat(told).isNotDone();
        assertThat(untold.has(7)).isTrue();
        assertThat(untold.tell(List.of(7L))).isNotDone();
        assertThat(untold.tell(second)).isNotDone();
        second.answer.complete(null);
        assertThat(told).isCompleted();
        assertThat(untold.has(7)).isFalse();
        assertThat(untold.closed(first)).isFalse(); // as any other handle
        assertThat(openAtLeader).containsExactly(1L, 2L);
    }

    @Test
    void whatIsClosedWhileTheLeaderIsToldIsClosedThereAfterwards() {
        Open file = new Open(7, 1);
        untold.tell(List.of(7L));
        assertThat(untold.closed(file)).isTrue();
        aMomentLater();
        assertThat(openAtLeader).containsExactly(1L);
        file.answer.complete(null);
        aMomentLater();
        assertThat(openAtLeader).isEmpty();
    }

    @Test
    void whatTheLeaderMayHaveHeardIsToldAgainOrClosedThere() {
        Open file = new Open(7, 1);
        CompletableFuture<Void> told = untold.tell(List.of(7L));
        file.answer.completeExceptionally(new FarmException(ErrorKind.TIMED_OUT, "open", ""));
        assertThat(told).isCompletedExceptionally();
        assertThat(untold.has(7)).isTrue();

        Open closed = new Open(8, 2);
        untold.tell(List.of(8L));
        untold.closed(closed);
        closed.answer.completeExceptionally(new FarmException(ErrorKind.TIMED_OUT, "open", ""));
        aMomentLater();
        assertThat(untold.has(8)).isFalse();
        assertThat(openAtLeader).containsExactly(1L);
    }
}
