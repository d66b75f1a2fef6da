package org.gridfarm.test.sim;

import org.gridfarm.metaserver.coherence.CacheCoherence;
import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.Effect;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A server that follows: around {@link CacheCoherence} what the product's shell does. */
final class SimCache implements Role {
    private static final long FLUSH = -1;

    private final SimServer server;
    private final World world;
    private final ClientCoherence clients;
    private final Sessions sessions;
    private final TreeMap<Long, Batch> prepared = new TreeMap<>();
    private final Set<Long> toMark = new HashSet<>();
    private final List<Parked> parked = new ArrayList<>();
    private State state = new State();
    private @Nullable CacheCoherence coherence;
    private @Nullable Line line;
    private SimServer leader;
    private long epoch;
    private boolean loading;
    private boolean serving;
    private long followSent;
    private long committedWhileLoading;
    private long leaseEnds;
    private long renewAt;
    private long redialAt;

    private record Parked(long sequence, Runnable evaluate) {}

    SimCache(SimServer server) {
        this.server = server;
        this.world = server.world;
        this.leader = server;
        this.clients = new ClientCoherence(world.heldMax);
        this.sessions = new Sessions(server.node, clients);
        this.leaseEnds = world.now();
    }

    String name() {
        return server.name();
    }

    private boolean mine(Line on) {
        return server.role() == this && line == on;
    }

    /** What it would lead from; null if nothing usable. */
    @Nullable State known() {
        CacheCoherence now = coherence;
        return now == null || loading ? null : state.copy(now.committed());
    }

    // ---- the leader

    @Override
    public void tick() {
        long now = world.now();
        boolean watched = world.plant != Plant.CACHE_LEASE_NOT_WATCHED;
        if (serving && watched && now - leaseEnds >= 0) lose();
        boolean free = world.plant == Plant.NOT_FLUSHED || clients.owedNothing();
        if (line == null && free && now - redialAt >= 0) dial();
        if (line != null && !loading && now - renewAt >= 0) renew();
        List<Effect> effects = new ArrayList<>();
        clients.expire(now, effects);
        run(effects);
    }

    private void dial() {
        SimServer found = world.leader();
        redialAt = world.now() + World.REDIAL;
        if (found == null || found == server) return;
        leader = found;
        Line[] made = new Line[1];
        made[0] = world.line(server.node, () -> closed(made[0]), found.node, () -> {});
        line = made[0];
        loading = true;
        prepared.clear();
        committedWhileLoading = 0;
        followSent = world.now();
        long from = coherence == null ? 0 : coherence.committed();
        long known = epoch;
        made[0].send(server.node, () -> found.role().follow(made[0], this, from, known));
    }

    private void closed(Line was) {
        if (mine(was)) lose();
    }

    void refused(Line on) {
        if (mine(on)) lose();
    }

    void loaded(Line on, long ofEpoch, long base, State copy) {
        if (!mine(on)) return;
        state = copy;
        begin(ofEpoch, base);
    }

    void resumed(Line on, long ofEpoch, long from) {
        if (mine(on)) begin(ofEpoch, from);
    }

    private void begin(long ofEpoch, long from) {
        epoch = ofEpoch;
        leaseEnds = followSent + World.CACHE_LEASE;
        renewAt = world.now();
        loading = false;
        CacheCoherence now = new CacheCoherence(clients, from);
        coherence = now;
        List<Effect> effects = new ArrayList<>();
        prepared.headMap(from, true).clear();
        for (Batch batch : prepared.values()) {
            now.prepare(batch.sequence(), batch.touches(), world.now(), effects);
        }
        for (long s = from + 1; s <= committedWhileLoading; s++) apply(s);
        run(effects);
        if (line != null) serving = true;
    }

    private void renew() {
        Line on = line;
        SimServer at = leader;
        renewAt = world.now() + World.CACHE_LEASE / 4;
        long sent = world.now();
        on.send(
                server.node,
                () ->
                        at.role()
                                .renewCache(
                                        on,
                                        this,
                                        left ->
                                                on.send(
                                                        at.node,
                                                        () -> {
                                                            if (!mine(on)) return;
                                                            if (left == 0) lose();
                                                            else
                                                                leaseEnds =
                                                                        Math.max(
                                                                                leaseEnds,
                                                                                sent + left);
                                                        })));
    }

