package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.coherence.CacheCoherence;
import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.Touch;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.server.sessions.AccountService;
import org.gridfarm.metaserver.server.sessions.SessionService;
import org.gridfarm.metaserver.server.sessions.Sessions;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.server.state.ReadScope;
import org.gridfarm.metaserver.server.state.ScopeGate;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.NetworkTrouble;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.CacheLeaseReply;
import org.gridfarm.protocol.wire.CacheStatus;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.CommitBatch;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.FollowReply;
import org.gridfarm.protocol.wire.FollowRequest;
import org.gridfarm.protocol.wire.GiveBackRequest;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.PrepareBatch;
import org.gridfarm.protocol.wire.PrepareReply;
import org.gridfarm.protocol.wire.SnapshotReply;
import org.gridfarm.protocol.wire.SnapshotRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * This server follows a leader: it holds the same state, answers reads from it, and can take over.
 *
 * <pre>
 *   dialling --> following --snapshot or resumed--> serving --lease lost, gap, leader gone--> flushing
 *   flushing --nobody believes anything that was granted here--> dialling
 * </pre>
 *
 * <p>To the leader a cache that follows anew is one that nobody believes any more: it no longer
 * waits for what the cache had granted. So a cache takes back everything before it does.
 *
 * <p>Reads are served only while the lease from the leader stands, counted from when its renewal
 * was sent. Clients get no longer leases than that. Event thread.
 */
final class Following implements Serving, ReadScope.Visibility {
    private static final Logger log = LoggerFactory.getLogger(Following.class);
    private static final Duration CALL_DEADLINE = Duration.ofSeconds(5);
    private static final long RENEW_NANOS = ServerLimits.CACHE_LEASE.toNanos() / 4;
    private static final long REDIAL_NANOS = Duration.ofMillis(200).toNanos();

    /** The recall of everything, among those of batches, which are positive. */
    private static final long FLUSH = -1;

    /** Dials another metaserver; what it pushes comes to {@link MetaServer}'s own services. */
    interface LeaderDialer {
        CompletableFuture<Peer> dial(HostPort address);
    }

    private record ParkedRead(long sequence, Runnable evaluate) {}

    private final Events events;
    private final Clock clock;
    private final FarmState state;
    private final ServerIdentity identity;
    private final LeaderDialer dialer;
    private final Consumer<Cluster.Member> gone;
    private final Layouts layouts;
    private final Bounds bounds;
    private final ClientCoherence clients;
    private final Sessions sessions;
    private final HandlerTable table = new HandlerTable(this::failed);
    private final List<ParkedRead> parked = new ArrayList<>();
    private final TreeMap<Long, ChangeBatch> prepared = new TreeMap<>();
    private final Map<Long, Exchange<PrepareBatch, PrepareReply>> prepares = new HashMap<>();

    /** Not answered yet: nobody waits for that, and the next answer takes them along. */
    private final List<Exchange<CommitBatch, Empty>> commits = new ArrayList<>();

    private @Nullable CacheCoherence coherence;
    private JournalStore.Claim claim = new JournalStore.Claim(0, 0);
    private @Nullable Peer leader;
    private Cluster.@Nullable Member followed;
    private Cluster.@Nullable Member reached; // until it was found to have ended
    private boolean dialling;
    private boolean loading;
    private boolean serving;
    private boolean stopped;
    private long base;
    private long changedBy; // the action that changed the state last
    private long committedWhileLoading;
    private long leaseEnds;
    private long renewAt;
    private long redialAt;

    Following(
            Events events,
            Clock clock,
            FarmState state,
            ServerIdentity identity,
            Layouts layouts,
            LeaderDialer dialer,
            Bounds bounds,
            Consumer<Cluster.Member> gone) {
        this.bounds = bounds;
        this.clients = new ClientCoherence(bounds.leasesPerSession());
        this.gone = gone;
        this.events = events;
        this.clock = clock;
        this.state = state;
        this.identity = identity;
        this.dialer = dialer;
        this.layouts = layouts;
        this.leaseEnds = clock.nanoTime();
        this.sessions = new Sessions(clients, events, clock, this::recallAnswered, bounds);
        table.judging(new ScopeGate(state, ScopeGate.Writers.NONE));
        new Reads(state, layouts, new Reach(state, null), Reads.Settling.NONE, this::read)
                .register(table);
        new AccountService(identity).register(table);
        new SessionService(
                        clients,
                        sessions,
                        identity,
                        () -> claim,
                        this::clientLease,
                        this::run,
                        events,
                        clock,
                        state.owners(),
                        () -> false)
                .register(table);
        table.on(MetadataMethods.PREPARE, this::prepare);
        table.on(MetadataMethods.COMMIT, this::commit);
    }

