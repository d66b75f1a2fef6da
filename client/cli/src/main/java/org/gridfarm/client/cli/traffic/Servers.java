package org.gridfarm.client.cli.traffic;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.DaemonMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.TrafficReply;
import org.gridfarm.protocol.wire.TrafficRequest;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * All servers of a farm, asked at once. Connections stay open between two looks. For one thread.
 */
public final class Servers {
    private static final Duration CALL_MAX = Duration.ofSeconds(2);

    private record Server(HostPort address, ExpectedServer expected) {}

    private final Gridfarm farm;
    private final Map<String, Server> all = new LinkedHashMap<>();
    private final Map<String, Peer> peers = new HashMap<>();
    private final Map<String, FarmException> silent = new TreeMap<>();

    public Servers(Gridfarm farm, ClientConfig config) {
        this.farm = farm;
        config.metaservers()
                .forEach(address -> add("metaserver ", address, ExpectedServer.metaserver()));
        config.schedulers()
                .forEach(address -> add("scheduler ", address, ExpectedServer.scheduler()));
        for (NodeInfo node : farm.nodes()) {
            if (!node.getAddress().isEmpty() && !node.getState().equals("removed")) {
                all.put(
                        node.getName(),
                        new Server(
                                HostPort.parse(node.getAddress()),
                                ExpectedServer.node(new NodeName(node.getName()))));
            }
        }
    }

    private void add(String kind, HostPort address, ExpectedServer expected) {
        all.put(kind + address, new Server(address, expected));
    }

    public Look look() {
        silent.clear();
        Map<String, CompletableFuture<TrafficReply>> asked = new LinkedHashMap<>();
        all.forEach((name, server) -> asked.put(name, ask(name, server)));
        Map<String, TrafficReply> told = new TreeMap<>();
        asked.forEach((name, answer) -> {
            try {
                told.put(name, answer.join());
            } catch (RuntimeException e) {
                silent.put(name, FarmException.of(e, "traffic", name));
                peers.remove(name);
            }
        });
        return new Look(told);
    }

    /** Those that did not answer the last look, and why. */
    public Map<String, FarmException> silent() {
        return Map.copyOf(silent);
    }

    private CompletableFuture<TrafficReply> ask(String name, Server server) {
        Peer known = peers.get(name);
        CompletableFuture<Peer> peer =
                known != null && known.isOpen()
                        ? CompletableFuture.completedFuture(known)
                        : farm.dialer(server.expected()).dial(server.address());
        return peer.thenCompose(open -> {
            synchronized (peers) {
                peers.put(name, open);
            }
            return open.callPlain(
                    DaemonMethods.TRAFFIC, TrafficRequest.getDefaultInstance(), CALL_MAX);
        });
    }
}
