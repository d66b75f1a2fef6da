package org.gridfarm.test.sim;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.metaserver.coherence.Touch;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** A server that leads: around {@link LeaderCoherence} what the product's shell does. */
final class SimLeader implements Role {
    private static final int RECENT_MAX = 20;

    private final SimServer server;
    private final World world;
    private final long epoch;
    private final long inherited;
    private final ClientCoherence clients;
    private final LeaderCoherence coherence;
    private final Sessions sessions;
    private final State state;
    private final Map<String, Follower> followers = new HashMap<>();
    private final TreeMap<Long, List<Runnable>> waiting = new TreeMap<>();
    private final List<Batch> recent = new ArrayList<>();
    private List<Batch.Change> open = new ArrayList<>();
    private boolean committing;
    private boolean doubtful;

    private record Follower(Line line, SimCache cache) {}

    SimLeader(
            SimServer server,
            long epoch,
            State state,
            @Nullable List<Touch> doubts,
            long holdNanos) {
        this.server = server;
        this.world = server.world;
        this.clients = new ClientCoherence(world.heldMax);
        this.epoch = epoch;
        this.state = state;
        this.inherited = state.sequence();
        this.sessions = new Sessions(server.node, clients);
        this.coherence =
                new LeaderCoherence(
                        clients,
                        state.sequence(),
                        world.now() + (world.plant == Plant.NOT_HELD ? 0 : holdNanos),
                        world.plant == Plant.DOUBTFUL_SHOWN ? List.of() : doubts);
    }

    private boolean mine() {
        return server.role() == this;
    }

    // ---- clients

    @Override
    public void read(long session, Cell cell, Consumer<Seen> answer) {
        if (doubtful) {
            answer.accept(null);
            return;
        }
        long value = state.value(cell);
        long blocked = coherence.pending(cell.pendingKey());
        boolean leased =
                blocked == 0
                        && coherence.pending(cell.heldKey()) == 0
                        && clients.grant(session, cell.heldKey(), world.now());
        after(blocked, () -> answer.accept(new Seen(value, leased)));
    }

    @Override
    public void write(long session, long request, Cell cell, LongConsumer answer) {
        if (doubtful || !clients.knows(session)) {
            answer.accept(REFUSED);
            return;
        }
        State.Answered before = state.answered(session, request);
        if (before != null) {
            after(Math.max(before.sequence(), inherited), () -> answer.accept(before.order()));
            return;
        }
        long order = world.nextOrder();
        long sequence = coherence.openSequence();
        Batch.Change change = new Batch.Change(cell, order, session, request);
        state.apply(change, sequence);
        open.add(change);
        coherence.executed(cell.touch(session));
        if (world.plant == Plant.ANSWERED_BEFORE_COMMIT) answer.accept(order);
        else if (world.plant == Plant.ANSWERED_BEFORE_MARKS) {
            server.node.after(4_000_000, () -> answer.accept(order));
        } else after(sequence, () -> answer.accept(order));
        server.node.after(0, this::close);
    }

    @Override
    public void renew(long session, Line line, SimClient client, LongConsumer answer) {
        if (doubtful) {
            answer.accept(0);
            return;
        }
        clients.open(session, world.now() + World.CLIENT_LEASE);
        long left = clients.renew(session, world.now(), World.CLIENT_LEASE);
        sessions.attach(session, line, client);
        answer.accept(left);
    }

    @Override
    public void recalled(long session, long recall) {
        List<Effect> fromClients = new ArrayList<>();
        clients.acknowledged(session, recall, fromClients);
        List<Effect> effects = new ArrayList<>();
        coherence.absorb(fromClients, effects);
        run(effects);
    }

    private void after(long sequence, Runnable answer) {
        if (sequence <= coherence.completed()) answer.run();
        else waiting.computeIfAbsent(sequence, s -> new ArrayList<>()).add(answer);
    }

    // ---- batches

    private void close() {
        if (!mine() || committing || open.isEmpty()) return;
        committing = true;
        Batch batch = new Batch(coherence.openSequence(), epoch, List.copyOf(open));
        open = new ArrayList<>();
        List<Effect> effects = new ArrayList<>();
        Set<String> members = coherence.close(world.now(), effects);
        recent.add(batch);
        if (recent.size() > RECENT_MAX) recent.removeFirst();
        boolean skipped = world.plant == Plant.PREPARE_SKIPPED;
        for (String name : new TreeSet<>(members)) {
            Follower follower = followers.get(name);
            if (follower != null) prepare(follower, batch);
            if (skipped) coherence.marked(name, batch.sequence(), effects);
        }
        int life = server.node.life();
        world.after(
                world.commitNanos(),
                () -> {
                    boolean durable = world.database.append(batch, server.name() + "/" + life);
                    world.after(
                            world.commitNanos(),
                            () -> server.node.run(life, () -> durable(batch.sequence(), durable)));
                });
        run(effects);
    }

