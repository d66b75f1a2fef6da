package org.gridfarm.test.sim;

import org.gridfarm.metaserver.coherence.Touch;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** A metaserver: which role it has, and how that changes. */
final class SimServer {
    private static final long TICK = 50_000_000L;
    private static final long STALL_MAX = 1_000_000_000L;

    final Node node;
    final World world;
    private Role role;
    private boolean promoting;
    private long lastTick;

    SimServer(String name, World world) {
        this.world = world;
        this.node = new Node(name, world.clock);
        this.role = new SimCache(this);
        begin();
    }

    String name() {
        return node.name;
    }

    Role role() {
        return role;
    }

    boolean leads() {
        return role instanceof SimLeader;
    }

    private void begin() {
        lastTick = world.now();
        node.after(TICK, this::tick);
    }

    private void tick() {
        look();
        role.tick();
        node.after(TICK, this::tick);
    }

    /** Whether it ran all the time; asked before anything is done. */
    void look() {
        if (world.now() - lastTick >= STALL_MAX) role.stalled();
        lastTick = world.now();
    }

    void elected() {
        if (leads() || promoting) return;
        promoting = true;
        State known = role instanceof SimCache cache ? cache.known() : null;
        if (role instanceof SimCache cache) cache.lose();
        world.closeLinesOf(node);
        int life = node.life();
        long asked = world.now();
        world.after(
                world.commitNanos(),
                () -> {
                    if (!node.alive() || node.life() != life) return;
                    long epoch = world.database.claim();
                    world.after(
                            world.commitNanos(),
                            () -> node.run(life, () -> lead(known, epoch, asked)));
                });
    }

    private void lead(@Nullable State known, long epoch, long asked) {
        if (!promoting) return;
        promoting = false;
        State state = known == null ? new State() : known;
        List<Touch> doubts = known == null ? null : new ArrayList<>();
        if (world.plant != Plant.TAIL_FORGOTTEN || known == null) {
            for (Batch batch : world.database.after(state.sequence())) {
                if (doubts != null) doubts.addAll(batch.touches());
                state.apply(batch);
            }
        }
        role = new SimLeader(this, epoch, state, doubts, World.CLIENT_LEASE);
        boolean watched = world.plant != Plant.STALL_BEFORE_LEADING_NOT_NOTICED;
        lastTick = watched ? asked : world.now();
        look();
    }

    void depose() {
        if (!leads() && !promoting) return;
        promoting = false;
        role = new SimCache(this);
        world.closeLinesOf(node);
        world.resigned(this);
    }

    void die() {
        node.die();
        promoting = false;
        world.closeLinesOf(node);
    }

    void beBorn() {
        node.beBorn();
        role = new SimCache(this);
        begin();
    }
}
