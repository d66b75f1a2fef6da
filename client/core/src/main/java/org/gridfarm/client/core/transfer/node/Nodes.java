package org.gridfarm.client.core.transfer.node;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** One connection to every storage node in use, and which nodes failed lately. Thread-safe. */
public final class Nodes implements AutoCloseable {
    private record Dialled(CompletableFuture<Peer> peer, long since) {
        boolean isOver() {
            return peer.isCompletedExceptionally() || (peer.isDone() && !peer.join().isOpen());
        }
    }

    private final Function<NodeName, Dialer> dialers;
    private final Clock clock;
    private final Map<String, Dialled> connections = new ConcurrentHashMap<>();
    private final Set<String> unforced = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> failedAt = new ConcurrentHashMap<>();
    private final Map<String, Long> unannouncedSince = new ConcurrentHashMap<>();

    /**
     * @param dialers reaches the node of that name and nobody else
     */
    public Nodes(Function<NodeName, Dialer> dialers, Clock clock) {
        this.dialers = dialers;
        this.clock = clock;
    }

    public CompletableFuture<Peer> connect(Replica replica) {
        return connect(replica.getNode(), replica.getAddress());
    }

    public CompletableFuture<Peer> connect(String node, String address) {
        if (address.isEmpty()) {
            return CompletableFuture.failedFuture(unannounced(node));
        }
        unannouncedSince.remove(node);
        String key = node + "@" + address;
        Dialled dialled = connections.computeIfAbsent(key, k -> dial(node, address));
        if (dialled.isOver()) {
            connections.remove(key, dialled);
            dialled = connections.computeIfAbsent(key, k -> dial(node, address));
        }
        return soon(dialled, node);
    }

    /**
     * Who waits is told that this takes too long, once and for all who come meanwhile; should the
     * connection be made later, it is used.
     */
    private CompletableFuture<Peer> soon(Dialled dialled, String node) {
        if (dialled.peer.isDone()) {
            return dialled.peer;
        }
        long left = TransferLimits.CONNECTED_WITHIN.toNanos() - (clock.nanoTime() - dialled.since);
        CompletableFuture<Peer> soon = dialled.peer.copy();
        Clock.Timer timer =
                clock.after(
                        Duration.ofNanos(Math.max(0, left)),
                        () ->
                                soon.completeExceptionally(
                                        new FarmException(
                                                ErrorKind.TIMED_OUT,
                                                "connect",
                                                node,
                                                "no connection within "
                                                        + TransferLimits.CONNECTED_WITHIN.toMillis()
                                                        + " ms")));
        soon.whenComplete((peer, thrown) -> timer.cancel());
        return soon;
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

    private Dialled dial(String node, String address) {
        CompletableFuture<Peer> peer;
        try {
            peer = dialers.apply(new NodeName(node)).dial(HostPort.parse(address));
        } catch (RuntimeException e) {
            peer = CompletableFuture.failedFuture(FarmException.of(e, "connect", node));
        }
        return new Dialled(peer, clock.nanoTime());
    }

    /** Files of this process were committed there, perhaps to memory alone. */
    public void wrote(Layout layout) {
        for (ObjectLocation location : layout.getObjectsList()) {
            for (Replica replica : location.getReplicasList()) {
                unforced.add(replica.getNode());
            }
        }
    }

    /** Those of which this was said since it was asked for last. */
    public Set<String> takeWritten() {
        Set<String> taken = new HashSet<>();
        for (String node : unforced) {
            if (unforced.remove(node)) taken.add(node);
        }
        return taken;
    }

    /** They could not be asked, or did not do it. */
    public void putBackWritten(Set<String> nodes) {
        unforced.addAll(nodes);
    }

    public void failed(String node) {
        failedAt.put(node, clock.nanoTime());
    }

    public void answered(String node) {
        if (!failedAt.isEmpty()) {
            failedAt.remove(node);
        }
    }

    public boolean suspect(String node) {
        Long at = failedAt.get(node);
        return at != null && clock.nanoTime() - at < TransferLimits.SUSPECT_FOR.toNanos();
    }

    @Override
    public void close() {
        connections
                .values()
                .forEach(dialled ->
                        dialled.peer.whenComplete((peer, failure) -> {
                            if (failure == null) {
                                peer.close();
                            }
                        }));
    }

    /** The node is fine; what is known here of the file is not what holds now. */
    public static boolean isFineDespite(FarmException failure) {
        return failure.kind() == ErrorKind.TICKET_REFUSED
                || failure.kind() == ErrorKind.WRONG_GENERATION;
    }
}
