package org.gridfarm.storagenode.transfer;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReadObjectReply;
import org.gridfarm.protocol.wire.ReadObjectRequest;
import org.gridfarm.protocol.wire.SeekObjectReply;
import org.gridfarm.protocol.wire.SeekObjectRequest;
import org.gridfarm.storagenode.objects.Payload;
import org.gridfarm.storagenode.objects.PeerNodes;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.ReplicaStore;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Reads an object from whichever of its replicas answers, this node's own without a connection.
 * Thread-safe.
 */
public final class RemoteReader {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final String self;
    private final ReplicaStore store;
    private final PeerNodes peerNodes;

    public RemoteReader(String self, ReplicaStore store, PeerNodes peerNodes) {
        this.self = self;
        this.store = store;
        this.peerNodes = peerNodes;
    }

    /** Some bytes and the size of the whole object; close it. */
    public record Slice(long size, ByteBuf bytes) implements AutoCloseable {
        @Override
        public void close() {
            bytes.release();
        }
    }

    /** At most length bytes; the failure is that of the last source. */
    public CompletableFuture<Slice> read(
            ObjectId object, List<ChainMember> sources, long offset, int length) {
        return first(object, sources, source -> readFrom(object, source, offset, length));
    }

    /** The next byte that is data (or, asked so, in a hole), or -1 when none is. */
    public CompletableFuture<Long> seek(
            ObjectId object, List<ChainMember> sources, long offset, boolean hole) {
        return first(object, sources, source -> seekAt(object, source, offset, hole));
    }

    /** This node's name: what lies here is read without asking for a ticket again. */
    String self() {
        return self;
    }

    private static <T> CompletableFuture<T> first(
            ObjectId object,
            List<ChainMember> sources,
            Function<ChainMember, CompletableFuture<T>> ask) {
        if (sources.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new FarmException(
                            ErrorKind.DATA_UNAVAILABLE,
                            "copy",
                            ObjectKey.of(object).toString(),
                            "no replica to read from"));
        }
        CompletableFuture<T> answer = ask.apply(sources.get(0));
        if (sources.size() == 1) {
            return answer;
        }
        return answer.exceptionallyCompose(
                _ -> first(object, sources.subList(1, sources.size()), ask));
    }

    private CompletableFuture<Slice> readFrom(
            ObjectId object, ChainMember source, long offset, int length) {
        if (source.getNode().equals(self)) {
            return store.read(
                    ObjectKey.of(object),
                    replica ->
                            new Slice(replica.size(), replica.read(Buffers.POOL, offset, length)));
        }
        ReadObjectRequest request =
                ReadObjectRequest.newBuilder()
                        .setObject(object)
                        .setTicket(source.getTicket())
                        .setOffset(offset)
                        .setLength(length)
                        .build();
        return peerNodes
                .call(source, StorageMethods.READ, request, null, DEADLINE)
                .thenApply(answer -> checked(answer, source));
    }

    private static Slice checked(Answer<ReadObjectReply> answer, ChainMember source) {
        if (Payload.crc(answer.payload()) != answer.message().getCrc32C()) {
            answer.close();
            throw new FarmException(
                    ErrorKind.PROTOCOL,
                    "copy from",
                    source.getNode(),
                    "the bytes do not match the checksum they came with");
        }
        return new Slice(answer.message().getSize(), answer.payload());
    }

    private CompletableFuture<Long> seekAt(
            ObjectId object, ChainMember source, long offset, boolean hole) {
        if (source.getNode().equals(self)) {
            return store.read(
                    ObjectKey.of(object),
                    replica -> hole ? replica.nextHole(offset) : replica.nextData(offset));
        }
        SeekObjectRequest request =
                SeekObjectRequest.newBuilder()
                        .setObject(object)
                        .setTicket(source.getTicket())
                        .setOffset(offset)
                        .setHole(hole)
                        .build();
        return peerNodes
                .call(source, StorageMethods.SEEK, request, null, DEADLINE)
                .thenApply(answer -> {
                    try (answer) {
                        SeekObjectReply reply = answer.message();
                        return reply.getNone() ? -1 : reply.getOffset();
                    }
                });
    }
}
