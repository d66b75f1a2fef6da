package org.gridfarm.test.sim;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.SimClock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Three servers, five clients, a database, an election, and what happens to them: from one seed.
 */
final class World {
    static final long CLIENT_LEASE = 5_000_000_000L;
    static final long CACHE_LEASE = 2_000_000_000L;
    static final long REDIAL = 200_000_000L;
    private static final long ZOOKEEPER_SESSION = 3_000_000_000L;
    private static final long LIFE = 25_000_000_000L;
    private static final int SERVERS = 3;
    private static final int CLIENTS = 5;
    private static final int CALM_MILLIS_MAX = 2_500;
    private static final int STOP_MILLIS_MAX = 6_000;

    final SimClock clock = new SimClock();
    final Random random;
    final Plant plant;
    final Ledger ledger = new Ledger();
    final Database database;

    /** Of the four keys there are a session may hold so many: in some worlds not all. */
    final int heldMax;

    private final List<SimServer> servers = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<Cell> cells;
    private @Nullable SimServer chosen;
    private long absentSince;
    private long orders;

    World(long seed, Plant plant) {
        this.random = new Random(seed);
        this.plant = plant;
        this.heldMax = plant == Plant.NOTHING && Math.floorMod(seed, 4) == 3 ? 2 : 4;
        this.database = new Database(ledger, plant);
        this.cells = new ArrayList<>();
        for (long inode = 2; inode <= 4; inode++) cells.add(new Cell(inode, null));
        for (String name : List.of("a", "b", "c")) {
            cells.add(new Cell(1, ByteString.copyFromUtf8(name)));
        }
        for (int i = 1; i <= SERVERS; i++) servers.add(new SimServer("ms" + i, this));
        for (int i = 1; i <= CLIENTS; i++) clients.add(new SimClient(i, this));
        elect(servers.getFirst());
        clock.after(Duration.ofMillis(100), this::electionTick);
        after(1_000_000L * random.nextInt(CALM_MILLIS_MAX), this::disturb);
    }

    Ledger run() {
        while (clock.nanoTime() < LIFE && ledger.faults().isEmpty() && clock.runNext()) {}
        return ledger;
    }

    boolean over() {
        return clock.nanoTime() >= LIFE;
    }

    long now() {
        return clock.nanoTime();
    }

    void after(long nanos, Runnable action) {
        clock.after(Duration.ofNanos(nanos), action);
    }

    long commitNanos() {
        return 100_000L + random.nextInt(random.nextInt(20) == 0 ? 80_000_000 : 2_000_000);
    }

    long nextOrder() {
        return ++orders;
    }

    Cell someCell() {
        return cells.get(random.nextInt(cells.size()));
    }

    // ---- lines

    Line line(Node from, Runnable closedAtFrom, Node to, Runnable closedAtTo) {
        Line line = new Line(clock, random, from, closedAtFrom, to, closedAtTo);
        lines.add(line);
        return line;
    }

    void closeLinesOf(Node node) {
        List.copyOf(lines).stream().filter(line -> line.touches(node)).forEach(Line::cut);
        lines.removeIf(line -> !line.open());
    }

    // ---- the election

    /** Who leads, as the coordination service says; it may not know that it does. */
    @Nullable SimServer leader() {
        return chosen;
    }

    SimServer someReader(Random dice) {
        SimServer server = servers.get(dice.nextInt(servers.size()));
        return server.node.alive() ? server : chosen;
    }

    private void elect(SimServer server) {
        chosen = server;
        int life = server.node.life();
        server.node.run(life, server::elected);
    }

    void resigned(SimServer server) {
        if (chosen == server) chosen = null;
    }

    /** A leader that is not heard of for a session loses its place. */
    private void electionTick() {
        SimServer now = chosen;
        if (now != null && now.node.running()) absentSince = now();
        if (now == null || now() - absentSince >= ZOOKEEPER_SESSION) {
            List<SimServer> able = servers.stream().filter(s -> s.node.running()).toList();
            if (!able.isEmpty()) {
                absentSince = now();
                elect(able.get(random.nextInt(able.size())));
            }
        }
        clock.after(Duration.ofMillis(100), this::electionTick);
    }

    // ---- what happens

    private void disturb() {
        SimServer server = servers.get(random.nextInt(SERVERS));
        SimClient client = clients.get(random.nextInt(CLIENTS));
        switch (random.nextInt(7)) {
            case 0 -> die(server);
            case 1, 2 -> stop(server.node, server.node::go);
            case 3 -> {
                stop(client.node, client::wake);
                if (random.nextBoolean()) {
                    after(1_000_000L * random.nextInt(1500), this::loseSession);
                }
            }
            case 4 -> {
                if (!lines.isEmpty()) lines.get(random.nextInt(lines.size())).cut();
                lines.removeIf(line -> !line.open());
            }
            case 5 -> closeLinesOf(server.node);
            default -> loseSession();
        }
        after(1_000_000L * random.nextInt(CALM_MILLIS_MAX), this::disturb);
    }

    private void die(SimServer server) {
        if (!server.node.alive()) return;
        boolean led = chosen == server;
        server.die();
        if (led) absentSince = now();
        after(1_000_000L * (300 + random.nextInt(3000)), server::beBorn);
    }

    private void stop(Node node, Runnable go) {
        if (!node.running()) return;
        int life = node.life();
        node.stop();
        after(
                1_000_000L * random.nextInt(STOP_MILLIS_MAX),
                () -> {
                    if (node.life() == life) go.run();
                });
    }

    /** The service thinks the leader gone, which hears of it a little later. */
    private void loseSession() {
        SimServer was = chosen;
        List<SimServer> able = servers.stream().filter(s -> s != was && s.node.running()).toList();
        if (was == null || able.isEmpty()) return;
        absentSince = now();
        elect(able.get(random.nextInt(able.size())));
        int life = was.node.life();
        after(1_000_000L * random.nextInt(500), () -> was.node.run(life, was::depose));
    }
}
