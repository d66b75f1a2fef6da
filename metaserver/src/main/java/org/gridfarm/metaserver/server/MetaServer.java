package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.metaserver.commit.Worker;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HeapWatch;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.MetadataCalls;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerThreads;
import org.gridfarm.metaserver.server.state.Tenure;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.ConnectionListener;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * One metaserver and its changes of role.
 *
 * <pre>
 *   following --elected--> promoting --claimed, caught up--> leading
 *   leading or promoting --deposed, fenced--> following
 * </pre>
 *
 * <p>A leader whom the coordination service no longer names leads on as long as the database says
 * so ({@link Tenure}). Who is elected while the leader he follows is well does not take its place:
 * he takes over as soon as it is not, and meanwhile gives it time to be elected itself.
 *
 * <p>At every change of role all connections are closed: clients come back and are told by whoever
 * then leads. All transitions happen on the event thread; only claiming and loading, which wait for
 * the database, have a thread of their own.
 */
public final class MetaServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetaServer.class);

    private static final Duration RETRY_WAIT = Duration.ofMillis(300);

    /** Long enough for a leader whose session was lost to stand for election again. */
    private static final long GIVE_WAY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A follower that was away for a moment is in step again within this. */
    private static final long LEADER_SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Far longer than any election takes. */
    private static final long NOBODY_LEADS_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final ServerIdentity identity;
    private final JournalStore store;
    private final Cluster cluster;
    private final StateFactory states;
    private final HeapWatch heap;
    private final ServerThreads threads;
    private final Clock clock;
    private final Following.LeaderDialer dialer;

    private final Set<Peer> peers = ConcurrentHashMap.newKeySet();
    private final Events events;
    private volatile Serving serving;
    private volatile boolean ready;
    private volatile boolean closing;
    private UnaryOperator<Promotion.Start> beginning = UnaryOperator.identity();
    private boolean candidate;

    /** The coordination service lets this server lead, and has since that time. */
    private boolean elected;

    private long electedAt;
    private long leaderWellAt;
    private long lastTick;

    /** It leads, or is about to. */
    private boolean leads;

    private volatile long term;
    private long leaderSeen;

    /** Makes an empty state and the way to tell layouts from it. */
    public interface StateFactory {
        FarmState empty();

        TicketMaker tickets(FarmState state);

        RepairLimits repair();

        /** For one term of leading or following: what sessions hold ends with it. */
        Bounds bounds();
    }

    MetaServer(
            ServerIdentity identity,
            JournalStore store,
            Cluster cluster,
            StateFactory states,
            HeapWatch heap,
            Following.LeaderDialer dialer,
            ServerThreads threads) {
        this.threads = threads;
        this.clock = threads.clock();
        this.leaderSeen = clock.nanoTime();
        this.heap = heap;
        this.identity = identity;
        this.store = store;
        this.cluster = cluster;
        this.states = states;
        this.dialer = dialer;
        this.events =
                threads.events(
                        () -> serving.endOfRound(), this::tick, defect -> serving.failed(defect));
        this.serving = following();
    }

    private Following following() {
        FarmState state = states.empty();
        return new Following(
                events,
                clock,
                state,
                identity,
                new Layouts(state, states.tickets(state)),
                dialer,
                states.bounds(),
                this::onLeaderGone);
    }

    /** Its process has ended: nobody need wait for it. */
    private void onLeaderGone(Cluster.Member leader) {
        cluster.vacate(leader);
        if (elected && !leads) takeOver();
    }

    <Q extends MessageLite, R extends MessageLite> void submit(Exchange<Q, R> exchange) {
        if (MetadataCalls.SHORT.contains(exchange.method()))
            events.runOrSubmit(() -> answer(exchange));
        else events.submit(() -> answer(exchange));
    }

    /** For what is not a call: tests plant faults so. */
    void submit(Consumer<Serving> action) {
        events.submit(() -> action.accept(serving));
    }

    /** Before the start, or on the event thread; tests plant faults so. */
    void beginsWith(UnaryOperator<Promotion.Start> changed) {
        beginning = changed;
    }

    /** What the leader pushes to this server while it follows. */
    Services pushed() {
        Services.Builder services = Services.builder();
        services.on(MetadataMethods.PREPARE, this::submit);
        services.on(MetadataMethods.COMMIT, this::submit);
        return services.build();
    }

    private <Q extends MessageLite, R extends MessageLite> void answer(Exchange<Q, R> exchange) {
        try {
            serving.answer(exchange);
        } catch (RuntimeException e) {
            exchange.failWith(e);
            if (!(e instanceof FarmException)) serving.failed(e);
        }
    }

    ConnectionListener connections() {
        return new ConnectionListener() {
            @Override
            public void opened(Peer peer) {
                peers.add(peer);
            }

            @Override
            public void closed(Peer peer) {
                peers.remove(peer);
            }
        };
    }

    void start(boolean stands) {
        candidate = stands;
        events.start();
        cluster.start(
                member(Cluster.Member.CACHE, 0),
                stands,
                new Cluster.Listener() {
                    @Override
                    public void elected() {
                        events.submit(MetaServer.this::onElected);
                    }

                    @Override
                    public void lost() {
                        events.submit(MetaServer.this::onLost);
                    }

                    @Override
                    public void deposed(String why) {
                        events.submit(() -> onDeposed(why, false));
                    }

                    @Override
                    public void members(List<Cluster.Member> members) {
                        identity.seen(members);
                    }

                    @Override
                    public void reachable(boolean reachable) {
                        log.debug("coordination service reachable: {}", reachable);
                    }
                });
    }

    private Cluster.Member member(String role, long epoch) {
        return new Cluster.Member(identity.name(), identity.address(), role, epoch);
    }

    private void tick() {
        heap.look(events);
        serving.tick();
        long now = clock.nanoTime();
        if (elected && !leads) standBy(now);
        lastTick = now;
        if (!candidate
                || leads
                || identity.members().get().stream().anyMatch(Cluster.Member::leads)) {
            leaderSeen = now;
        } else if (now - leaderSeen > NOBODY_LEADS_NANOS) {
            // An election can hang on what a lost session has left behind.
            log.warn("nobody leads: standing for election anew");
            leaderSeen = now;
            identity.blocking().execute(cluster::resign);
        }
    }

    private void onElected() {
        if (closing) return;
        elected = true;
        electedAt = clock.nanoTime();
        if (serving instanceof Leading leading) {
            leading.tenure().elected();
        } else if (!leads) {
            if (leaderIsWell()) leaderWellAt = electedAt;
            else takeOver();
        }
    }

    private boolean leaderIsWell() {
        return serving instanceof Following following && following.isServing();
    }

    /**
     * Elected while the leader was well: what is told here of it may be our own fault, at first.
     */
    private void standBy(long now) {
        boolean well = leaderIsWell();
        boolean didNotRun = now - lastTick > Events.TICK.multipliedBy(4).toNanos();
        if (well || didNotRun) leaderWellAt = now;
        if (now - leaderWellAt > LEADER_SILENT_NANOS) {
            takeOver();
        } else if (well && now - electedAt > GIVE_WAY_NANOS) {
            log.info("elected, but the leader is well: giving way to it");
            elected = false;
            identity.blocking().execute(cluster::resign);
        }
    }

    private void onLost() {
        elected = false;
        if (closing || !leads) return;
        if (serving instanceof Leading leading) {
            log.warn("leading on as long as the database says so");
            leading.tenure().lost();
        } else {
            onDeposed("the coordination service was lost before the lead was taken", false);
        }
    }

    private void takeOver() {
        leads = true;
        long mine = ++term;
        Promotion promotion;
        if (serving instanceof Following following) {
            long from = following.promotableFrom();
            FarmState state = following.state();
            following.stop();
            promotion = new Promotion(store, identity.name(), state, from, clock);
        } else {
            promotion = new Promotion(store, identity.name(), states.empty(), 0, clock);
        }
        ready = false;
        serving = new NotServing();
        closeConnections();
        Worker worker =
                threads.worker("gf-promote"); // one that an earlier term may hang in is left
        worker.execute(() -> promote(worker, promotion, mine));
    }

    /**
     * Claims, and then brings the state up: two pieces of work, each of which may be tried again.
     */
    private void promote(Worker worker, Promotion promotion, long mine) {
        step(
                worker,
                promotion,
                mine,
                () -> {
                    promotion.claim();
                    worker.execute(() -> bringUp(worker, promotion, mine));
                });
    }

    private void bringUp(Worker worker, Promotion promotion, long mine) {
        step(
                worker,
                promotion,
                mine,
                () -> {
                    Promotion.Start start = beginning.apply(promotion.bringUp());
                    worker.close(Duration.ZERO);
                    events.submit(() -> lead(promotion.state(), start, mine));
                });
    }

    private void step(Worker worker, Promotion promotion, long mine, Runnable step) {
        if (closing || term != mine) {
            worker.close(Duration.ZERO);
            return;
        }
        try {
            step.run();
            return;
        } catch (StoreException e) {
            log.warn("taking the lead: {}; trying again", e.getMessage());
        } catch (RuntimeException | Error e) {
            log.error("taking the lead failed", e);
        }
        worker.after(RETRY_WAIT, () -> promote(worker, promotion, mine));
    }

    /** Gives the lead up where that fails: whoever is elected keeps all others from leading. */
    private void lead(FarmState state, Promotion.Start start, long mine) {
        if (closing || term != mine || !leads) return;
        try {
            begin(state, start, mine);
        } catch (RuntimeException | Error e) {
            log.error("beginning to lead failed", e);
            onDeposed("beginning to lead failed: " + e, true);
        }
    }

    private void begin(FarmState state, Promotion.Start start, long mine) {
        Leading leading =
                new Leading(
                        events,
                        threads,
                        state,
                        store,
                        start,
                        identity,
                        states.tickets(state),
                        states.repair(),
                        states.bounds(),
                        why -> events.submit(() -> overtaken(why, mine)));
        serving = leading;
        ready = true;
        leading.begin();
        cluster.announce(member(Cluster.Member.LEADER, start.claim().epoch()));
        log.info(
                "leading: epoch {}, batch {}, {} inodes",
                start.claim().epoch(),
                start.sequence(),
                state.inodes());
    }

    /** What a leader of an earlier term learns is not said of this one. */
    private void overtaken(String why, long ofTerm) {
        if (term == ofTerm) onDeposed(why, true);
    }

    private void onDeposed(String why, boolean resign) {
        if (closing || !leads) return;
        log.warn("giving up the lead: {}", why);
        leads = false;
        elected = false;
        term++;
        ready = false;
        Serving old = serving;
        old.stop();
        cluster.announce(member(Cluster.Member.CACHE, 0));
        serving = following();
        closeConnections();
        identity.blocking()
                .execute(() -> {
                    try {
                        if (old instanceof Leading leading) leading.close();
                    } finally {
                        if (resign) cluster.resign();
                    }
                });
    }

    private void closeConnections() {
        for (Peer peer : peers) peer.close();
    }

    /** Answers calls: it leads, or follows and is in step. */
    public boolean isReady() {
        return ready || serving instanceof Following following && following.isServing();
    }

    public String role() {
        Serving now = serving;
        return now instanceof Leading ? "leader" : now instanceof Following ? "cache" : "starting";
    }

    /** Of the leader's term here; 0: it does not lead. */
    long epoch() {
        return serving instanceof Leading leading ? leading.epoch() : 0;
    }

    int backlog() {
        return events.backlog();
    }

    int changesBehind() {
        return serving instanceof Leading leading ? leading.materialiser().changesBehind() : 0;
    }

    /** 0: it does not lead. */
    double databaseSilentSeconds() {
        return serving instanceof Leading leading
                ? leading.tenure().silence().toMillis() / 1000.0
                : 0;
    }

    long sequence() {
        return serving.sequence();
    }

    boolean isFull() {
        return heap.problem().isPresent();
    }

    FarmFigures figures() {
        return serving.figures();
    }

    int sessions() {
        return serving.sessions();
    }

    /** Between following and leading. */
    private static final class NotServing implements Serving {
        @Override
        public <Q extends MessageLite, R extends MessageLite> void answer(Exchange<Q, R> exchange) {
            exchange.fail(
                    new FarmException(
                            ErrorKind.NOT_READY, exchange.method().name(), "", "about to lead"));
        }
    }

    @Override
    public void close() {
        closing = true;
        ready = false;
        Serving last = serving;
        events.submit(last::stop);
        events.close();
        closeConnections();
        if (last instanceof Leading leading) leading.close();
        cluster.close();
        store.close();
    }
}
