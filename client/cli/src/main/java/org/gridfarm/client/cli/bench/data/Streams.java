package org.gridfarm.client.cli.bench.data;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that do the same at the same time, each with its number. */
final class Streams {
    private Streams() {}

    interface Work {
        void of(int stream) throws Exception;
    }

    static void run(int count, Work work) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int stream = i;
                all.add(
                        threads.submit(() -> {
                            work.of(stream);
                            return null;
                        }));
            }
            for (Future<?> each : all) each.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) throw cause;
            throw e;
        }
    }
}