    /** The state that this server can be promoted from, and how far it goes; 0: nothing usable. */
    long promotableFrom() {
        CacheCoherence known = coherence;
        return known == null || loading ? 0 : known.committed();
    }

    long epoch() {
        return claim.epoch();
    }

    FarmState state() {
        return state;
    }

    // ---- the leader -------------------------------------------------------------------------

    @Override
    public void tick() {
        if (stopped) return;
        answerCommits();
        long now = clock.nanoTime();
        if (serving && now - leaseEnds >= 0) lose("the lease from the leader ran out");
        Peer known = leader;
        if (known != null && !known.isOpen()) lose("the connection to the leader is gone");
        if (leader == null && !dialling && clients.owedNothing() && now - redialAt >= 0) dial();
        if (leader != null && !loading && now - renewAt >= 0) renew(leader);
        List<Effect> effects = new ArrayList<>();
        clients.expire(now, effects);
        run(effects);
    }

    private void dial() {
        Cluster.Member found = null;
        for (Cluster.Member member : identity.members().get()) {
            if (member.leads()
                    && !member.name().equals(identity.name())
                    && (found == null || member.epoch() > found.epoch())) {
                found = member;
            }
        }
        if (found == null) return;
        Cluster.Member target = found;
        dialling = true;
        redialAt = clock.nanoTime() + REDIAL_NANOS;
        dialer.dial(HostPort.parse(target.address()))
                .whenComplete((peer, failure) ->
                        events.submit(() -> {
                            dialling = false;
                            if (failure != null) {
                                log.debug("{}: {}", target, failure.getMessage());
                                ended(target, failure);
                            } else if (stopped) {
                                peer.close();
                            } else {
                                follow(target, peer);
                            }
                        }));
    }

    /** Only of one that was reached before: else it may be the way there that is closed. */
    private void ended(Cluster.Member target, Throwable failure) {
        if (!stopped && target.equals(reached) && NetworkTrouble.isRefused(failure)) {
            reached = null;
            gone.accept(target);
        }
    }

    private void follow(Cluster.Member target, Peer peer) {
        leader = peer;
        followed = target;
        reached = target;
        loading = true;
        prepared.clear();
        committedWhileLoading = 0;
        long sent = clock.nanoTime();
        CacheCoherence known = coherence;
        peer.callPlain(
                        MetadataMethods.FOLLOW,
                        FollowRequest.newBuilder()
                                .setName(identity.name())
                                .setAddress(identity.address())
                                .setFromSequence(known == null ? 0 : known.committed())
                                .setEpoch(claim.epoch())
                                .setRecallsDelegated(true)
                                .build(),
                        CALL_DEADLINE)
                .whenComplete((reply, failure) ->
                        events.submit(() -> {
                            if (leader != peer) return;
                            if (failure != null) lose(String.valueOf(failure.getMessage()));
                            else followed(peer, reply, sent);
                        }));
    }

    private void followed(Peer peer, FollowReply reply, long sent) {
        claim = new JournalStore.Claim(reply.getEpoch(), reply.getInstance());
        leaseEnds = sent + Duration.ofMillis(reply.getLeaseMillis()).toNanos();
        renewAt = clock.nanoTime();
        base = reply.getSequence();
        if (reply.getSnapshotNeeded()) {
            coherence = null;
            state.clear();
            page(peer, 0);
        } else {
            if (coherence == null) throw new IllegalStateException("resumed from nothing");
            loaded(base);
        }
    }

