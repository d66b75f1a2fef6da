package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.metaserver.commit.Committer;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.Materialiser;
import org.gridfarm.metaserver.replica.Placement;
import org.gridfarm.metaserver.replica.RepairLimits;
import org.gridfarm.metaserver.replica.RepairPlanner;
import org.gridfarm.metaserver.server.admin.AdminService;
import org.gridfarm.metaserver.server.admin.CheckService;
import org.gridfarm.metaserver.server.admin.ClientsReport;
import org.gridfarm.metaserver.server.admin.DelegationsReport;
import org.gridfarm.metaserver.server.admin.QuotaService;
import org.gridfarm.metaserver.server.admin.StatusService;
import org.gridfarm.metaserver.server.admin.TicketRotation;
import org.gridfarm.metaserver.server.files.Accesses;
import org.gridfarm.metaserver.server.files.ChainFailures;
import org.gridfarm.metaserver.server.files.ChainRepair;
import org.gridfarm.metaserver.server.files.Delegating;
import org.gridfarm.metaserver.server.files.FileOpens;
import org.gridfarm.metaserver.server.files.LostWriters;
import org.gridfarm.metaserver.server.files.Mutations;
import org.gridfarm.metaserver.server.files.OpenService;
import org.gridfarm.metaserver.server.files.Relocations;
import org.gridfarm.metaserver.server.files.Shipments;
import org.gridfarm.metaserver.server.nodes.BalanceControl;
import org.gridfarm.metaserver.server.nodes.MissingCopies;
import org.gridfarm.metaserver.server.nodes.NodeControl;
import org.gridfarm.metaserver.server.nodes.NodeService;
import org.gridfarm.metaserver.server.nodes.PlacedChoice;
import org.gridfarm.metaserver.server.nodes.Repair;
import org.gridfarm.metaserver.server.nodes.ReplicaAdmin;
import org.gridfarm.metaserver.server.nodes.ReplicaService;
import org.gridfarm.metaserver.server.nodes.SumService;
import org.gridfarm.metaserver.server.nodes.Suspects;
import org.gridfarm.metaserver.server.sessions.AccountService;
import org.gridfarm.metaserver.server.sessions.Grants;
import org.gridfarm.metaserver.server.sessions.LockService;
import org.gridfarm.metaserver.server.sessions.SessionService;
import org.gridfarm.metaserver.server.sessions.Sessions;
import org.gridfarm.metaserver.server.state.Batches;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.server.state.ReadScope;
import org.gridfarm.metaserver.server.state.ScopeGate;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.metaserver.server.state.ServerThreads;
import org.gridfarm.metaserver.server.state.Tenure;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.metaserver.session.Owners;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.SettingImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * This server leads: it decides, commits, tells the caches, answers. Everything runs on the event
 * thread; the committer and the network come back to it by submitting actions.
 */
final class Leading implements Serving, LeaderContext, ReadScope.Visibility {
    private static final Logger log = LoggerFactory.getLogger(Leading.class);

    private final FarmState state;
    private final Bounds bounds;
    private final ClientCoherence clients;
    private final LeaderCoherence coherence;
    private final Batches batches;
    private final Sessions sessions;
    private final Committer committer;
    private final Materialiser materialiser;
    private final Followers followers;
    private final FileOpens opens;
    private final LockService locks;
    private final NodeService nodes;
    private final LostWriters lostWriters;
    private final Suspects suspects;
    private final MissingCopies missing;
    private final Repair repair;
    private volatile FarmFigures figures = FarmFigures.NONE;
    private long figuresAt;
    private final ChainRepair chains;
    private final Delegating delegating;
    private final BalanceControl balance;
    private final TicketMaker tickets;
    private final TreeMap<Long, List<Runnable>> whenApplied = new TreeMap<>();
    private final ArrayDeque<ChangeBatch> underWay = new ArrayDeque<>();
    private final HandlerTable table = new HandlerTable(this::failed);
    private final Map<Long, Runnable> dataRecalls = new HashMap<>();
    private final Grace grace;
    private final Tenure tenure;
    private final long epoch;
    private final long inherited;
    private final Events events;
    private final Clock clock;
    private final Consumer<String> deposed;
    private long changedBy; // the action that changed memory last
    private long grantsFrom;
    private long lastDataTicket;
    private long tickedAt; // as one that runs and certainly leads
    private boolean committing;
    private boolean stopped;

