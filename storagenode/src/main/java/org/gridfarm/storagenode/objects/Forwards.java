package org.gridfarm.storagenode.objects;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** How each call of a chain looks to its next member: its own ticket, and the members behind it. */
final class Forwards {
    private final PeerNodes peerNodes;
    private final NodeLease lease;
    private final NodeCounters counters;

    Forwards(PeerNodes peerNodes, NodeLease lease, NodeCounters counters) {
        this.peerNodes = peerNodes;
        this.lease = lease;
        this.counters = counters;
    }

    /**
     * At this offset, wherever the request said. The payload stays the caller's and must live until
     * the queue has its answer.
     */
    ForwardQueue.Forward write(WriteObjectRequest request, long offset, ByteBuf payload) {
        return forward(
                StorageMethods.WRITE,
                request.getChain(),
                chain ->
                        request.toBuilder()
                                .setChain(chain)
                                .setOffset(offset)
                                .setAppend(false)
                                .build(),
                payload);
    }

    ForwardQueue.Forward truncate(TruncateObjectRequest request) {
        return forward(
                StorageMethods.TRUNCATE,
                request.getChain(),
                chain -> request.toBuilder().setChain(chain).build(),
                null);
    }

    ForwardQueue.Forward allocate(AllocateObjectRequest request) {
        return forward(
                StorageMethods.ALLOCATE,
                request.getChain(),
                chain -> request.toBuilder().setChain(chain).build(),
                null);
    }

    /**
     * What a local writer did concerns only the head: nobody writes into the others' files.
     *
     * @param modified when the head's file was changed, nanoseconds since 1970
     */
    ForwardQueue.Forward sync(SyncObjectRequest request, long modified) {
        return forward(
                StorageMethods.SYNC,
                request.getChain(),
                chain ->
                        request.toBuilder()
                                .setChain(chain)
                                .clearWork()
                                .setModified(
                                        request.getModified() != 0
                                                ? request.getModified()
                                                : modified)
                                .build(),
                null);
    }

    private static ChainHeader forwarded(
            ChainHeader chain, ChainMember member, List<ChainMember> rest, long passedOver) {
        return chain.toBuilder()
                .setTicket(member.getTicket())
                .clearRest()
                .addAllRest(rest)
                .setCreate(chain.getCreate() || member.getJoining())
                .setPassedOver(chain.getPassedOver() | passedOver)
                .build();
    }

    private <Q extends MessageLite> ForwardQueue.Forward forward(
            Method<Q, ChainOutcome> method,
            ChainHeader chain,
            Function<ChainHeader, Q> request,
            @Nullable ByteBuf payload) {
        return (member, rest, passedOver, deadline) -> {
            try {
                lease.require("forward"); // what we were about to say may be stale by now
            } catch (RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
            if (payload != null) {
                counters.forwardedBytes.add(payload.readableBytes());
            }
            return peerNodes
                    .call(
                            member,
                            method,
                            request.apply(forwarded(chain, member, rest, passedOver)),
                            payload == null ? null : payload.retainedDuplicate(),
                            deadline)
                    .thenApply(Forwards::message);
        };
    }

    private static ChainOutcome message(Answer<ChainOutcome> answer) {
        try (answer) {
            return answer.message();
        }
    }
}
