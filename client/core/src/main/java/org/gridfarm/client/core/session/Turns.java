package org.gridfarm.client.core.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Some of many steps at a time, the others in order after them: who has ten thousand things to ask
 * of a server asks a few at once, so that each is answered within its deadline and other requests
 * get between them. Thread-safe.
 */
public final class Turns {
    private record Waiting<T>(Supplier<CompletableFuture<T>> step, CompletableFuture<T> result) {}

    private final int atOnce;

    @GuardedBy("this")
    private final Deque<Waiting<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private int underWay;

    @GuardedBy("this")
    private boolean beginning;

    public Turns(int atOnce) {
        this.atOnce = atOnce;
    }

    /** Begins the step when it is its turn, which lasts until its future is complete. */
    public <T> CompletableFuture<T> take(Supplier<CompletableFuture<T>> step) {
        Waiting<T> one = new Waiting<>(step, new CompletableFuture<>());
        synchronized (this) {
            waiting.add(one);
        }
        beginNext();
        return one.result;
    }

    /** One thread begins steps at a time, in a loop: they may be over as soon as they begin. */
    private void beginNext() {
        synchronized (this) {
            if (beginning) {
                return;
            }
            beginning = true;
        }
        for (Waiting<?> next = next(); next != null; next = next()) {
            begin(next);
        }
    }

    private synchronized @Nullable Waiting<?> next() {
        Waiting<?> first = underWay < atOnce ? waiting.poll() : null;
        if (first == null) {
            beginning = false;
        } else {
            underWay++;
        }
        return first;
    }

    private <T> void begin(Waiting<T> one) {
        started(one)
                .whenComplete((value, failure) -> {
                    synchronized (this) {
                        underWay--;
                    }
                    if (failure != null) {
                        one.result.completeExceptionally(failure);
                    } else {
                        one.result.complete(value);
                    }
                    beginNext();
                });
    }

    private static <T> CompletableFuture<T> started(Waiting<T> one) {
        try {
            return one.step.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