    Leading(
            Events events,
            ServerThreads threads,
            FarmState state,
            JournalStore store,
            Promotion.Start start,
            ServerIdentity identity,
            TicketMaker tickets,
            RepairLimits limits,
            Bounds bounds,
            Consumer<String> deposed) {
        Layouts layouts = new Layouts(state, tickets);
        this.tickets = tickets;
        this.events = events;
        this.clock = threads.clock();
        this.deposed = deposed;
        Runnable overtaken = () -> deposed.accept("another metaserver has taken the lead");
        this.epoch = start.claim().epoch();
        this.state = state;
        this.bounds = bounds;
        this.clients = new ClientCoherence(bounds.leasesPerSession());
        state.outcomes().countBy(bounds.unsettled());
        long now = clock.nanoTime();
        this.tickedAt = now;
        this.coherence =
                new LeaderCoherence(
                        clients,
                        start.sequence(),
                        now + start.leasesLeft().toNanos(),
                        start.doubtful());
        this.inherited = start.sequence();
        this.batches = new Batches(coherence, start.claim().epoch());
        this.sessions = new Sessions(clients, events, clock, this::recallAnswered, bounds);
        // Who only held locks has left no trace: any earlier leader may have given some.
        boolean first = start.claim().epoch() <= 1;
        this.grace =
                first
                        ? Grace.none(now)
                        : new Grace(
                                now, ServerLimits.RECLAIM_GRACE, ServerLimits.RECLAIM_GRACE_MAX);
        this.committer =
                new Committer(
                        store,
                        threads.worker("gf-commit"),
                        sequence -> events.runOrSubmit(() -> durable(sequence)),
                        overtaken);
        this.materialiser =
                new Materialiser(
                        store,
                        threads.worker("gf-materialise"),
                        start.claim().epoch(),
                        start.applied(),
                        () -> events.submit(this::applied),
                        overtaken);
        this.tenure =
                new Tenure(
                        store,
                        epoch,
                        start.claimedAt(),
                        clock,
                        identity.blocking(),
                        events::submit,
                        overtaken);
        this.followers =
                new Followers(
                        state,
                        coherence,
                        batches,
                        start.claim(),
                        identity,
                        tenure,
                        this::run,
                        events,
                        clock);
        this.suspects = new Suspects(state, this);
        this.missing = new MissingCopies(state, this);
        this.nodes =
                new NodeService(
                        state,
                        this,
                        events,
                        tickets,
                        suspects,
                        missing,
                        tenure,
                        start.claim().instance());
        Placement placement = new Placement(state.entropy());
        PlacedChoice choice = new PlacedChoice(state, placement);
        this.opens = new FileOpens(state, new OpenFiles(bounds.openFiles()), layouts, choice, this);
        RepairPlanner planner =
                new RepairPlanner(
                        state.replicas(),
                        state.files(),
                        placement,
                        () -> state.nodes().facts(state.monotonicNanos()));
        planner.limit(limits);
        this.repair = new Repair(state, planner, nodes, this, events);
        this.balance = new BalanceControl(state, planner, this);
        Reach reach = new Reach(state, opens.files()::isOpenBy);
        table.judging(
                new ScopeGate(
                        state, (session, inode) -> opens.files().writers(inode).contains(session)));
        this.locks = new LockService(state, opens.files(), reach, this, events);
        this.lostWriters = new LostWriters(state, opens, this);
        new AccountService(identity).register(table);
        new SessionService(
                        clients,
                        sessions,
                        identity,
                        start::claim,
                        () -> tenure.left(ServerLimits.CLIENT_LEASE).toNanos(),
                        this::absorb,
                        events,
                        clock,
                        state.owners(),
                        this::inGrace)
                .register(table);
        this.delegating = new Delegating(state, this);
        delegating.register(table, opens, followers::recallDelegated);
        Mutations mutations = new Mutations(state, opens, reach, delegating, this);
        new Reads(
                        state,
                        layouts,
                        reach,
                        opens::toldByAll,
                        new ReadsAtLeader(this, state, clients, batches, delegating))
                .register(table);
        new Shipments(state, mutations, delegating, this).register(table);
        Relocations relocations = new Relocations(state, opens.files(), choice, nodes, this);
        opens.refuseWritersOf(
                inode -> relocations.isMoving(inode) || lostWriters.keepsFromWriting(inode));
        opens.sealBy(lostWriters::seal);
        this.chains =
                new ChainRepair(
                        state,
                        opens.files(),
                        relocations,
                        choice,
                        nodes,
                        this,
                        () -> planner.limits().copies());
        ChainFailures failures = new ChainFailures(state, opens.files(), choice, this);
        new OpenService(state, opens, relocations, failures, reach, this).register(table);
        table.on(MetadataMethods.ACCESSED, new Accesses(state, reach, this)::accessed);
        nodes.register(table);
        locks.register(table);
        followers.register(table);
        StatusService status =
                new StatusService(
                                state,
                                clients,
                                coherence,
                                materialiser,
                                followers::statuses,
                                identity,
                                repair,
                                delegating::figures,
                                tenure,
                                this)
                        .register(table);
        ReplicaAdmin copies = new ReplicaAdmin(state, balance, identity, this);
        AdminService admin =
                new AdminService()
                        .on("barrier", status::barrier)
                        .on("balance", copies::answer)
                        .on("rotate-secret", new TicketRotation(tickets, this)::answer)
                        .on("scrub", copies::answer)
                        .toLook("slow", copies::answer);
        new ClientsReport(state, clients, sessions, opens.files(), clock).register(admin);
        new DelegationsReport(state, delegating, sessions, this).register(admin);
        new CheckService(state, opens, this).register(admin);
        new QuotaService(state, opens, identity, delegating, events, this).register(admin);
        ReplicaService replicas =
                new ReplicaService(state, repair, missing, reach, this).register(table);
        admin.toLook("matrix", replicas::matrix).register(table);
        new SumService(state, reach, this).register(table);
        new NodeControl(state, planner, this).register(table);
    }

