package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Steps that follow one another, each once the one before has ended, well or not. Thread-safe. */
final class Turns {
    @GuardedBy("this")
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    <T> CompletableFuture<T> next(Supplier<CompletableFuture<T>> step) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<?> before;
        synchronized (this) {
            before = last;
            last = mine;
        }
        before.whenComplete((done, failed) -> begin(step, mine));
        return mine;
    }

    private static <T> void begin(
            Supplier<CompletableFuture<T>> step, CompletableFuture<T> result) {
        CompletableFuture<T> begun;
        try {
            begun = step.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        begun.whenComplete((done, thrown) -> {
            if (thrown == null) {
                result.complete(done);
            } else {
                result.completeExceptionally(thrown);
            }
        });
    }
}
