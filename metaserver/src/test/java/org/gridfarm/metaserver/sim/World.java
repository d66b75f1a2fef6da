package org.gridfarm.metaserver.sim;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Three servers, five clients, a database, an election, and what happens to them: from one seed.
 */
final class World {
    static final long ROOT = 1;
    private static final long LIFE = 25_000_000_000L;
    private static final int SERVERS = 3;
    private static final int CLIENTS = 5;
    private static final int CALM_MILLIS_MIN = 500;
    private static final int CALM_MILLIS_MAX = 4_000;
    private static final int STOP_MILLIS_MAX = 6_000;
    private static final int LONG_STOP_MILLIS_MAX = 15_000;
    private static final int BAD_MOMENTS_ONE_IN = 150;
    private static final int BAD_MICROS_MAX = 3_000;
    private static final int STOPPED_WHEN_ELECTED = 8;
    private static final int PROMOTION_MILLIS_MAX = 40;
    private static final int AWAY_MILLIS_MAX = 1_500;
    private static final ClientLimits USUAL = ClientLimits.ofHeap(1L << 30);

    final SimClock clock = new SimClock();
    final Random random;
    final Plant plant;
    final Ledger ledger = new Ledger();
    final Database database;
    final Coordination coordination;
    final Network network;

    /** Between two things that happen, at most. */
    private final int calmMillis;

    /** In some worlds a session may hold less than there is. */
    final ClientLimits limits;

    private final List<SimServer> servers = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final List<Cell> cells = new ArrayList<>();

    World(long seed, Plant plant) {
        this.random = new Random(seed);
        this.plant = plant;
        this.calmMillis = random.nextInt(CALM_MILLIS_MIN, CALM_MILLIS_MAX);
        boolean crowded = plant == Plant.NOTHING && Math.floorMod(seed, 4) == 3;
        this.limits = crowded ? holding(2) : USUAL;
        this.database = new Database(this);
        this.coordination = new Coordination(this);
        this.network = new Network(this);
        ChangeBatch.Builder content = ChangeBatch.newBuilder();
        for (long inode = 2; inode <= 4; inode++) {
            pipe(inode, content);
            cells.add(new Cell(inode, null));
        }
        database.holds(content);
        for (String name : List.of("a", "b", "c")) {
            cells.add(new Cell(ROOT, ByteString.copyFromUtf8(name)));
        }
        for (int i = 1; i <= SERVERS; i++) {
            SimServer server = new SimServer("ms" + i, this);
            servers.add(server);
            network.listens(server);
        }
        for (int i = 1; i <= CLIENTS; i++) clients.add(new SimClient(i, this));
        after(1_000_000L * random.nextInt(calmMillis), this::disturb);
    }

    private static ClientLimits holding(int leases) {
        return new ClientLimits(
                USUAL.heapPercent(),
                USUAL.sessionsPerUser(),
                USUAL.openFilesPerSession(),
                USUAL.openFilesPerUser(),
                USUAL.locksPerSession(),
                USUAL.locksPerUser(),
                leases,
                USUAL.unsettledPerSession(),
                USUAL.unsettledPerUser());
    }

    private static void pipe(long inode, ChangeBatch.Builder into) {
        into.addChanges(
                Change.newBuilder()
                        .setInode(
                                InodeImage.newBuilder()
                                        .setInode(inode)
                                        .setType(FileType.FIFO)
                                        .setMode(0666)
                                        .setNlink(1)
                                        .setParent(ROOT)
                                        .setVersion(1)));
        into.addChanges(
                Change.newBuilder()
                        .setDirent(
                                DirentImage.newBuilder()
                                        .setParent(ROOT)
                                        .setName(ByteString.copyFromUtf8("pipe" + inode))
                                        .setInode(inode)
                                        .setType(FileType.FIFO)
                                        .setCookie(inode)));
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

    Cell someCell() {
        return cells.get(random.nextInt(cells.size()));
    }

    SimServer someServer(Random dice) {
        return servers.get(dice.nextInt(servers.size()));
    }

    SimServer server(String name) {
        return servers.stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
    }

    // ---- what happens

    private void disturb() {
        SimServer server = servers.get(random.nextInt(SERVERS));
        SimClient client = clients.get(random.nextInt(CLIENTS));
        switch (random.nextInt(8)) {
            case 0 -> die(server);
            case 1, 2 -> stop(server.process, server::stop, server::go);
            case 3 -> {
                stop(client.process, client.process::stop, client::wake);
                // While it owes answers to recalls: what is durable is not complete.
                after(
                        1_000_000L * random.nextInt(1500),
                        random.nextBoolean() ? coordination::loseSession : this::killLeader);
            }
            case 4 -> network.cutOne();
            case 5 -> network.cutAllOf(server.process);
            case 6 -> {
                database.away(true);
                after(1_000_000L * random.nextInt(AWAY_MILLIS_MAX), () -> database.away(false));
            }
            default -> coordination.loseSession();
        }
        after(1_000_000L * random.nextInt(calmMillis), this::disturb);
    }

    /** Something was just made durable or acknowledged that others have not heard of. */
    void isBadMoment(Process process) {
        if (random.nextInt(BAD_MOMENTS_ONE_IN) != 0) return;
        SimServer server = server(process.name);
        int what = random.nextInt(3);
        after(
                1_000L * random.nextInt(BAD_MICROS_MAX),
                () -> {
                    switch (what) {
                        case 0 -> die(server);
                        case 1 -> stop(server.process, server::stop, server::go);
                        default -> network.cutAllOf(server.process);
                    }
                });
    }

    private void killLeader() {
        servers.stream().filter(SimServer::leads).findFirst().ifPresent(this::die);
    }

    private void die(SimServer server) {
        if (!server.process.alive()) return;
        server.die();
        after(1_000_000L * (300 + random.nextInt(3000)), server::beBorn);
    }

    /** Whoever is about to lead has much to load: time enough to be stopped meanwhile. */
    void elected(Process process) {
        if (random.nextInt(STOPPED_WHEN_ELECTED) != 0) return;
        after(
                1_000_000L * random.nextInt(PROMOTION_MILLIS_MAX),
                () -> {
                    SimServer server = server(process.name);
                    stop(process, server::stop, server::go);
                });
    }

    private void stop(Process process, Runnable stop, Runnable go) {
        if (!process.running()) return;
        int life = process.life();
        stop.run();
        int most = random.nextInt(3) == 0 ? LONG_STOP_MILLIS_MAX : STOP_MILLIS_MAX;
        after(
                1_000_000L * random.nextInt(most),
                () -> {
                    if (process.isIn(life)) go.run();
                });
    }
}
