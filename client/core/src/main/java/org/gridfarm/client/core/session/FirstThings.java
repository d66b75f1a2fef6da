package org.gridfarm.client.core.session;

import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** What calls wait for before they leave. Thread-safe. */
final class FirstThings {
    private final Clock clock;
    private final Duration most;
    private volatile Supplier<@Nullable CompletableFuture<Void>> before = () -> null;

    /**
     * @param most that a call without a deadline waits
     */
    FirstThings(Clock clock, Duration most) {
        this.clock = clock;
        this.most = most;
    }

    void are(Supplier<@Nullable CompletableFuture<Void>> things) {
        before = things;
    }

    /**
     * The wait is part of the call's own time.
     *
     * @param deadline zero: none
     * @param call is given what is left of that
     */
    <R> CompletableFuture<R> then(
            String operation, Duration deadline, Function<Duration, CompletableFuture<R>> call) {
        CompletableFuture<Void> things = before.get();
        if (things == null) {
            return call.apply(deadline);
        }
        long began = clock.nanoTime();
        Duration limit = deadline.isZero() ? most : deadline;
        return TimeLimit.on(
                        things,
                        clock,
                        limit,
                        operation,
                        "the metaserver could not be told what was changed before")
                .thenCompose(done -> {
                    Duration left = limit.minusNanos(clock.nanoTime() - began);
                    boolean over = left.isNegative() || left.isZero();
                    return call.apply(
                            deadline.isZero() ? deadline : over ? Duration.ofNanos(1) : left);
                });
    }
}