    /** The first changes of a new leader. */
    void begin() {
        state.nodes().restart(clock.nanoTime());
        SettingImage secret = tickets.missing();
        if (secret != null) {
            change(List.of(Change.newBuilder().setSetting(secret).build()), 0);
        }
        balance.begin();
    }

    @Override
    public <Q extends MessageLite, R extends MessageLite> void answer(Exchange<Q, R> exchange) {
        if (stopped) {
            exchange.fail(
                    new FarmException(ErrorKind.NOT_LEADER, exchange.method().name(), "", ""));
        } else {
            tenure.run(() -> dispatch(exchange));
        }
    }

    private <Q extends MessageLite, R extends MessageLite> void dispatch(Exchange<Q, R> exchange) {
        if (!table.run(exchange)) {
            exchange.fail(new FarmException(ErrorKind.UNSUPPORTED, exchange.method().name(), ""));
        }
    }

    // ---- reads ------------------------------------------------------------------------------

    @Override
    public long pending(long key) {
        return coherence.pending(key);
    }

    @Override
    public boolean grant(long session, long key) {
        return bounds.mayGrant() && mayGrant() && clients.grant(session, key, clock.nanoTime());
    }

    /**
     * That this leader gives leases to clients is in the journal before it gives the first: the
     * next leader then knows that it has to wait for them.
     */
    private boolean mayGrant() {
        if (grantsFrom == 0) {
            change(List.of(Grants.declared(epoch)), 0);
            grantsFrom = batches.openSequence();
        }
        return grantsFrom <= coherence.completed();
    }

