package org.gridfarm.client.mount;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Bounds how many bytes operations hold at once: who comes when there is no room waits for its
 * turn, in order, and holds no thread meanwhile. The kernel sends as many requests as there are
 * programs that read and write. Thread-safe.
 */
final class Admission {
    private final long most;
    private final Deque<Waiting<?>> waiting = new ArrayDeque<>(); // @GuardedBy this
    private long held; // @GuardedBy this
    private boolean admitting; // @GuardedBy this

    private record Waiting<T>(
            long bytes, Supplier<CompletableFuture<T>> operation, CompletableFuture<T> result) {}

    /**
     * @param most bytes; an operation that needs more counts as if it needed all
     */
    Admission(long most) {
        this.most = most;
    }

    /** True when an operation that came now would not wait. */
    synchronized boolean hasRoom(int bytes) {
        return waiting.isEmpty() && held + Math.min(bytes, most) <= most;
    }

    /** Begins the operation when there is room; it holds its bytes until its result is there. */
    <T> CompletableFuture<T> enter(int bytes, Supplier<CompletableFuture<T>> operation) {
        long counted = Math.min(bytes, most);
        Waiting<T> one = new Waiting<>(counted, operation, new CompletableFuture<>());
        synchronized (this) {
            if (!hasRoom(bytes)) {
                waiting.add(one);
                return one.result;
            }
            held += counted;
        }
        begin(one);
        return one.result;
    }

    synchronized long held() {
        return held;
    }

    private <T> void begin(Waiting<T> one) {
        started(one)
                .whenComplete((value, failure) -> {
                    if (failure != null) {
                        one.result.completeExceptionally(failure);
                    } else {
                        one.result.complete(value);
                    }
                    left(one.bytes);
                });
    }

    /** Whatever is wrong with an operation, those that wait behind it get their turn. */
    private static <T> CompletableFuture<T> started(Waiting<T> one) {
        try {
            return one.operation.get();
        } catch (RuntimeException | OutOfMemoryError e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** One thread admits at a time, in a loop: operations may be over as soon as they begin. */
    private void left(long bytes) {
        synchronized (this) {
            held -= bytes;
            if (admitting) {
                return;
            }
            admitting = true;
        }
        for (Waiting<?> next = next(); next != null; next = next()) {
            begin(next);
        }
    }

    private synchronized @Nullable Waiting<?> next() {
        Waiting<?> first = waiting.peek();
        if (first == null || held + first.bytes > most) {
            admitting = false;
            return null;
        }
        held += first.bytes;
        return waiting.poll();
    }
}