    void lose() {
        boolean partial = loading;
        boolean granted = serving;
        serving = false;
        loading = false;
        Line old = line;
        line = null;
        if (old != null) old.cut();
        redialAt = world.now() + World.REDIAL;
        prepared.clear();
        toMark.clear();
        if (partial) coherence = null;
        else if (coherence != null) {
            coherence = new CacheCoherence(clients, coherence.committed());
        }
        List<Effect> effects = new ArrayList<>();
        if (world.plant == Plant.NOT_FLUSHED) {
            sessions.endAll(effects);
        } else if (granted) {
            clients.recallEverything(FLUSH, world.now(), effects);
        }
        run(effects);
        List<Parked> waiting = List.copyOf(parked);
        parked.clear();
        waiting.forEach(read -> read.evaluate().run());
    }

    @Override
    public void prepare(Line on, Batch batch) {
        if (!mine(on)) return;
        prepared.put(batch.sequence(), batch);
        CacheCoherence known = coherence;
        if (loading || known == null || batch.sequence() <= known.committed()) {
            mark(batch.sequence());
            return;
        }
        if (world.plant == Plant.PREPARE_SKIPPED) return;
        if (batch.sequence() != known.lastPrepared() + 1) {
            lose();
            return;
        }
        toMark.add(batch.sequence());
        if (world.plant == Plant.MARKED_BEFORE_RECALLS) mark(batch.sequence());
        List<Effect> effects = new ArrayList<>();
        known.prepare(batch.sequence(), batch.touches(), world.now(), effects);
        run(effects);
    }

    private void mark(long sequence) {
        Line on = line;
        SimServer at = leader;
        if (on != null) on.send(server.node, () -> at.role().marked(this, sequence));
    }

    @Override
    public void commit(Line on, long sequence) {
        if (!mine(on)) return;
        CacheCoherence known = coherence;
        if (loading || known == null) {
            committedWhileLoading = Math.max(committedWhileLoading, sequence);
            return;
        }
        if (sequence <= known.committed()) return;
        apply(sequence);
        long now = known.committed();
        List<Parked> due = new ArrayList<>();
        parked.removeIf(read -> read.sequence() <= now && due.add(read));
        due.forEach(read -> read.evaluate().run());
    }

    private void apply(long sequence) {
        Batch batch = prepared.remove(sequence);
        CacheCoherence known = coherence;
        if (batch == null || known == null) {
            lose();
            return;
        }
        if (world.plant == Plant.PREPARE_SKIPPED && known.lastPrepared() < sequence) {
            known.prepare(sequence, batch.touches(), world.now(), new ArrayList<>());
        }
        state.apply(batch);
        known.commit(sequence);
    }

    // ---- clients

    private boolean mayServe() {
        return serving
                && (world.plant == Plant.CACHE_LEASE_NOT_WATCHED || world.now() - leaseEnds < 0);
    }

    @Override
    public void read(long session, Cell cell, Consumer<Seen> answer) {
        CacheCoherence known = coherence;
        if (!mayServe() || known == null) {
            answer.accept(null);
            return;
        }
        boolean pending = known.pending(cell.pendingKey()) != 0;
        boolean grantable =
                world.plant == Plant.GRANTED_WHILE_PENDING
                        || (!pending && known.pending(cell.heldKey()) == 0);
        if (pending && world.plant != Plant.GRANTED_WHILE_PENDING) {
            parked.add(
                    new Parked(
                            known.lastPrepared(),
                            () ->
                                    answer.accept(
                                            mayServe()
                                                    ? new Seen(state.value(cell), false)
                                                    : null)));
            return;
        }
        boolean leased = grantable && clients.grant(session, cell.heldKey(), world.now());
        answer.accept(new Seen(state.value(cell), leased));
    }

    @Override
    public void write(long session, long request, Cell cell, LongConsumer answer) {
        answer.accept(REFUSED);
    }

    @Override
    public void renew(long session, Line on, SimClient client, LongConsumer answer) {
        if (!mayServe()) {
            answer.accept(0);
            return;
        }
        long lease = Math.max(0, Math.min(World.CLIENT_LEASE, leaseEnds - world.now()));
        clients.open(session, world.now() + lease);
        long left = clients.renew(session, world.now(), lease);
        sessions.attach(session, on, client);
        answer.accept(left);
    }

    @Override
    public void recalled(long session, long recall) {
        List<Effect> effects = new ArrayList<>();
        clients.acknowledged(session, recall, effects);
        run(effects);
    }

    private void run(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.SendRecall recall -> sessions.send(recall);
                case Effect.SessionEnded ended -> sessions.forget(ended.session());
                case Effect.RecallsDone done -> {
                    if (toMark.remove(done.ticket())) mark(done.ticket());
                }
                case Effect.Completed completed -> throw new IllegalStateException("a cache");
                case Effect.CacheDropped dropped -> throw new IllegalStateException("a cache");
            }
        }
    }
}