    private void page(Peer peer, long cookie) {
        peer.callPlain(
                        MetadataMethods.SNAPSHOT,
                        SnapshotRequest.newBuilder().setCookie(cookie).build(),
                        CALL_DEADLINE)
                .whenComplete((reply, failure) ->
                        events.submit(() -> {
                            if (leader != peer) return;
                            if (failure != null) lose(String.valueOf(failure.getMessage()));
                            else loadPage(peer, reply);
                        }));
        renew(peer);
    }

    private void loadPage(Peer peer, SnapshotReply reply) {
        changedBy = events.action();
        for (Change change : reply.getChangesList()) state.load(change);
        for (Outcome outcome : reply.getOutcomesList()) state.outcomes().add(outcome, 0);
        if (!reply.getEnd()) {
            page(peer, reply.getCookie());
            return;
        }
        state.loaded();
        log.info("loaded the snapshot as of batch {}", reply.getSequence());
        loaded(base);
    }

    /** The state stands at the base; batches that came meanwhile are applied or pending. */
    private void loaded(long from) {
        loading = false;
        CacheCoherence now = new CacheCoherence(clients, from);
        coherence = now;
        List<Effect> effects = new ArrayList<>();
        for (ChangeBatch batch : prepared.values()) {
            if (batch.getSequence() > from)
                now.prepare(batch.getSequence(), touches(batch), clock.nanoTime(), effects);
        }
        prepared.headMap(from, true).clear();
        for (long sequence = from + 1; sequence <= committedWhileLoading; sequence++) {
            apply(sequence);
        }
        run(effects);
        if (leader == null) return; // lost over a gap in what came meanwhile
        serving = true;
        log.info("serving reads as of batch {}, epoch {}", now.committed(), claim.epoch());
    }

    private void renew(Peer peer) {
        renewAt = clock.nanoTime() + RENEW_NANOS;
        long sent = clock.nanoTime();
        peer.callPlain(MetadataMethods.CACHE_LEASE, status(), CALL_DEADLINE)
                .whenComplete((reply, failure) ->
                        events.submit(() -> {
                            if (leader != peer) return;
                            if (failure != null) lose(String.valueOf(failure.getMessage()));
                            else renewed(reply, sent);
                        }));
    }

    private CacheStatus status() {
        CacheCoherence known = coherence;
        return CacheStatus.newBuilder()
                .setName(identity.name())
                .setAddress(identity.address())
                .setSequence(known == null ? 0 : known.committed())
                .setClients(clients.sessions())
                .setLeases(clients.held())
                .setHeapPercent(bounds.heap().percent())
                .setProblem(bounds.heap().problem().orElse(""))
                .build();
    }

    private void renewed(CacheLeaseReply reply, long sent) {
        if (reply.getFollowAgain()) {
            lose("the leader no longer counts on this cache");
            return;
        }
        leaseEnds = Math.max(leaseEnds, sent + Duration.ofMillis(reply.getLeaseMillis()).toNanos());
    }

    /** Serves nothing any more until it follows again; what is committed here stays as a start. */
    private void lose(String why) {
        if (serving || loading) log.info("not serving: {}", why);
        boolean partial = loading;
        boolean granted = serving;
        serving = false;
        loading = false;
        Peer old = leader;
        leader = null;
        if (old != null) old.close();
        redialAt = clock.nanoTime() + REDIAL_NANOS;
        prepared.clear();
        prepares.clear();
        CacheCoherence known = coherence;
        if (partial) {
            coherence = null;
        } else if (known != null) {
            coherence = new CacheCoherence(clients, known.committed());
        }
        List<Effect> effects = new ArrayList<>();
        if (granted && !stopped) {
            clients.recallEverything(FLUSH, clock.nanoTime(), effects);
        }
        run(effects);
        List<ParkedRead> waiting = List.copyOf(parked);
        parked.clear();
        waiting.forEach(read -> read.evaluate().run());
    }

    /** The state may have half a batch: all of it is asked for again. */
    @Override
    public void failed(Throwable defect) {
        if (stopped || changedBy != events.action()) return;
        lose("memory may differ from the journal after " + defect);
        coherence = null;
    }

