package org.gridfarm.metaserver.sim;

import org.gridfarm.metaserver.server.ServerInSimulation;
import org.gridfarm.metaserver.server.ServerInSimulation.Beginning;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.rpc.ConnectionListener;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;

import java.util.List;
import java.util.Optional;

/** A process with a metaserver in it, and what becomes of it. */
final class SimServer {
    static final Identity IDENTITY =
            new Identity("/O=Sim/CN=ms", Role.METASERVER, List.of(), Optional.empty(), false);

    final Process process;
    final HostPort address;
    private final World world;
    private ServerInSimulation server;
    private ProcessClock clock;
    private Door door;
    private long stoppedAt;
    private String stoppedAs = "";
    private boolean deceived;

    SimServer(String name, World world) {
        this.world = world;
        this.process = new Process(name, world.clock);
        this.address = new HostPort(name, 1);
        begin();
    }

    private void begin() {
        deceived = false;
        clock =
                new ProcessClock(
                        world.clock, process, 1 + world.random.nextInt(Integer.MAX_VALUE - 1));
        SimThreads threads = new SimThreads(world, process, clock);
        door = new Door(world, process);
        Network.Caller caller = new Network.Caller(process, clock, IDENTITY, door.pushed());
        server =
                new ServerInSimulation(
                        address,
                        process.name,
                        world.database.connection(process, () -> deceived),
                        world.coordination.seat(process),
                        to -> world.network.dial(caller, to),
                        threads,
                        threads.blocking(),
                        Entropy.seeded(world.random.nextLong()),
                        world.limits,
                        switch (world.plant) {
                            case NOT_HELD -> Beginning.NOT_HELD;
                            case DOUBTFUL_SHOWN -> Beginning.NOT_DOUBTED;
                            default -> Beginning.AS_IT_IS;
                        });
        door.leadsTo(server);
        process.run(process.life(), server::start);
    }

    String name() {
        return process.name;
    }

    boolean leads() {
        return process.alive() && server.role().equals("leader");
    }

    boolean isReady() {
        return server.isReady();
    }

    /** Somebody has dialled. */
    void accepts(Wire wire, Network.Caller caller) {
        Peer peer =
                wire.accepted(
                                process,
                                clock,
                                door.accepted(),
                                caller.identity(),
                                caller.process().name)
                        .peer();
        ConnectionListener listener = server.connections();
        listener.opened(peer);
        peer.whenClosed(() -> listener.closed(peer));
    }

    // ---- what happens to it

    void stop() {
        stoppedAt = world.now();
        stoppedAs = server.role();
        process.stop();
    }

    void go() {
        boolean unnoticed =
                switch (world.plant) {
                    case STALL_NOT_NOTICED -> stoppedAs.equals("leader");
                    case STALL_BEFORE_LEADING_NOT_NOTICED -> stoppedAs.equals("starting");
                    default -> false;
                };
        if (unnoticed) {
            clock.missed(world.now() - stoppedAt);
            deceived = true;
        }
        process.go();
    }

    void die() {
        process.die();
    }

    void beBorn() {
        process.beBorn();
        begin();
    }
}
