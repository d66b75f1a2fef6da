package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One call on its way through as many attempts as its route and its deadline allow; cancelling it
 * cancels the attempt.
 */
final class RoutedCall<T> extends CompletableFuture<T> {
    /** Sends the call on a connection; takes the payload over. */
    interface Attempt<T> {
        CompletableFuture<T> on(Peer peer, @Nullable ByteBuf payload, Duration deadline);
    }

    private final Route route;
    private final String operation;
    private final Retry retry;
    private final Attempt<T> attempt;
    private final Clock clock;
    private final boolean endless;
    private final long deadlineAt;
    private final @Nullable Trace trace = Trace.current(); // attempts are made on other threads
    private final Object lock = new Object(); // a leaf
    private @Nullable ByteBuf payload; // @GuardedBy lock; kept for further attempts until the end
    private @Nullable CompletableFuture<T> inFlight; // @GuardedBy lock
    private volatile @Nullable FarmException last;

    RoutedCall(
            Route route,
            String operation,
            Retry retry,
            @Nullable ByteBuf payload,
            Duration deadline,
            Clock clock,
            Attempt<T> attempt) {
        this.route = route;
        this.operation = operation;
        this.retry = retry;
        this.payload = payload;
        this.attempt = attempt;
        this.clock = clock;
        this.endless = deadline.isZero();
        this.deadlineAt = clock.nanoTime() + deadline.toNanos();
    }

    RoutedCall<T> start() {
        whenComplete((value, failure) -> releasePayload());
        go();
        return this;
    }

    private void go() {
        if (isDone()) return;
        long left = endless ? Long.MAX_VALUE : deadlineAt - clock.nanoTime();
        Line line = route.next();
        if (left <= 0) {
            FarmException before = last;
            completeExceptionally(
                    before != null
                            ? before
                            : new FarmException(
                                    ErrorKind.TIMED_OUT, operation, line.address().toString()));
            return;
        }
        Duration patience = route.connectPatience();
        if (left < patience.toNanos()) patience = Duration.ofNanos(left);
        line.peerWithin(patience)
                .whenComplete((peer, failure) -> {
                    if (failure == null) send(line, peer);
                    else failed(line, failure, false);
                });
    }

    private void send(Line line, Peer peer) {
        Duration left = endless ? Duration.ZERO : Duration.ofNanos(deadlineAt - clock.nanoTime());
        if (!endless && (left.isNegative() || left.isZero())) {
            go(); // which ends it
            return;
        }
        ByteBuf copy;
        synchronized (lock) {
            if (isDone()) return;
            copy = payload == null ? null : payload.retainedDuplicate();
        }
        CompletableFuture<T> sent;
        try (Trace.Scope entered = Trace.enter(trace)) {
            sent = attempt.on(peer, copy, left);
        }
        synchronized (lock) {
            inFlight = sent;
        }
        sent.whenComplete((value, failure) -> {
            if (failure != null) failed(line, failure, true);
            else if (!complete(value) && value instanceof Answer<?> answer) answer.close();
        });
        if (isCancelled()) sent.cancel(false);
    }

    private void failed(Line line, Throwable thrown, boolean sent) {
        if (isDone()) return;
        FarmException failure = FarmException.of(thrown, operation, line.address().toString());
        last = failure;
        Optional<Duration> wait = route.afterFailure(line, failure, sent, retry);
        if (wait.isEmpty()) completeExceptionally(failure);
        else if (wait.get().isZero()) go();
        else clock.after(wait.get(), this::go);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        CompletableFuture<T> running;
        synchronized (lock) {
            running = inFlight;
        }
        if (running != null) running.cancel(mayInterruptIfRunning);
        return cancelled;
    }

    private void releasePayload() {
        synchronized (lock) {
            if (payload != null) payload.release();
            payload = null;
        }
    }
}