    // ---- changes ----------------------------------------------------------------------------

    @Override
    public void requireRoom() {
        if (batches.isFull()) throw overloaded();
    }

    private static FarmException overloaded() {
        return new FarmException(
                ErrorKind.OVERLOADED, "commit", "", "the database does not keep up");
    }

    @Override
    public void change(List<Change> changes, long origin) {
        if (changes.isEmpty()) return;
        if (batches.isOverfull()) throw overloaded();
        hasSomething(origin);
        changedBy = events.action();
        List<Change> stamped = new ArrayList<>(changes.size());
        for (Change change : changes) {
            Change own = origin == 0 ? change : change.toBuilder().setOrigin(origin).build();
            stamped.add(own);
            state.apply(own);
        }
        batches.add(stamped);
        for (Change change : stamped) {
            repair.changed(change);
            opens.changed(change);
        }
    }

    @Override
    public void hasSomething(long session) {
        Caller caller = session == 0 ? null : sessions.caller(session);
        if (caller == null || state.owners().of(session) != null) return;
        changedBy = events.action();
        Change owner = Owners.begins(session, caller.identity().owner());
        state.apply(owner);
        batches.add(List.of(owner));
    }

    @Override
    public Bounds bounds() {
        return bounds;
    }

    @Override
    public void outcome(Outcome outcome) {
        hasSomething(outcome.getSession());
        changedBy = events.action();
        state.outcomes().add(outcome, batches.openSequence());
        batches.add(outcome);
    }

    @Override
    public long openSequence() {
        return batches.openSequence();
    }

    @Override
    public long lastWithContent() {
        return batches.lastWithContent();
    }

    @Override
    public void afterCompletion(long sequence, Runnable answer) {
        batches.afterCompletion(Math.max(sequence, inherited), answer);
    }

    @Override
    public boolean isInherited(long sequence) {
        return sequence <= inherited;
    }

    @Override
    public void afterAllSoFar(Runnable answer) {
        batches.afterVisible(batches.lastWithContent(), answer);
    }

    @Override
    public void endOfRound() {
        if (stopped || committing || batches.isEmpty()) return;
        if (materialiser.isFarBehind()) return;
        committing = true;
        changedBy = events.action();
        List<Effect> effects = new ArrayList<>();
        ChangeBatch batch = batches.take();
        Set<String> caches = coherence.close(clock.nanoTime(), effects);
        underWay.add(batch);
        committer.commit(batch);
        followers.prepare(batch, caches);
        run(effects);
    }

    private void durable(long sequence) {
        if (stopped) return;
        committing = false;
        changedBy = events.action();
        ChangeBatch batch = underWay.remove();
        if (batch.getSequence() != sequence) {
            throw new IllegalStateException("batch " + sequence + " was not the one under way");
        }
        materialiser.add(batch);
        nodes.durable(batch);
        List<Effect> effects = new ArrayList<>();
        coherence.durable(sequence, effects);
        run(effects);
    }

    // ---- effects ----------------------------------------------------------------------------

    private void recallAnswered(long session, long recall) {
        List<Effect> fromClients = new ArrayList<>();
        clients.acknowledged(session, recall, fromClients);
        absorb(fromClients);
    }

    private void absorb(List<Effect> fromClients) {
        List<Effect> effects = new ArrayList<>();
        coherence.absorb(fromClients, effects);
        run(effects);
    }

