package org.gridfarm.protocol.rpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One step after another, each of which takes its time. What is held meanwhile does not grow with
 * the number of steps, as a chain of futures that each wait for the next one would.
 */
public final class Rounds {
    private Rounds() {}

    /** One step; true: another one follows. */
    @FunctionalInterface
    public interface Step {
        CompletableFuture<Boolean> take();
    }

    /** Completes after the step that says so, or with the failure of one. */
    public static CompletableFuture<Void> of(Step step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        go(step, done);
        return done;
    }

    private static void go(Step step, CompletableFuture<Void> done) {
        boolean more = true;
        while (more) {
            CompletableFuture<Boolean> taken;
            try {
                taken = step.take();
                if (!taken.isDone()) {
                    taken.whenComplete((another, thrown) -> {
                        if (thrown != null) {
                            done.completeExceptionally(thrown);
                        } else if (another) {
                            go(step, done);
                        } else {
                            done.complete(null);
                        }
                    });
                    return;
                }
                more = taken.join();
            } catch (CompletionException e) {
                done.completeExceptionally(e.getCause() == null ? e : e.getCause());
                return;
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
                return;
            }
        }
        done.complete(null);
    }
}
