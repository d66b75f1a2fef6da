package org.gridfarm.client.core.session;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One operation that is repeated, while its deadline permits, at whatever server the supplier names
 * then. Cancelling the result cancels the attempt under way.
 */
final class RetryingCall<R> {
    private final Clock clock;
    private final String operation;
    private final long deadlineAt;
    private final Supplier<CompletableFuture<Attached>> server;
    private final Function<AttachedAttempt, CompletableFuture<R>> attempt;
    private final Function<Attached, Void> suspect;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final @Nullable Trace trace = Trace.current(); // attempts are made on other threads
    private volatile @Nullable CompletableFuture<?> running;
    private Duration pause = SessionLimits.RETRY_PAUSE_MIN; // owned by the attempt under way
    private Scope scope = Scope.SESSION;

    /** An attempt may have been done there without our hearing of it; owned likewise. */
    private @Nullable Attached unclear;

    /** Where a call goes whose session has ended. */
    enum Scope {
        /** Nowhere: it is about what the session held. */
        SESSION,
        /**
         * To the next session, unless it may have been done in the former one, which took along the
         * memory of what it was answered. The request is made anew for each attempt.
         */
        ONCE,
        /** To the next session: it changes nothing. Made anew likewise. */
        ALWAYS
    }

    /** What an attempt is given: the server and the time left. */
    record AttachedAttempt(Attached server, Duration left) {}

    RetryingCall(
            Clock clock,
            String operation,
            Duration deadline,
            Supplier<CompletableFuture<Attached>> server,
            Function<AttachedAttempt, CompletableFuture<R>> attempt,
            Function<Attached, Void> suspect) {
        this.clock = clock;
        this.operation = operation;
        this.deadlineAt =
                deadline.isZero() ? Long.MAX_VALUE : clock.nanoTime() + deadline.toNanos();
        this.server = server;
        this.attempt = attempt;
        this.suspect = suspect;
    }

    RetryingCall<R> in(Scope other) {
        scope = other;
        return this;
    }

    CompletableFuture<R> start() {
        result.whenComplete((r, e) -> {
            CompletableFuture<?> current = running;
            if (e instanceof CancellationException && current != null) {
                current.cancel(false);
            }
        });
        tryOnce(null);
        return result;
    }

    private void tryOnce(@Nullable FarmException before) {
        if (result.isDone()) {
            return;
        }
        long left = deadlineAt == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineAt - clock.nanoTime();
        if (left <= 0) {
            giveUp(before);
            return;
        }
        CompletableFuture<Attached> finding = server.get();
        if (finding.isDone()) {
            found(finding, before, left);
            return;
        }
        Clock.Timer timer =
                left == Long.MAX_VALUE
                        ? () -> {}
                        : clock.after(Duration.ofNanos(left), () -> giveUp(before));
        finding.whenComplete((found, failure) -> {
            timer.cancel();
            long now =
                    deadlineAt == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineAt - clock.nanoTime();
            found(finding, before, now);
        });
    }

    private void found(
            CompletableFuture<Attached> finding, @Nullable FarmException before, long left) {
        if (finding.isCompletedExceptionally()) {
            finding.whenComplete((none, failure) ->
                    result.completeExceptionally(FarmException.of(failure, operation, "")));
            return;
        }
        if (left <= 0) {
            giveUp(before);
            return;
        }
        Attached attached = finding.join();
        if (mayBeDoneElsewhere(attached)) {
            result.completeExceptionally(
                    new FarmException(
                            ErrorKind.SESSION_ENDED, operation, "", "it may have been done"));
            return;
        }
        Duration time = left == Long.MAX_VALUE ? Duration.ZERO : Duration.ofNanos(left);
        CompletableFuture<R> call;
        try (Trace.Scope entered = Trace.enter(trace)) {
            call = attempt.apply(new AttachedAttempt(attached, time));
        }
        running = call;
        if (result.isDone()) {
            call.cancel(false);
        }
        call.whenComplete((reply, thrown) -> {
            if (thrown == null) {
                result.complete(reply);
            } else {
                failed(attached, FarmException.of(thrown, operation, ""));
            }
        });
    }

    private void failed(Attached attached, FarmException failure) {
        boolean ended = failure.kind() == ErrorKind.SESSION_ENDED;
        if (ended) {
            suspect.apply(attached);
        }
        // Refused for its session alone, it has not been done: the next session may do it.
        boolean again = ended && (scope == Scope.ALWAYS || scope == Scope.ONCE && unclear == null);
        if (result.isDone() || (failure.kind().retry() == Retry.NEVER && !again)) {
            result.completeExceptionally(failure);
            return;
        }
        if (failure.kind() == ErrorKind.DISCONNECTED || failure.kind() == ErrorKind.TIMED_OUT) {
            unclear = attached;
        }
        if (failure.kind().retry() == Retry.ELSEWHERE && failure.kind() != ErrorKind.TIMED_OUT) {
            suspect.apply(attached);
        }
        Duration wait = pause;
        pause = min(pause.multipliedBy(2), SessionLimits.RETRY_PAUSE_MAX);
        clock.after(wait, () -> tryOnce(failure));
    }

    private boolean mayBeDoneElsewhere(Attached next) {
        Attached there = unclear;
        return scope == Scope.ONCE
                && there != null
                && there.opened.getSession() != next.opened.getSession();
    }

    private void giveUp(@Nullable FarmException before) {
        String detail =
                before == null
                        ? "no metaserver leads"
                        : before.kind().phrase() + " " + before.detail();
        result.completeExceptionally(
                new FarmException(ErrorKind.TIMED_OUT, operation, "", detail.strip(), before));
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
