package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The order of one object: operations start as they were submitted, shared ones side by side,
 * exclusive ones alone. No thread waits in it; what cannot start yet is queued. Thread-safe.
 */
final class Lane {
    /**
     * @param trace of whoever submitted it, for which it works, and what follows it at once
     */
    private record Waiting<T>(
            boolean exclusive,
            Callable<T> action,
            CompletableFuture<T> result,
            @Nullable Trace trace) {}

    private final Executor executor;

    @GuardedBy("this")
    private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private boolean alone;

    Lane(Executor executor) {
        this.executor = executor;
    }

    <T> CompletableFuture<T> submit(boolean exclusive, Callable<T> action) {
        Waiting<T> entry =
                new Waiting<>(exclusive, action, new CompletableFuture<>(), Trace.current());
        synchronized (this) {
            if (!waiting.isEmpty() || !mayStart(exclusive)) {
                waiting.add(entry);
                return entry.result;
            }
            started(exclusive);
        }
        executor.execute(() -> run(entry));
        return entry.result;
    }

    @GuardedBy("this")
    private boolean mayStart(boolean exclusive) {
        return !alone && (!exclusive || running == 0);
    }

    @GuardedBy("this")
    private void started(boolean exclusive) {
        running++;
        alone = exclusive;
    }

    private <T> void run(Waiting<T> entry) {
        try (Trace.Scope _ = Trace.enter(entry.trace)) {
            done(entry);
        }
    }

    private <T> void done(Waiting<T> entry) {
        T value = null;
        Throwable failure = null;
        try {
            value = entry.action.call();
        } catch (Throwable e) {
            failure = e;
        }
        ended();
        if (failure == null) {
            entry.result.complete(value);
        } else {
            entry.result.completeExceptionally(failure);
        }
    }

    private void ended() {
        ArrayDeque<Waiting<?>> next = new ArrayDeque<>(1);
        synchronized (this) {
            running--;
            alone = false;
            while (!waiting.isEmpty() && mayStart(waiting.peek().exclusive)) {
                Waiting<?> entry = waiting.remove();
                started(entry.exclusive);
                next.add(entry);
            }
        }
        for (Waiting<?> entry : next) {
            executor.execute(() -> run(entry));
        }
    }
}
