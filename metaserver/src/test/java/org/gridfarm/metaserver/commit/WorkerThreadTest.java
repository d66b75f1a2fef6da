package org.gridfarm.metaserver.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

@Timeout(60)
class WorkerThreadTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final WorkerThread worker = new WorkerThread("test");

    @Test
    void workIsDoneInOrderAndTheRestOfItBeforeTheEnd() throws InterruptedException {
        List<Integer> done = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        worker.execute(() -> {
            begun.countDown();
            awaitQuietly(goOn);
            done.add(0);
        });
        for (int i = 1; i <= 100; i++) {
            int number = i;
            worker.execute(() -> done.add(number));
        }
        begun.await();
        worker.close(Duration.ZERO);
        goOn.countDown();
        worker.close(LONG);
        assertThat(done).hasSize(101).isSorted();
    }

    @Test
    void whatWaitsForItsTimeIsDroppedAtTheEnd() {
        List<String> done = new ArrayList<>();
        worker.after(LONG, () -> done.add("late"));
        worker.execute(() -> done.add("now"));
        worker.close(LONG);
        assertThat(done).containsExactly("now");
    }

    @Test
    void workIsDoneAfterItsTime() throws InterruptedException {
        long began = System.nanoTime();
        CountDownLatch done = new CountDownLatch(1);
        worker.after(Duration.ofMillis(20), done::countDown);
        done.await();
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(20_000_000);
        worker.close(LONG);
    }

    @Test
    void whoDoesNotComeToAnEndIsInterrupted() throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        worker.execute(() -> {
            begun.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        begun.await();
        worker.close(Duration.ofMillis(10));
        interrupted.await();
    }

    @Test
    void workThatFailsDoesNotKeepTheNextFromBeingDone() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        worker.execute(() -> {
            throw new IllegalStateException("planted");
        });
        worker.execute(done::countDown);
        done.await();
        worker.close(LONG);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