    // ---- the stream -------------------------------------------------------------------------

    private static List<Touch> touches(ChangeBatch batch) {
        List<Touch> touches = new ArrayList<>();
        for (Change change : batch.getChangesList()) Touch.of(change, touches::add);
        return touches;
    }

    private void prepare(Exchange<PrepareBatch, PrepareReply> exchange) {
        answerCommits();
        ChangeBatch batch = exchange.request().getBatch();
        if (exchange.peer() != leader) {
            throw new FarmException(
                    ErrorKind.NOT_LEADER, "prepare", "", "another leader is followed");
        }
        prepared.put(batch.getSequence(), batch);
        CacheCoherence known = coherence;
        if (loading || known == null) {
            exchange.reply(PrepareReply.newBuilder().setSequence(batch.getSequence()).build());
            return;
        }
        if (batch.getSequence() <= known.committed()) {
            exchange.reply(PrepareReply.newBuilder().setSequence(batch.getSequence()).build());
            return;
        }
        if (batch.getSequence() != known.lastPrepared() + 1) {
            lose("batch " + batch.getSequence() + " came after " + known.lastPrepared());
            return;
        }
        prepares.put(batch.getSequence(), exchange);
        List<Effect> effects = new ArrayList<>();
        known.prepare(batch.getSequence(), touches(batch), clock.nanoTime(), effects);
        run(effects);
    }

    private void commit(Exchange<CommitBatch, Empty> exchange) {
        long sequence = exchange.request().getSequence();
        commits.add(exchange);
        if (exchange.peer() != leader) return;
        CacheCoherence known = coherence;
        if (loading || known == null) {
            committedWhileLoading = Math.max(committedWhileLoading, sequence);
            return;
        }
        if (sequence <= known.committed()) return;
        apply(sequence);
        releaseReads(known.committed());
    }

    private void answerCommits() {
        if (commits.isEmpty()) return;
        commits.forEach(commit -> commit.reply(Empty.getDefaultInstance()));
        commits.clear();
    }

    private void apply(long sequence) {
        ChangeBatch batch = prepared.remove(sequence);
        CacheCoherence known = coherence;
        if (batch == null || known == null) {
            lose("batch " + sequence + " was committed but never prepared here");
            return;
        }
        take(batch);
        known.commit(sequence);
    }

    void take(ChangeBatch batch) {
        changedBy = events.action();
        state.apply(batch);
    }

    private void releaseReads(long committed) {
        if (parked.isEmpty()) return;
        List<ParkedRead> due = new ArrayList<>();
        parked.removeIf(read -> read.sequence() <= committed && due.add(read));
        due.forEach(read -> read.evaluate().run());
    }

    // ---- clients ----------------------------------------------------------------------------

    /**
     * What is pending waits for the last batch prepared when it came; then the state is that of
     * just this batch, and the read is answered from it whatever has been prepared since.
     */
    private <Q extends MessageLite, R extends MessageLite> void read(
            Exchange<Q, R> exchange, Caller caller, Reads.Read<R> read) {
        CacheCoherence known = coherence;
        if (!mayServe() || known == null) {
            exchange.fail(notServing(exchange.method().name()));
            return;
        }
        long session = caller.session();
        ReadScope scope =
                new ReadScope(
                        this,
                        state::delegatedToOther,
                        session,
                        clients.knows(session) ? session : 0);
        Runnable answer = evaluated(exchange, read, scope);
        if (!scope.delegated().isEmpty()) {
            haveGivenBack(exchange, caller, read, scope);
        } else if (scope.blockedBy() != 0) {
            parked.add(new ParkedRead(known.lastPrepared(), () -> readNow(exchange, caller, read)));
        } else {
            answer.run();
        }
    }

    private static <Q extends MessageLite, R extends MessageLite> Runnable evaluated(
            Exchange<Q, R> exchange, Reads.Read<R> read, ReadScope scope) {
        try {
            R reply = read.evaluate(scope);
            return () -> exchange.reply(reply);
        } catch (FarmException refused) {
            return () -> exchange.fail(refused);
        }
    }