    private void run(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.SendRecall recall -> sessions.send(recall);
                case Effect.SessionEnded ended -> ended(ended);
                case Effect.RecallsDone done -> {
                    Runnable waiting = dataRecalls.remove(done.ticket());
                    if (waiting != null) waiting.run();
                }
                case Effect.Completed completed ->
                        batches.completed(completed.sequence(), followers::committed);
                case Effect.CacheDropped dropped -> followers.dropped(dropped.cache());
            }
        }
    }

    private void ended(Effect.SessionEnded ended) {
        long session = ended.session();
        sessions.forget(ended);
        locks.ended(session);
        lostWriters.ended(session);
        delegating.ended(session, ended.evicted());
        if (state.outcomes().knows(session)) {
            state.outcomes().forget(session);
            change(List.of(Change.newBuilder().setSessionGone(session).build()), 0);
        }
    }

    @Override
    public void recallData(Map<Long, List<DataTouch>> bySession, Runnable done) {
        if (bySession.isEmpty()) {
            done.run();
            return;
        }
        long ticket = --lastDataTicket;
        dataRecalls.put(ticket, done);
        List<Effect> fromClients = new ArrayList<>();
        clients.recallData(ticket, bySession, clock.nanoTime(), fromClients);
        absorb(fromClients);
    }

    @Override
    public boolean isLive(long session) {
        return clients.knows(session);
    }

    @Override
    public boolean inGrace() {
        return grace.lasts(clock.nanoTime());
    }

    @Override
    public void reclaims() {
        grace.isUsed(clock.nanoTime());
    }

    @Override
    public @Nullable NodeLink node(String name) {
        return nodes.link(name);
    }

    @Override
    public void tick() {
        if (stopped) return;
        tenure.look();
        if (tenure.isDoubtful()) return;
        long now = clock.nanoTime();
        if (now - tickedAt >= ServerLimits.STALL_MAX.toNanos()) {
            clients.heardNobody(now, ServerLimits.CLIENT_LEASE.toNanos());
            state.nodes().heardNobody(now);
        }
        tickedAt = now;
        List<Effect> effects = new ArrayList<>();
        coherence.expire(now, effects);
        run(effects);
        repair.tick(now);
        chains.tick(now);
        balance.tick();
        suspects.tick();
        nodes.tick(now);
        missing.tick(now);
        lostWriters.tick(inGrace());
        delegating.tick(inGrace());
        if (now - figuresAt >= ServerLimits.FIGURES_EVERY.toNanos()) {
            figuresAt = now;
            figures = FarmFigures.of(state, repair, clients, delegating.figures());
        }
    }

    @Override
    public FarmFigures figures() {
        return figures;
    }

    @Override
    public void whenApplied(long sequence, Runnable answer) {
        if (sequence <= materialiser.appliedSequence()) answer.run();
        else whenApplied.computeIfAbsent(sequence, s -> new ArrayList<>()).add(answer);
    }

    private void applied() {
        Map<Long, List<Runnable>> due = whenApplied.headMap(materialiser.appliedSequence(), true);
        List<Runnable> answers = new ArrayList<>();
        due.values().forEach(answers::addAll);
        due.clear();
        answers.forEach(Runnable::run);
    }

    /**
     * Memory may be ahead of the journal by half a change, and caches follow the journal. What was
     * decided in this round is neither committed nor answered: clients ask the next leader for it.
     * A call that failed before it changed anything is its caller's matter alone.
     */
    @Override
    public void failed(Throwable defect) {
        if (stopped || changedBy != events.action()) return;
        stop();
        deposed.accept("memory may differ from the journal after " + defect);
    }

    // ---- the end ----------------------------------------------------------------------------

    @Override
    public void stop() {
        if (stopped) return;
        stopped = true;
        log.info("no longer leading; the last complete batch is {}", coherence.completed());
        followers.stop();
    }

    /** Ends the threads; what is durable is in the tables then, if the database answers. */
    void close() {
        committer.close();
        materialiser.close();
    }

    long epoch() {
        return epoch;
    }

    FarmState state() {
        return state;
    }

    Tenure tenure() {
        return tenure;
    }

    Materialiser materialiser() {
        return materialiser;
    }

    @Override
    public long sequence() {
        return coherence.completed();
    }

    @Override
    public int sessions() {
        return clients.sessions();
    }
}
