package org.gridfarm.client.cli.bench.api;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The threads that share out many small files among them. */
enum Crew {
    ONE("1 thread", 1),
    EIGHT("8 threads", 8),
    SIXTY_FOUR("64 threads", 64),
    VIRTUAL("virtual threads", 0);

    /** What is done to one file. */
    interface Work {
        void of(int file) throws IOException;
    }

    final String label;
    private final int threads;

    Crew(String label, int threads) {
        this.label = label;
        this.threads = threads;
    }

    /** Of virtual threads every file has one of its own. */
    private ExecutorService threads() {
        return this == VIRTUAL
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(threads);
    }

    /** Returns when every file was worked on; the first failure is thrown. */
    void each(int files, Work work) throws IOException {
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService executor = threads()) {
            for (int i = 0; i < files; i++) {
                int file = i;
                all.add(
                        executor.submit(() -> {
                            work.of(file);
                            return null;
                        }));
            }
        }
        for (Future<?> one : all) ended(one);
    }

    private static void ended(Future<?> work) throws IOException {
        try {
            work.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }
}
