package org.gridfarm.client.core.transfer;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Replica;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** One connection to every storage node in use, and which nodes failed lately. Thread-safe. */
public final class Nodes implements AutoCloseable {
    private final Function<NodeName, Dialer> dialers;
    private final Clock clock;
    private final Map<String, CompletableFuture<Peer>> connections = new ConcurrentHashMap<>();
    private final Map<String, Long> failedAt = new ConcurrentHashMap<>();
    private final Map<String, Long> unannouncedSince = new ConcurrentHashMap<>();

    /**
     * @param dialers reaches the node of that name and nobody else
     */
    public Nodes(Function<NodeName, Dialer> dialers, Clock clock) {
        this.dialers = dialers;
        this.clock = clock;
    }

    CompletableFuture<Peer> connect(Replica replica) {
        return connect(replica.getNode(), replica.getAddress());
    }

    CompletableFuture<Peer> connect(String node, String address) {
        if (address.isEmpty()) {
            return CompletableFuture.failedFuture(unannounced(node));
        }
        unannouncedSince.remove(node);
        String key = node + "@" + address;
        CompletableFuture<Peer> connection =
                connections.computeIfAbsent(key, k -> dial(node, address));
        if (connection.isCompletedExceptionally()
                || (connection.isDone() && !connection.join().isOpen())) {
            connections.remove(key, connection);
            return connections.computeIfAbsent(key, k -> dial(node, address));
        }
        return connection;
    }

    /** A new leader has yet to hear from the nodes: at first that says nothing against one. */
    private FarmException unannounced(String node) {
        long now = clock.nanoTime();
        long since = unannouncedSince.computeIfAbsent(node, n -> now);
        boolean early = now - since < TransferLimits.ANNOUNCED_WITHIN.toNanos();
        return new FarmException(
                early ? ErrorKind.NOT_READY : ErrorKind.UNAVAILABLE,
                "connect",
                node,
                "the metaserver has not heard from the node");
    }

    private CompletableFuture<Peer> dial(String node, String address) {
        try {
            return dialers.apply(new NodeName(node)).dial(HostPort.parse(address));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(FarmException.of(e, "connect", node));
        }
    }

    void failed(String node) {
        failedAt.put(node, clock.nanoTime());
    }

    void answered(String node) {
        if (!failedAt.isEmpty()) {
            failedAt.remove(node);
        }
    }

    boolean suspect(String node) {
        Long at = failedAt.get(node);
        return at != null && clock.nanoTime() - at < TransferLimits.SUSPECT_FOR.toNanos();
    }

    @Override
    public void close() {
        connections
                .values()
                .forEach(connection ->
                        connection.whenComplete((peer, failure) -> {
                            if (failure == null) {
                                peer.close();
                            }
                        }));
    }
}
