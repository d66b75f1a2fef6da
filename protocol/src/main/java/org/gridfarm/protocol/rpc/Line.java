package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One connection to one address, made when it is first needed and again when it was lost.
 * Thread-safe.
 *
 * <p>Whoever asks while a connection is being made waits for it; whoever asks between two attempts
 * fails at once with what the last attempt failed with. A call is sent once: retrying is the
 * business of who knows what it means.
 */
public final class Line implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Line.class);

    /**
     * A connection that lasted less long than this counts as a failed attempt, so that flapping
     * slows down.
     */
    private static final Duration STABLE_AFTER = Duration.ofSeconds(2);

    private final Dialer dialer;
    private final HostPort address;
    private final Opening opening;
    private final Backoff backoff;
    private final Clock clock;
    private final Entropy entropy;

    private final Object lock =
            new Object(); // a leaf: no future is completed and nobody is called while it is held
    private @Nullable Peer current; // @GuardedBy lock, as all below
    private @Nullable CompletableFuture<Peer> connecting;
    private @Nullable FarmException lastFailure;
    private int failures;
    private long connectedAt;
    private long retryAt;
    private Clock.@Nullable Timer retry;
    private boolean keptUp;
    private boolean closed;

    public Line(
            Dialer dialer,
            HostPort address,
            Opening opening,
            Backoff backoff,
            Clock clock,
            Entropy entropy) {
        this.dialer = dialer;
        this.address = address;
        this.opening = opening;
        this.backoff = backoff;
        this.clock = clock;
        this.entropy = entropy;
        this.retryAt = clock.nanoTime();
    }

    public HostPort address() {
        return address;
    }

    public boolean isUp() {
        synchronized (lock) {
            return current != null && current.isOpen();
        }
    }

    /** The open connection, the one being made, or a failure: UNAVAILABLE and its like. */
    public CompletableFuture<Peer> peer() {
        CompletableFuture<Peer> attempt;
        synchronized (lock) {
            if (closed)
                return CompletableFuture.failedFuture(
                        failure(ErrorKind.DISCONNECTED, "closed by this side"));
            if (current != null && current.isOpen())
                return CompletableFuture.completedFuture(current);
            if (connecting != null) return connecting.copy();
            if (lastFailure != null && clock.nanoTime() - retryAt < 0)
                return CompletableFuture.failedFuture(lastFailure);
            attempt = begin();
        }
        connect(attempt);
        return attempt.copy();
    }

    /** As {@link #peer()}, but no longer than that: then TIMED_OUT, while the attempt goes on. */
    public CompletableFuture<Peer> peerWithin(Duration patience) {
        CompletableFuture<Peer> peer = peer();
        if (peer.isDone()) return peer;
        Clock.Timer timer =
                clock.after(
                        patience,
                        () ->
                                peer.completeExceptionally(
                                        failure(
                                                ErrorKind.TIMED_OUT,
                                                "no connection within "
                                                        + patience.toMillis()
                                                        + " ms")));
        peer.whenComplete((done, failed) -> timer.cancel());
        return peer;
    }

    /** One call over the line; connecting counts against its deadline. */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> callPlain(
            Method<Q, R> method, Q request, Duration deadline) {
        return new RoutedCall<>(
                        Route.to(this),
                        method.name(),
                        method.retry(),
                        null,
                        deadline,
                        clock,
                        (peer, payload, left) -> peer.callPlain(method, request, left))
                .start();
    }

    /** One call with raw bytes, which are taken over. */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
            Method<Q, R> method, Q request, @Nullable ByteBuf bytes, Duration deadline) {
        return new RoutedCall<>(
                        Route.to(this),
                        method.name(),
                        method.retry(),
                        bytes,
                        deadline,
                        clock,
                        (peer, payload, left) -> peer.call(method, request, payload, left))
                .start();
    }

    /** From now on the line connects by itself, now and whenever the connection is lost. */
    public void keepUp() {
        synchronized (lock) {
            keptUp = true;
        }
        reconnect();
    }

    private void reconnect() {
        peer().exceptionally(failure -> {
            log.debug("{}: {}", address, failure.getMessage());
            return null; // the attempt itself has arranged the next one
        });
    }

    /** Closes the connection and never makes another. */
    @Override
    public void close() {
        Peer open;
        synchronized (lock) {
            closed = true;
            keptUp = false;
            open = current;
            if (retry != null) retry.cancel();
        }
        if (open != null) open.close();
    }

    // @GuardedBy lock
    private CompletableFuture<Peer> begin() {
        CompletableFuture<Peer> attempt = new CompletableFuture<>();
        connecting = attempt;
        return attempt;
    }

    private void connect(CompletableFuture<Peer> attempt) {
        dialer.dial(address)
                .thenCompose(this::open)
                .whenComplete((peer, failure) -> {
                    if (failure == null) connected(attempt, peer);
                    else failed(attempt, FarmException.of(failure, "connect", address.toString()));
                });
    }

    private CompletionStage<Peer> open(Peer peer) {
        CompletionStage<?> opened;
        try {
            opened = opening.opened(peer);
        } catch (RuntimeException e) {
            opened = CompletableFuture.failedStage(e);
        }
        return opened.<Peer>thenApply(done -> peer)
                .whenComplete((ready, failure) -> {
                    if (failure != null) peer.close();
                });
    }

    private void connected(CompletableFuture<Peer> attempt, Peer peer) {
        boolean tooLate;
        synchronized (lock) {
            connecting = null;
            tooLate = closed;
            if (!tooLate) {
                current = peer;
                connectedAt = clock.nanoTime();
                lastFailure = null;
            }
        }
        if (tooLate) {
            peer.close();
            attempt.completeExceptionally(failure(ErrorKind.DISCONNECTED, "closed by this side"));
            return;
        }
        attempt.complete(peer);
        peer.whenClosed(() -> lost(peer));
    }

    private void failed(CompletableFuture<Peer> attempt, FarmException failure) {
        synchronized (lock) {
            connecting = null;
            lastFailure = failure;
            failures++;
            waitBeforeNext();
        }
        attempt.completeExceptionally(failure);
    }

    private void lost(Peer peer) {
        synchronized (lock) {
            if (current != peer) return;
            current = null;
            boolean stable = clock.nanoTime() - connectedAt >= STABLE_AFTER.toNanos();
            failures = stable ? 0 : failures + 1;
            lastFailure = failure(ErrorKind.DISCONNECTED, "and not yet made again");
            waitBeforeNext();
        }
    }

    // @GuardedBy lock
    private void waitBeforeNext() {
        Duration wait = failures == 0 ? Duration.ZERO : backoff.after(failures, entropy);
        retryAt = clock.nanoTime() + wait.toNanos();
        if (keptUp && !closed) retry = clock.after(wait, this::reconnect);
    }

    private FarmException failure(ErrorKind kind, String detail) {
        return new FarmException(kind, "connect", address.toString(), detail);
    }

    @Override
    public String toString() {
        return "line to " + address;
    }
}
