package org.gridfarm.client.cli.bench;

import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Many threads doing one thing, each the next when the last is done. The threads are virtual: on a
 * machine with few cores those of the client must not be what is measured.
 */
public final class Load {
    /** What one thread does. */
    public interface Work {
        /**
         * The {@code round}th time, from 0; false: there is nothing left to do, and nothing was
         * done.
         */
        boolean once(int thread, long round) throws Exception;
    }

    /** What came of it. */
    public record Outcome(long operations, double seconds, Latencies latencies) {
        public double perSecond() {
            return seconds == 0 ? 0 : operations / seconds;
        }
    }

    private Load() {}

    /** Until the time is over, or no thread has anything left. The first failure ends it. */
    public static Outcome run(int threads, Duration time, Work work) {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Latencies>> results = new ArrayList<>();
        long from;
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int t = 0; t < threads; t++) {
                int thread = t;
                results.add(
                        executor.submit(() -> {
                            start.await();
                            return loop(thread, System.nanoTime() + time.toNanos(), work);
                        }));
            }
            from = System.nanoTime();
            start.countDown();
        }
        double seconds = (System.nanoTime() - from) / 1e9;
        Latencies all = new Latencies();
        for (Future<Latencies> result : results) all.add(ended(result));
        return new Outcome(all.count(), seconds, all);
    }

    private static Latencies loop(int thread, long until, Work work) throws Exception {
        Latencies latencies = new Latencies();
        long before = System.nanoTime();
        for (long round = 0; before - until < 0; round++) {
            if (!work.once(thread, round)) break;
            long after = System.nanoTime();
            latencies.add(after - before);
            before = after;
        }
        return latencies;
    }

    private static Latencies ended(Future<Latencies> result) {
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarmException.of(e, "bench", "");
        } catch (ExecutionException e) {
            throw FarmException.of(e.getCause() == null ? e : e.getCause(), "bench", "");
        }
    }
}
