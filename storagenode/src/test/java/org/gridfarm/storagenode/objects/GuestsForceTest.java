package org.gridfarm.storagenode.objects;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.SimClock;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Guests who would keep the disks busy. */
class GuestsForceTest {
    private final SimClock clock = new SimClock();
    private final Deque<CompletableFuture<Void>> begun = new ArrayDeque<>();
    private final GuestsForce guests =
            new GuestsForce(
                    () -> {
                        begun.add(new CompletableFuture<>());
                        return begun.getLast();
                    },
                    clock);

    @Test
    void oneAtATimeServesAllWhoAskedBeforeAndThenTheDisksRest() {
        CompletableFuture<Void> first = guests.all();
        CompletableFuture<Void> second = guests.all();
        CompletableFuture<Void> third = guests.all();
        assertThat(begun).hasSize(1);
        clock.advance(Duration.ofMillis(400));
        begun.getLast().complete(null);
        assertThat(first).isCompleted();
        assertThat(second).as("what it wrote may have come too late").isNotDone();
        clock.advance(Duration.ofMillis(1599));
        assertThat(begun).hasSize(1);
        clock.advance(Duration.ofMillis(1));
        assertThat(begun).hasSize(2);
        begun.getLast().complete(null);
        assertThat(second).isCompleted();
        assertThat(third).isCompleted();
    }

    /** Who asks when one has just begun waits for that, for the pause, and for his own. */
    @Test
    void slowDisksMakeNoGuestWaitLongerThanHisCallMayTake() {
        Duration slow = Duration.ofMillis(3500);
        guests.all();
        CompletableFuture<Void> late = guests.all();
        clock.advance(slow);
        begun.getLast().complete(null);
        clock.advance(Duration.ofMillis(1999));
        assertThat(begun).as("the disks rest").hasSize(1);
        clock.advance(Duration.ofMillis(1));
        assertThat(begun).hasSize(2);
        clock.advance(slow);
        begun.getLast().complete(null);
        assertThat(late).isCompleted();
        assertThat(clock.nanoTime()).isLessThan(Duration.ofSeconds(10).toNanos());
    }

    @Test
    void afterOneThatFailedTheNextIsTried() {
        CompletableFuture<Void> first = guests.all();
        begun.getLast().completeExceptionally(new IllegalStateException("no disk"));
        assertThat(first).isCompletedExceptionally();
        clock.advance(Duration.ofMillis(1));
        CompletableFuture<Void> second = guests.all();
        assertThat(begun).hasSize(2);
        begun.getLast().complete(null);
        assertThat(second).isCompleted();
    }

    @Test
    void whoGivesUpTakesNothingFromTheOthers() {
        CompletableFuture<Void> first = guests.all();
        CompletableFuture<Void> second = guests.all();
        CompletableFuture<Void> third = guests.all();
        second.cancel(false);
        begun.getLast().complete(null);
        clock.advance(Duration.ofMillis(1));
        begun.getLast().complete(null);
        assertThat(first).isCompleted();
        assertThat(third).isCompleted();
    }
}
