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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way to whichever of several servers leads. Thread-safe.
 *
 * <p>A server that does not lead says NOT_LEADER and, in its detail, where the leader is; that is
 * followed. A server that cannot be reached is passed over. What may be sent again goes on until
 * its deadline: everything that the server refused before it did anything, and {@link
 * Retry#IDEMPOTENT} calls whose outcome is unknown. All other failures are the caller's, at once:
 * whether to ask again for a bad copy or a stale ticket is for who knows what the call means.
 */
public final class LeaderLine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaderLine.class);

    /**
     * A server that has not let us in by then is passed over, while its connection is still being
     * made.
     */
    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(1);

    private final Dialer dialer;
    private final List<HostPort> addresses;
    private final Opening opening;
    private final Clock clock;
    private final Entropy entropy;
    private final Map<HostPort, Line> lines = new ConcurrentHashMap<>();
    private volatile HostPort guess;
    private volatile boolean closed;
    private volatile @Nullable CompletableFuture<Peer> keeping;

    /**
     * @param addresses where servers may be, at least one; leaders elsewhere are found through
     *     their hints
     * @param opening what is done on every new connection, such as opening a session
     */
    public LeaderLine(
            Dialer dialer,
            List<HostPort> addresses,
            Opening opening,
            Clock clock,
            Entropy entropy) {
        if (addresses.isEmpty()) throw new IllegalArgumentException("no server address");
        this.dialer = dialer;
        this.addresses = List.copyOf(addresses);
        this.opening = opening;
        this.clock = clock;
        this.entropy = entropy;
        this.guess = addresses.get(0);
    }

    /** The server that is believed to lead. */
    public HostPort leader() {
        return guess;
    }

    /** The line to one server, leader or not. */
    public Line line(HostPort address) {
        return lines.computeIfAbsent(
                address, to -> new Line(dialer, to, opening, Backoff.EAGER, clock, entropy));
    }

    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> callPlain(
            Method<Q, R> method, Q request, Duration deadline) {
        return new RoutedCall<>(
                        new Search(),
                        method.name(),
                        method.retry(),
                        null,
                        deadline,
                        clock,
                        (peer, payload, left) -> peer.callPlain(method, request, left))
                .start();
    }

    /** A call with raw bytes, which are taken over. */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
            Method<Q, R> method, Q request, @Nullable ByteBuf bytes, Duration deadline) {
        return new RoutedCall<>(
                        new Search(),
                        method.name(),
                        method.retry(),
                        bytes,
                        deadline,
                        clock,
                        (peer, payload, left) -> peer.call(method, request, payload, left))
                .start();
    }

    /**
     * Stays connected from now on: for those whom the leader must be able to call. The opening has
     * to be one that only the leader accepts.
     */
    public void keepUp() {
        if (closed) return;
        RoutedCall<Peer> search =
                new RoutedCall<>(
                        new Search(),
                        "find the leader",
                        Retry.IDEMPOTENT,
                        null,
                        Duration.ZERO,
                        clock,
                        (peer, payload, left) -> CompletableFuture.completedFuture(peer));
        keeping = search;
        search.start()
                .whenComplete((peer, failure) -> {
                    if (peer != null) {
                        log.info("connected to the leader at {}", peer.address());
                        peer.whenClosed(this::keepUp);
                    } else if (!closed) {
                        log.warn("no leader: {}", failure.getMessage());
                        clock.after(Backoff.EAGER.max(), this::keepUp);
                    }
                });
    }

    /** Closes all lines; calls under way fail. */
    @Override
    public void close() {
        closed = true;
        CompletableFuture<Peer> search = keeping;
        if (search != null) search.cancel(false);
        lines.values().forEach(Line::close);
    }

    private void follow(HostPort hint) {
        if (!hint.equals(guess)) log.info("the leader is at {}", hint);
        guess = hint;
    }

    /** To the next address, unless somebody else has gone there already. */
    private synchronized void passOver(HostPort failed) {
        if (!failed.equals(guess)) return;
        guess = addresses.get((addresses.indexOf(failed) + 1) % addresses.size());
    }

    /** One call's way; used by one attempt at a time. */
    private final class Search implements Route {
        private int failures; // since the last wait
        private int waits;

        @Override
        public Duration connectPatience() {
            return CONNECT_PATIENCE;
        }

        @Override
        public Line next() {
            return line(guess);
        }

        @Override
        public Optional<Duration> afterFailure(
                Line asked, FarmException failure, boolean sent, Retry retry) {
            if (closed) return Optional.empty();
            ErrorKind kind = failure.kind();
            if (!mayGoOn(kind, sent, retry)) {
                // A door that is shut to us may be the wrong door; past the last one it is the
                // answer.
                if (sent || ++failures >= addresses.size()) return Optional.empty();
                passOver(asked.address());
                return Optional.of(Duration.ZERO);
            }
            Optional<HostPort> hint =
                    kind == ErrorKind.NOT_LEADER ? hint(failure) : Optional.empty();
            if (hint.isPresent() && !hint.get().equals(asked.address())) {
                follow(hint.get());
            } else if (!sent || kind == ErrorKind.NOT_LEADER || kind == ErrorKind.UNAVAILABLE) {
                passOver(asked.address());
            }
            // Once round all servers without a pause, then a pause for each round.
            if (++failures < addresses.size() + (hint.isPresent() ? 1 : 0))
                return Optional.of(Duration.ZERO);
            failures = 0;
            return Optional.of(Backoff.EAGER.after(++waits, entropy));
        }

        private boolean mayGoOn(ErrorKind kind, boolean sent, Retry retry) {
            switch (kind) {
                case NOT_LEADER:
                case OVERLOADED:
                case NOT_READY:
                    return true; // refused, and nothing was done
                case DISCONNECTED:
                case UNAVAILABLE:
                    return !sent || retry == Retry.IDEMPOTENT;
                case TIMED_OUT:
                    return !sent; // a sent call times out at its own deadline only
                default:
                    return false;
            }
        }
    }

    private static Optional<HostPort> hint(FarmException failure) {
        if (failure.detail().isEmpty()) return Optional.empty();
        try {
            return Optional.of(HostPort.parse(failure.detail()));
        } catch (IllegalArgumentException e) {
            log.warn("a server names '{}' as the leader's address", failure.detail());
            return Optional.empty();
        }
    }
}
