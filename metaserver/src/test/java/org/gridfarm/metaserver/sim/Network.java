package org.gridfarm.metaserver.sim;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcLimits;
import org.gridfarm.protocol.rpc.Services;

import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Who can be dialled, and the wires there are. */
final class Network {
    private static final int HANDSHAKE_MICROS_MAX = 3_000;

    private final World world;
    private final Random random;
    private final Map<HostPort, SimServer> listening = new HashMap<>();
    private final List<Wire> wires = new ArrayList<>();

    Network(World world) {
        this.world = world;
        this.random = new Random(world.random.nextLong());
    }

    void listens(SimServer server) {
        listening.put(server.address, server);
    }

    /** Somebody who dials, in one life. */
    record Caller(Process process, Clock clock, Identity identity, Services answers) {}

    CompletableFuture<Peer> dial(Caller caller, HostPort address) {
        CompletableFuture<Peer> made = new CompletableFuture<>();
        Process from = caller.process();
        int life = from.life();
        SimServer server = listening.get(address);
        if (server == null) throw new IllegalArgumentException("nobody has the address " + address);
        from.after(
                RpcLimits.HANDSHAKE_MAX.toNanos(),
                () ->
                        made.completeExceptionally(
                                new FarmException(
                                        ErrorKind.TIMED_OUT, "connect", address.toString())));
        world.after(
                trip(),
                () -> {
                    if (!server.process.alive()) {
                        world.after(trip(), () -> from.run(life, () -> refuse(made, address)));
                        return;
                    }
                    // A stopped process has its connections made, and greets nobody.
                    server.process.run(
                            server.process.life(),
                            () -> {
                                if (!from.isIn(life)) return;
                                Wire wire = new Wire(world.clock, random.nextLong(), world.ledger);
                                wires.add(wire);
                                server.accepts(wire, caller);
                                world.after(
                                        trip(),
                                        () ->
                                                from.run(
                                                        life,
                                                        () ->
                                                                welcome(
                                                                        made, caller, wire,
                                                                        address)));
                            });
                });
        return made;
    }

    private static void refuse(CompletableFuture<Peer> made, HostPort address) {
        made.completeExceptionally(
                new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "connect",
                        address.toString(),
                        "connection refused",
                        new ConnectException("Connection refused")));
    }

    private static void welcome(
            CompletableFuture<Peer> made, Caller caller, Wire wire, HostPort address) {
        if (made.isDone() || !wire.open()) {
            wire.cut();
            made.completeExceptionally(
                    new FarmException(
                            ErrorKind.UNAVAILABLE,
                            "connect",
                            address.toString(),
                            "closed before its welcome"));
            return;
        }
        made.complete(
                wire.dialled(
                                caller.process(),
                                caller.clock(),
                                caller.answers(),
                                SimServer.IDENTITY,
                                address.toString())
                        .peer());
    }

    private long trip() {
        return 1_000L * (1 + random.nextInt(HANDSHAKE_MICROS_MAX));
    }

    /** Cuts one of those that stand. */
    void cutOne() {
        wires.removeIf(wire -> !wire.open());
        if (!wires.isEmpty()) wires.get(random.nextInt(wires.size())).cut();
    }

    void cutAllOf(Process process) {
        wires.removeIf(wire -> !wire.open());
        wires.stream().filter(wire -> wire.touches(process)).toList().forEach(Wire::cut);
    }
}
