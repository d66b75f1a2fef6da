package org.gridfarm.client.core.session;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.RenewRequest;
import org.gridfarm.protocol.wire.ServerInfo;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Opens the session on the leader: asks the known addresses one after another, follows what they
 * say about who leads, and goes round again after a pause until somebody does or the search is
 * stopped. A refusal that asking again cannot change (authentication, version) ends it when every
 * address has been heard; of a session that never was, also where the others cannot be reached.
 */
final class ServerSearch {
    private final Dialer dialer;
    private final Clock clock;
    private final List<String> known;
    private final OpenSessionRequest request;
    private final boolean held;
    private final Consumer<FarmException> refusals;
    private final CompletableFuture<Found> result = new CompletableFuture<>();
    private final Deque<String> candidates = new ArrayDeque<>(); // guarded by this, as all below
    private final Set<String> asked = new HashSet<>();
    private final Set<String> inFlight = new HashSet<>();
    private boolean roundPending;
    private FarmException lastRefusal =
            new FarmException(ErrorKind.UNAVAILABLE, "connect", "metaserver");
    private boolean refusedForGood = true;
    private boolean mayBeOtherwise; // one was reached in this round that may answer otherwise soon
    private @Nullable FarmException refusal; // for good, of this round

    /** The leader, and whether it still knew the session (false: new there, or evicted). */
    record Found(Attached leader, boolean knewSession) {}

    /**
     * @param held whether this session was open before, so that it is worth asking whether it still
     *     is
     * @param refusals told of each that asking again cannot change
     */
    ServerSearch(
            Dialer dialer,
            Clock clock,
            List<String> known,
            OpenSessionRequest request,
            boolean held,
            Consumer<FarmException> refusals) {
        this.dialer = dialer;
        this.clock = clock;
        this.known = List.copyOf(known);
        this.request = request;
        this.held = held;
        this.refusals = refusals;
    }

    CompletableFuture<Found> start() {
        synchronized (this) {
            candidates.addAll(known);
        }
        next();
        return result;
    }

    void stop(FarmException why) {
        result.completeExceptionally(why);
    }

    private void next() {
        String address;
        synchronized (this) {
            do {
                address = candidates.poll();
            } while (address != null && !asked.add(address));
            if (result.isDone()) {
                return;
            }
            if (address == null) {
                endOfRound();
                return;
            }
            inFlight.add(address);
        }
        ask(address);
        // One that is stopped answers nothing: the others are asked meanwhile.
        clock.after(SessionLimits.SEARCH_STAGGER, this::next);
    }

    private void endOfRound() {
        FarmException told = refusal;
        if (inFlight.isEmpty() && refusedForGood) {
            result.completeExceptionally(lastRefusal);
        } else if (inFlight.isEmpty() && !held && !mayBeOtherwise && told != null) {
            result.completeExceptionally(told);
        } else if (!roundPending) {
            roundPending = true;
            // Who has been refused does not ask at the pace of a fail-over.
            clock.after(
                    told == null ? SessionLimits.SEARCH_PAUSE : SessionLimits.RENEW_EVERY,
                    this::newRound);
        }
    }

    private void newRound() {
        synchronized (this) {
            roundPending = false;
            refusedForGood = true;
            mayBeOtherwise = false;
            refusal = null;
            asked.clear();
            asked.addAll(inFlight);
            candidates.clear();
            candidates.addAll(known);
        }
        next();
    }

    private void ask(String address) {
        HostPort hostPort;
        try {
            hostPort = HostPort.parse(address);
        } catch (IllegalArgumentException e) {
            refused(
                    address,
                    new FarmException(
                            ErrorKind.BAD_CONFIGURATION, "connect", address, "not host:port"));
            return;
        }
        open(dialer, clock, hostPort, request, held)
                .orTimeout(
                        SessionLimits.OPEN_DEADLINE.toMillis() * 2,
                        java.util.concurrent.TimeUnit.MILLISECONDS)
                .whenComplete((found, thrown) -> {
                    if (thrown == null) {
                        answered(address, found);
                    } else {
                        refused(address, FarmException.of(timely(thrown), "connect", address));
                    }
                });
    }

    private static Throwable timely(Throwable thrown) {
        return thrown instanceof java.util.concurrent.TimeoutException
                ? new FarmException(ErrorKind.TIMED_OUT, "connect", "metaserver")
                : thrown;
    }

    private void refused(String address, FarmException failure) {
        boolean forGood = isForGood(failure.kind());
        if (forGood) refusals.accept(failure);
        synchronized (this) {
            inFlight.remove(address);
            lastRefusal = failure;
            refusedForGood &= forGood;
            mayBeOtherwise |= !forGood && !isUnreachable(failure.kind());
            if (forGood) refusal = failure;
            if (failure.kind() == ErrorKind.NOT_LEADER && !failure.detail().isEmpty()) {
                candidates.addFirst(failure.detail());
            }
        }
        next();
    }

    private static boolean isForGood(ErrorKind kind) {
        return kind == ErrorKind.NOT_AUTHENTICATED
                || kind == ErrorKind.WRONG_VERSION
                || kind == ErrorKind.ACCESS_DENIED
                || kind == ErrorKind.NOT_PERMITTED;
    }

    private static boolean isUnreachable(ErrorKind kind) {
        return kind == ErrorKind.UNAVAILABLE || kind == ErrorKind.TIMED_OUT;
    }

    private void answered(String address, Found found) {
        List<ServerInfo> servers = found.leader().opened.getServersList();
        String leads =
                servers.stream()
                        .filter(s -> s.getRole().equals("leader"))
                        .map(ServerInfo::getAddress)
                        .findFirst()
                        .orElse("");
        synchronized (this) {
            inFlight.remove(address);
            refusedForGood = false;
            mayBeOtherwise = true;
            if (servers.isEmpty() || leads.equals(address)) {
                if (!result.complete(found)) {
                    found.leader().peer.close();
                }
                return;
            }
            if (!leads.isEmpty()) {
                candidates.addFirst(leads);
            }
        }
        found.leader().peer.close();
        next();
    }

    /**
     * Dials and opens the session on that server. One that does not say whether it still knows the
     * session is not asked to open it: the session would count as ended there while it goes on.
     */
    static CompletableFuture<Found> open(
            Dialer dialer,
            Clock clock,
            HostPort address,
            OpenSessionRequest request,
            boolean held) {
        return dialer.dial(address)
                .thenCompose(peer -> {
                    CompletableFuture<Boolean> known =
                            held
                                    ? peer.callPlain(
                                                    MetadataMethods.RENEW,
                                                    RenewRequest.newBuilder()
                                                            .setSession(request.getSession())
                                                            .build(),
                                                    SessionLimits.OPEN_DEADLINE)
                                            .thenApply(reply -> !reply.getEvicted())
                                    : CompletableFuture.completedFuture(false);
                    long sentAt = clock.nanoTime();
                    CompletableFuture<Found> opened =
                            known.thenCompose(knew ->
                                    peer.callPlain(
                                                    MetadataMethods.OPEN_SESSION,
                                                    request,
                                                    SessionLimits.OPEN_DEADLINE)
                                            .thenApply(reply ->
                                                    new Found(
                                                            new Attached(
                                                                    peer,
                                                                    address.toString(),
                                                                    reply,
                                                                    sentAt),
                                                            knew)));
                    opened.whenComplete((found, failure) -> {
                        if (failure != null) {
                            peer.close();
                        }
                    });
                    return opened;
                });
    }
}
