package org.gridfarm.storagenode.objects;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.ChainMember;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connections to other nodes, one each, kept open; to nodes of this farm alone, where the
 * metaserver says that they are. Thread-safe.
 */
public final class PeerNodes implements AutoCloseable {
    /** A farm has fewer, and of those that are none some are held at a time. */
    static final int KEPT_MAX = 4096;

    private record Place(String node, String address) {}

    private final NodeDialer dialer;
    private final FarmNodes nodes;
    private final Clock clock;
    private final Map<Place, PeerNode> peerNodes = new ConcurrentHashMap<>();

    public PeerNodes(NodeDialer dialer, FarmNodes nodes, Clock clock) {
        this.dialer =
                (node, address) ->
                        nodes.confirm(node, address.toString())
                                .thenCompose(_ -> dialer.dial(node, address));
        this.nodes = nodes;
        this.clock = clock;
    }

    /** Calls of one thread to one node arrive in order. The payload is taken over. */
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
            ChainMember member,
            Method<Q, R> method,
            Q request,
            @Nullable ByteBuf payload,
            Duration deadline) {
        HostPort address;
        try {
            address = HostPort.parse(member.getAddress());
        } catch (IllegalArgumentException e) {
            if (payload != null) {
                payload.release();
            }
            return CompletableFuture.failedFuture(
                    new FarmException(
                            ErrorKind.INVALID,
                            "connect",
                            "node " + member.getNode(),
                            e.toString()));
        }
        Place place = new Place(member.getNode(), address.toString());
        PeerNode known = peerNodes.get(place);
        if (known == null) {
            if (peerNodes.size() >= KEPT_MAX || !nodes.isAt(place.node, place.address)) {
                forget();
            }
            if (peerNodes.size() >= KEPT_MAX) {
                if (payload != null) {
                    payload.release();
                }
                return CompletableFuture.failedFuture(
                        new FarmException(
                                ErrorKind.OVERLOADED,
                                "connect",
                                "node " + member.getNode(),
                                "too many other nodes"));
            }
            known =
                    peerNodes.computeIfAbsent(
                            place, made -> new PeerNode(made.node(), address, dialer, clock));
        }
        return known.call(method, request, payload, deadline);
    }

    /** Those that are not there, and through which nothing goes. */
    private void forget() {
        peerNodes.forEach((place, peerNode) -> {
            if (!nodes.isAt(place.node, place.address) && peerNode.isForgettable()) {
                peerNodes.remove(place, peerNode);
            }
        });
    }

    int kept() {
        return peerNodes.size();
    }

    @Override
    public void close() {
        peerNodes.values().forEach(PeerNode::close);
    }
}