    private void prepare(Follower follower, Batch batch) {
        follower.line.send(server.node, () -> follower.cache.prepare(follower.line, batch));
    }

    private void durable(long sequence, boolean durable) {
        if (!mine()) return;
        if (!durable) {
            server.depose();
            return;
        }
        committing = false;
        List<Effect> effects = new ArrayList<>();
        coherence.durable(sequence, effects);
        run(effects);
        close();
    }

    private void run(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.SendRecall recall -> sessions.send(recall);
                case Effect.SessionEnded ended -> sessions.forget(ended.session());
                case Effect.RecallsDone done -> {}
                case Effect.Completed completed -> completed(completed.sequence());
                case Effect.CacheDropped dropped -> followers.remove(dropped.cache());
            }
        }
    }

    private void completed(long sequence) {
        List<Runnable> answers = waiting.remove(sequence);
        for (Follower follower : followers.values()) commit(follower, sequence);
        if (answers != null) answers.forEach(Runnable::run);
    }

    private void commit(Follower follower, long sequence) {
        follower.line.send(server.node, () -> follower.cache.commit(follower.line, sequence));
    }

    // ---- caches

    @Override
    public void follow(Line line, SimCache cache, long from, long hisEpoch) {
        String name = cache.name();
        if (doubtful || (from == 0 && coherence.caches().contains(name))) {
            line.send(server.node, () -> cache.refused(line));
            return;
        }
        List<Effect> dropped = new ArrayList<>();
        coherence.drop(name, dropped);
        run(dropped);
        Follower follower = new Follower(line, cache);
        followers.put(name, follower);
        coherence.admit(name, world.now() + World.CACHE_LEASE);
        long base = coherence.openSequence() - 1;
        long oldest = recent.isEmpty() ? base + 1 : recent.getFirst().sequence();
        boolean knownEpoch = hisEpoch == epoch || (hisEpoch == epoch - 1 && from <= inherited);
        boolean resumes =
                from > 0
                        && from <= Math.max(coherence.completed(), inherited)
                        && knownEpoch
                        && from + 1 >= oldest;
        if (resumes) {
            boolean early = world.plant == Plant.RESUMED_TOO_EARLY;
            if (early) line.send(server.node, () -> cache.resumed(line, epoch, from));
            for (Batch batch : recent) {
                if (batch.sequence() <= from) continue;
                prepare(follower, batch);
                if (batch.sequence() <= coherence.completed()) commit(follower, batch.sequence());
            }
            if (!early) line.send(server.node, () -> cache.resumed(line, epoch, from));
        } else {
            State copy = state.copy(base);
            long visible = open.isEmpty() ? base : base + 1;
            after(
                    visible,
                    () -> line.send(server.node, () -> cache.loaded(line, epoch, base, copy)));
        }
    }

    @Override
    public void renewCache(Line line, SimCache cache, LongConsumer answer) {
        Follower follower = followers.get(cache.name());
        boolean known =
                !doubtful
                        && follower != null
                        && follower.line == line
                        && coherence.renew(cache.name(), world.now() + World.CACHE_LEASE);
        answer.accept(known ? World.CACHE_LEASE : 0);
    }

    @Override
    public void marked(SimCache cache, long sequence) {
        Follower follower = followers.get(cache.name());
        if (follower == null || follower.cache != cache) return;
        List<Effect> effects = new ArrayList<>();
        coherence.marked(cache.name(), sequence, effects);
        run(effects);
    }

    @Override
    public void tick() {
        if (doubtful) return;
        List<Effect> effects = new ArrayList<>();
        coherence.expire(world.now(), effects);
        run(effects);
        close();
    }

    /** It did not run for a while: asks the database before it says or does anything. */
    @Override
    public void stalled() {
        if (world.plant == Plant.STALL_NOT_NOTICED) return;
        doubtful = true;
        int life = server.node.life();
        world.after(
                world.commitNanos(),
                () -> {
                    boolean still = world.database.epoch() == epoch;
                    world.after(
                            world.commitNanos(),
                            () ->
                                    server.node.run(
                                            life,
                                            () -> {
                                                if (!mine()) return;
                                                if (still) doubtful = false;
                                                else server.depose();
                                            }));
                });
    }
}