    private <Q extends MessageLite, R extends MessageLite> void readNow(
            Exchange<Q, R> exchange, Caller caller, Reads.Read<R> read) {
        if (!mayServe()) {
            exchange.fail(notServing(exchange.method().name()));
            return;
        }
        ReadScope scope = new ReadScope(this, state::delegatedToOther, caller.session(), 0);
        Runnable answer = evaluated(exchange, read, scope);
        if (scope.delegated().isEmpty()) answer.run();
        else haveGivenBack(exchange, caller, read, scope);
    }

    /** Another session decides about what was read: the leader has it given back first. */
    private <Q extends MessageLite, R extends MessageLite> void haveGivenBack(
            Exchange<Q, R> exchange, Caller caller, Reads.Read<R> read, ReadScope scope) {
        Peer asked = leader;
        if (asked == null) {
            exchange.fail(notServing(exchange.method().name()));
            return;
        }
        asked.callPlain(
                        MetadataMethods.GIVE_BACK,
                        GiveBackRequest.newBuilder().addAllDirectories(scope.delegated()).build(),
                        CALL_DEADLINE)
                .whenComplete((reply, failure) ->
                        events.submit(() -> {
                            if (failure != null) {
                                exchange.fail(notServing(exchange.method().name()));
                            } else {
                                readFrom(reply.getSequence(), exchange, caller, read);
                            }
                        }));
    }

    private <Q extends MessageLite, R extends MessageLite> void readFrom(
            long sequence, Exchange<Q, R> exchange, Caller caller, Reads.Read<R> read) {
        CacheCoherence known = coherence;
        if (known == null || known.committed() >= sequence) read(exchange, caller, read);
        else parked.add(new ParkedRead(sequence, () -> read(exchange, caller, read)));
    }

    private boolean mayServe() {
        return serving && !stopped && clock.nanoTime() - leaseEnds < 0;
    }

    private long clientLease() {
        return Math.max(
                0, Math.min(ServerLimits.CLIENT_LEASE.toNanos(), leaseEnds - clock.nanoTime()));
    }

    private FarmException notServing(String operation) {
        return new FarmException(
                ErrorKind.NOT_READY, operation, "", "the cache is not in step yet");
    }

    @Override
    public long pending(long key) {
        CacheCoherence known = coherence;
        return known == null ? 0 : known.pending(key);
    }

    @Override
    public boolean grant(long session, long key) {
        return bounds.mayGrant() && clients.grant(session, key, clock.nanoTime());
    }

    private void recallAnswered(long session, long recall) {
        List<Effect> effects = new ArrayList<>();
        clients.acknowledged(session, recall, effects);
        run(effects);
    }

    private void run(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.SendRecall recall -> sessions.send(recall);
                case Effect.SessionEnded ended -> sessions.forget(ended);
                case Effect.RecallsDone done -> {
                    Exchange<PrepareBatch, PrepareReply> exchange = prepares.remove(done.ticket());
                    if (exchange != null) {
                        exchange.reply(
                                PrepareReply.newBuilder().setSequence(done.ticket()).build());
                    }
                }
                case Effect.Completed completed ->
                        throw new IllegalStateException("a cache completes nothing: " + completed);
                case Effect.CacheDropped dropped ->
                        throw new IllegalStateException("a cache has no caches: " + dropped);
            }
        }
    }

    @Override
    public <Q extends MessageLite, R extends MessageLite> void answer(Exchange<Q, R> exchange) {
        int number = exchange.method().number();
        boolean session = number <= MetadataMethods.CLOSE_SESSION.number();
        if (session && !mayServe()) {
            exchange.fail(notServing(exchange.method().name()));
        } else if (!table.run(exchange)) {
            Cluster.Member known = followed;
            exchange.fail(
                    new FarmException(
                            ErrorKind.NOT_LEADER,
                            exchange.method().name(),
                            "",
                            known == null ? "" : known.address()));
        }
    }

    @Override
    public long sequence() {
        return promotableFrom();
    }

    @Override
    public int sessions() {
        return clients.sessions();
    }

    boolean isServing() {
        return mayServe();
    }

    @Override
    public void stop() {
        stopped = true;
        lose("this server changes its role");
    }
}
