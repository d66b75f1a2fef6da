package org.gridfarm.client.core.session;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.CloseSessionRequest;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.OpenSessionReply;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.ServerInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The session of this process. Thread-safe; nothing blocks but {@link #close()}.
 *
 * <p>States of the leader's side: searching (its future is open) → re-establishing (keepers at
 * work) → attached → searching again when the connection or the renewal fails. The reading side
 * follows: a cache server if one is known, the leader otherwise.
 */
public final class FarmSession implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FarmSession.class);

    private final SessionSettings settings;
    private final Dialer dialer;
    private final Clock clock;
    private final Entropy entropy;
    private final Inheritance inheritance;
    private final List<SessionKeeper> keepers = new CopyOnWriteArrayList<>();
    private final FirstThings first;
    private volatile @Nullable SessionKeeper firstKeeper;

    private final Object lock =
            new Object(); // guards the fields down to the blank line; nothing foreign is called
    // under it
    private CompletableFuture<Attached> leader = new CompletableFuture<>();
    private CompletableFuture<Attached> reader = new CompletableFuture<>();
    private final Set<String> addresses = new LinkedHashSet<>();
    private boolean searching;
    private boolean held; // the session was open once
    private boolean inherited; // from a former process, and nothing of it re-established yet
    private boolean lost; // and is gone: what was held under it is to be told
    private boolean closed;
    private long epoch;
    private @Nullable ServerSearch search;

    private volatile long id;
    private volatile @Nullable Attached leaderNow;

    /** By the last leader: who this client is does not change while the next one is sought. */
    private volatile OpenSessionReply welcome = OpenSessionReply.getDefaultInstance();

    private volatile @Nullable Attached restoringAt; // the leader to be, while keepers are at work
    private volatile @Nullable Attached readerNow;
    private volatile @Nullable FarmException refusal; // since no leader has been found

    public Clock clock() {
        return clock;
    }

    public FarmSession(SessionSettings settings, Dialer dialer, Clock clock, Entropy entropy) {
        this(settings, dialer, clock, entropy, Inheritance.NONE);
    }

    /** Goes on with the session that a former process of this client left, if it left one. */
    public FarmSession(
            SessionSettings settings,
            Dialer dialer,
            Clock clock,
            Entropy entropy,
            Inheritance inheritance) {
        this.inheritance = inheritance;
        this.inherited = inheritance.session() != 0;
        this.held = inherited;
        this.epoch = inheritance.epoch();
        this.settings = settings;
        this.dialer = dialer;
        this.clock = clock;
        this.first = new FirstThings(clock, settings.deadline());
        this.entropy = entropy;
        this.id = inherited ? inheritance.session() : entropy.nextLong();
        settings.metaservers().forEach(address -> addresses.add(address.toString()));
    }

    /**
     * Finds the leader and opens the session; fails when every metaserver refuses for good, and
     * otherwise at the deadline.
     */
    public CompletableFuture<Void> open() {
        seekLeader();
        return leaderAttempt(
                        "connect",
                        (attached, left) -> CompletableFuture.completedFuture(null),
                        settings.deadline())
                // what is read before the reading server is known could not be kept
                .thenCompose(led -> currentReader())
                .thenApply(reading -> null);
    }

    public void keep(SessionKeeper keeper) {
        keepers.add(keeper);
    }

    /** Re-established before what the others keep, which may depend on it; set once. */
    public void keepFirst(SessionKeeper keeper) {
        firstKeeper = keeper;
    }

    /**
     * What every call waits for before it leaves, but those by {@link #leaderAtOnce}; null: for
     * nothing. Set once.
     */
    public void first(Supplier<@Nullable CompletableFuture<Void>> before) {
        first.are(before);
    }

    public long id() {
        return id;
    }

    public Inheritance inheritance() {
        return inheritance;
    }

    public Duration deadline() {
        return settings.deadline();
    }

    /** Whom the servers know this client as; the default instance before {@link #open()}. */
    public Credentials self() {
        return welcome.getCredentials();
    }

    /** Whether this client may act for others than itself: a trusted mount. */
    public boolean mayAssert() {
        return welcome.getMayAssert();
    }

    public String user() {
        return welcome.getUser();
    }

    /** Those of this person, the present one among them; of a host none. */
    public List<String> accounts() {
        return List.copyOf(welcome.getAccountsList());
    }

    /**
     * What a server said that lets this client in no more: its token has run out, say, or nobody
     * knows it any longer. Empty while the session stands, and while servers are only not there.
     */
    public Optional<FarmException> refusal() {
        return Optional.ofNullable(refusal);
    }

    public long root() {
        return welcome.getRoot() == 0 ? 1 : welcome.getRoot();
    }

    /** For how long what the servers granted may still be believed; 0: not at all. */
    public long leaseNanosLeft() {
        Attached first = leaderNow;
        Attached second = readerNow;
        if (first == null || second == null) {
            return 0;
        }
        long now = clock.nanoTime();
        return Math.max(0, Math.min(first.nanosLeft(now), second.nanosLeft(now)));
    }

    /** For how long the leader still keeps what this session has; 0: perhaps not at all. */
    public long leaderLeaseNanosLeft() {
        Attached now = leaderNow;
        return now == null ? 0 : Math.max(0, now.nanosLeft(clock.nanoTime()));
    }

    // ---- calls
    // -----------------------------------------------------------------------------------------------------------------------

    /**
     * To the leader, repeated through fail-overs until the deadline of this client. The request
     * must be safe to repeat.
     */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> leader(
            Method<Q, R> method, Q request) {
        return leader(method, () -> request, settings.deadline());
    }

    /**
     * As above with a deadline of its own (zero: none) and a request made anew for each attempt, so
     * that it carries the session of that moment.
     */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> leader(
            Method<Q, R> method, Supplier<Q> request, Duration deadline) {
        return first.then(method.name(), deadline, left -> leaderAtOnce(method, request, left));
    }

    /** As above, whatever other calls have to wait for. */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> leaderAtOnce(
            Method<Q, R> method, Supplier<Q> request, Duration deadline) {
        return leaderAttempt(
                method.name(),
                (attached, left) -> attached.peer.callPlain(method, request.get(), left),
                deadline);
    }

    /** To the server this client reads from; the request is made anew for each attempt. */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> reader(
            Method<Q, R> method, Supplier<Q> request) {
        return inSomeSession(method, request, this::currentReader, RetryingCall.Scope.ALWAYS);
    }

    /**
     * To the leader, for what means the same under another session: made anew should this session
     * have been ended. What may have been done in it is not: SESSION_ENDED.
     */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> leaderInAnySession(
            Method<Q, R> method, Supplier<Q> request) {
        return inSomeSession(method, request, this::currentLeader, RetryingCall.Scope.ONCE);
    }

    private <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> inSomeSession(
            Method<Q, R> method,
            Supplier<Q> request,
            Supplier<CompletableFuture<Attached>> server,
            RetryingCall.Scope scope) {
        Function<RetryingCall.AttachedAttempt, CompletableFuture<R>> attempt =
                a -> a.server().peer.callPlain(method, request.get(), a.left());
        return first.then(
                method.name(),
                settings.deadline(),
                deadline ->
                        new RetryingCall<R>(
                                        clock,
                                        method.name(),
                                        deadline,
                                        server,
                                        attempt,
                                        this::suspect)
                                .in(scope)
                                .start());
    }

    private interface Attempt<R> {
        CompletableFuture<R> on(Attached attached, Duration left);
    }

    private <R> CompletableFuture<R> leaderAttempt(
            String operation, Attempt<R> attempt, Duration deadline) {
        return new RetryingCall<R>(
                        clock,
                        operation,
                        deadline,
                        this::currentLeader,
                        a -> attempt.on(a.server(), a.left()),
                        this::suspect)
                .start();
    }

    private CompletableFuture<Attached> currentLeader() {
        synchronized (lock) {
            return closed ? CompletableFuture.failedFuture(gone()) : leader;
        }
    }

    private CompletableFuture<Attached> currentReader() {
        synchronized (lock) {
            return closed ? CompletableFuture.failedFuture(gone()) : reader;
        }
    }

    private @Nullable Void suspect(Attached attached) {
        if (attached == leaderNow) {
            seekLeader();
        } else if (attached == readerNow) {
            readerLost(attached);
        }
        return null;
    }

    // ---- the leader's side
    // ------------------------------------------------------------------------------------------------------------

    private void seekLeader() {
        ServerSearch begun;
        Attached former;
        synchronized (lock) {
            if (searching || closed) {
                return;
            }
            searching = true;
            former = leaderNow;
            leaderNow = null;
            if (leader.isDone()) {
                leader = new CompletableFuture<>();
            }
            if (reader.isDone() && (readerNow == null || readerNow == former)) {
                reader = new CompletableFuture<>();
                readerNow = null;
            }
            begun =
                    new ServerSearch(
                            dialer,
                            clock,
                            List.copyOf(addresses),
                            request(held),
                            held,
                            this::refused);
            search = begun;
        }
        if (former != null) {
            log.info(
                    "the metaserver at {} is lost or leads no more, looking for the leader",
                    former.address);
            former.peer.close();
        }
        begun.start()
                .whenComplete((found, thrown) -> {
                    if (thrown == null) {
                        leaderFound(found);
                    } else {
                        searchFailed(FarmException.of(thrown, "connect", "metaserver"));
                    }
                });
    }

    private void refused(FarmException why) {
        synchronized (lock) {
            if (searching) refusal = why; // else another server has let it in meanwhile
        }
    }

    private OpenSessionRequest request(boolean reclaim) {
        return OpenSessionRequest.newBuilder()
                .setSession(id)
                .setClient(settings.client())
                .setNode(settings.node())
                .setReclaim(reclaim)
                .build();
    }

    private void searchFailed(FarmException failure) {
        CompletableFuture<Attached> waiting;
        synchronized (lock) {
            searching = false;
            waiting = leader;
            leader = new CompletableFuture<>();
            if (!reader.isDone()) {
                reader.completeExceptionally(failure);
                reader = new CompletableFuture<>();
            }
        }
        waiting.completeExceptionally(failure);
        if (!closedNow()) {
            clock.after(SessionLimits.RENEW_EVERY, this::seekLeader);
        }
    }

    private boolean closedNow() {
        synchronized (lock) {
            return closed;
        }
    }

    private void leaderFound(ServerSearch.Found found) {
        Attached attached = found.leader();
        boolean evicted;
        boolean first;
        boolean tellLost;
        boolean takeOver;
        synchronized (lock) {
            first = !held && !lost;
            boolean sameLeader = attached.opened.getEpoch() == epoch;
            evicted = held && !found.knewSession() && (sameLeader || attached.opened.getTooLate());
            if (evicted) {
                held = false;
                lost = true;
                searching = false;
                id = entropy.nextLong();
            }
            tellLost = lost;
            takeOver = inherited;
        }
        dropCaches();
        if (evicted) {
            log.warn(
                    "this session was ended by the metaserver: files open for writing and locks are lost; a new one begins");
            attached.peer.close();
            seekLeader();
            return;
        }
        boolean sameState = found.knewSession() && attached.opened.getEpoch() == epochNow();
        if (first || (sameState && !tellLost && !takeOver)) {
            attach(attached);
            return;
        }
        LeaderCalls calls = new CallsTo(attached.peer, deadline());
        // However much there is to be restored, the lease goes on.
        restoringAt = attached;
        scheduleRenewal(attached);
        SessionKeeper before = firstKeeper;
        CompletableFuture<Void> begun =
                before == null
                        ? CompletableFuture.completedFuture(null)
                        : reopened(before, calls, tellLost);
        begun.thenCompose(done ->
                        CompletableFuture.allOf(
                                keepers.stream()
                                        .map(keeper -> reopened(keeper, calls, tellLost))
                                        .toArray(CompletableFuture<?>[]::new)))
                .whenComplete((none, never) -> restored(attached));
    }

    /** Completes when that is over, well or not. */
    private static CompletableFuture<Void> reopened(
            SessionKeeper keeper, LeaderCalls calls, boolean lost) {
        return keeper.reopened(calls, lost)
                .toCompletableFuture()
                .exceptionally(thrown -> {
                    log.warn("could not re-establish everything: {}", thrown.getMessage());
                    return null;
                });
    }

    private void restored(Attached attached) {
        if (attached.peer.isOpen() || closedNow()) {
            attach(attached);
            return;
        }
        synchronized (lock) {
            searching = false;
        }
        restoringAt = null;
        seekLeader(); // and everything is asked for again there
    }

    private long epochNow() {
        synchronized (lock) {
            return epoch;
        }
    }

    private void attach(Attached attached) {
        CompletableFuture<Attached> waiting;
        synchronized (lock) {
            searching = false;
            search = null;
            held = true;
            lost = false;
            inherited = false;
            epoch = attached.opened.getEpoch();
            leaderNow = attached;
            welcome = attached.opened;
            refusal = null;
            waiting = leader;
            attached.opened.getServersList().forEach(server -> addresses.add(server.getAddress()));
            addresses.remove("");
        }
        inheritance.stands(id, attached.opened.getEpoch());
        attached.peer.whenClosed(() -> suspect(attached));
        boolean isRenewed = attached == restoringAt;
        restoringAt = null;
        if (!isRenewed) {
            scheduleRenewal(attached);
        }
        waiting.complete(attached);
        if (readerNow == null) {
            chooseReader(attached, attached.opened.getServersList());
        }
    }

    // ---- the reading side
    // -------------------------------------------------------------------------------------------------------------

    private void chooseReader(Attached fallback, List<ServerInfo> servers) {
        String address = ReaderChoice.choose(servers, id);
        if (address.isEmpty()) {
            readFrom(fallback);
            return;
        }
        ServerSearch.open(dialer, clock, HostPort.parse(address), request(false), false)
                .whenComplete((found, thrown) -> {
                    if (thrown != null) {
                        readFrom(fallback);
                        return;
                    }
                    Attached attached = found.leader();
                    readFrom(attached);
                    attached.peer.whenClosed(() -> suspect(attached));
                    scheduleRenewal(attached);
                });
    }

    private void readFrom(Attached attached) {
        CompletableFuture<Attached> waiting;
        synchronized (lock) {
            if (reader.isDone()) {
                reader = new CompletableFuture<>();
            }
            waiting = reader;
            readerNow = attached;
        }
        dropCaches();
        waiting.complete(attached);
    }

    private void readerLost(Attached attached) {
        synchronized (lock) {
            if (readerNow != attached) {
                return;
            }
            readerNow = null;
            reader = new CompletableFuture<>();
        }
        dropCaches();
        attached.peer.close();
        Attached fallback = leaderNow;
        if (fallback != null) {
            readFrom(fallback);
        }
    }

    // ---- renewal
    // ----------------------------------------------------------------------------------------------------------------------

    private void scheduleRenewal(Attached attached) {
        clock.after(SessionLimits.RENEW_EVERY, () -> renew(attached));
    }

    private void renew(Attached attached) {
        if (attached != leaderNow && attached != readerNow && attached != restoringAt) {
            return;
        }
        new Renewal(clock, id, attached)
                .send()
                .whenComplete((outcome, thrown) -> {
                    if (thrown != null) {
                        log.debug(
                                "renewal at {} failed: {}", attached.address, thrown.getMessage());
                        giveUp(attached);
                        return;
                    }
                    if (outcome.lapsed()) {
                        dropCaches();
                    }
                    if (outcome.evicted()) {
                        giveUp(attached);
                        return;
                    }
                    scheduleRenewal(attached);
                    reviewReader(attached, outcome.servers());
                });
    }

    private void giveUp(Attached attached) {
        if (attached == restoringAt) {
            attached.peer.close(); // what is asked there ends with that, and the next one is sought
        } else {
            suspect(attached);
        }
    }

    /** Once the leader names a cache server, reading moves there. */
    private void reviewReader(Attached attached, List<ServerInfo> servers) {
        boolean alone = attached == leaderNow && attached == readerNow;
        if (alone
                && !ReaderChoice.choose(servers, id).isEmpty()
                && attached.timeForReview(clock.nanoTime())) {
            chooseReader(attached, servers);
        }
    }

    private void dropCaches() {
        keepers.forEach(SessionKeeper::dropCaches);
    }

    /** Calls that come after the close would wait for network threads that have ended. */
    private static FarmException gone() {
        return new FarmException(ErrorKind.CANCELLED, "call", "", "the client was closed");
    }

    /** Ends the session at the servers (waiting a second at most) and closes the connections. */
    @Override
    public void close() {
        Attached first = leaderNow;
        Attached second = readerNow;
        ServerSearch running;
        CompletableFuture<Attached> waiting;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            running = search;
            waiting = leader;
        }
        FarmException gone = gone();
        waiting.completeExceptionally(gone);
        if (running != null) {
            running.stop(gone);
        }
        CloseSessionRequest bye = CloseSessionRequest.newBuilder().setSession(id).build();
        for (Attached attached :
                first == second ? new Attached[] {first} : new Attached[] {second, first}) {
            if (attached != null) {
                attached.peer
                        .callPlain(MetadataMethods.CLOSE_SESSION, bye, Duration.ofSeconds(1))
                        .handle((done, failure) -> failure) // it would run out by itself
                        .join();
                attached.peer.close();
            }
        }
    }
}
