package org.gridfarm.storagenode.transfer;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.objects.Doorkeeper;
import org.gridfarm.storagenode.objects.NodeLease;
import org.gridfarm.storagenode.objects.ObjectService;
import org.gridfarm.storagenode.objects.Payload;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Answers COPY_RANGE: pulls a range of another object and writes it down this one's chain; pieces
 * of zeros become holes.
 */
public final class RangeCopy {
    private static final int SLICE_BYTES = 1 << 20;

    private final ObjectService objects;
    private final RemoteReader reader;
    private final Doorkeeper doorkeeper;
    private final NodeLease lease;

    public RangeCopy(
            ObjectService objects, RemoteReader reader, Doorkeeper doorkeeper, NodeLease lease) {
        this.objects = objects;
        this.reader = reader;
        this.doorkeeper = doorkeeper;
        this.lease = lease;
    }

    public void register(Services.Builder services) {
        services.onAsync(StorageMethods.COPY_RANGE, this::copy);
    }

    private CompletableFuture<ChainOutcome> copy(
            Exchange<CopyRangeRequest, ChainOutcome> exchange) {
        CopyRangeRequest request = exchange.request();
        lease.require("copy-range");
        doorkeeper.admit(
                exchange.peer(),
                ObjectKey.of(request.getObject()),
                request.getTicket(),
                Doorkeeper.Right.WRITE);
        if (request.getOffset() < 0 || request.getLength() < 0 || request.getSourceOffset() < 0) {
            throw new FarmException(ErrorKind.INVALID, "copy-range", "");
        }
        return next(
                exchange,
                0,
                new LinkedHashMap<>(),
                ChainOutcome.newBuilder().setOffset(request.getOffset()));
    }

    private CompletableFuture<ChainOutcome> next(
            Exchange<CopyRangeRequest, ChainOutcome> exchange,
            long done,
            Map<String, MemberFailure> failures,
            ChainOutcome.Builder outcome) {
        CopyRangeRequest request = exchange.request();
        int length = (int) Math.min(SLICE_BYTES, request.getLength() - done);
        if (length <= 0) {
            return CompletableFuture.completedFuture(
                    outcome.addAllFailures(failures.values()).build());
        }
        stillWanted(exchange);
        return reader.read(
                        request.getSource(),
                        request.getSourceReplicasList(),
                        request.getSourceOffset() + done,
                        length)
                .thenCompose(slice -> {
                    int count = slice.bytes().readableBytes();
                    if (count == 0) { // the source ends here
                        slice.close();
                        return next(exchange, request.getLength(), failures, outcome);
                    }
                    return put(exchange, request.getOffset() + done, slice.bytes())
                            .whenComplete((_, _) -> slice.close())
                            .thenCompose(here -> {
                                here.getFailuresList()
                                        .forEach(one -> failures.putIfAbsent(one.getNode(), one));
                                outcome.setSize(here.getSize());
                                return next(exchange, done + count, failures, outcome);
                            });
                });
    }

    private void stillWanted(Exchange<?, ?> exchange) {
        lease.require("copy-range");
        if (exchange.isCancelled() || exchange.millisLeft() == 0) {
            throw new FarmException(
                    ErrorKind.TIMED_OUT, "copy-range", "", "the rest is not copied");
        }
    }

    private CompletableFuture<ChainOutcome> put(
            Exchange<CopyRangeRequest, ChainOutcome> exchange, long offset, ByteBuf bytes) {
        CopyRangeRequest request = exchange.request();
        if (isZeros(bytes)) {
            return objects.allocateThrough(
                    AllocateObjectRequest.newBuilder()
                            .setObject(request.getObject())
                            .setOffset(offset)
                            .setLength(bytes.readableBytes())
                            .setZeroRange(true)
                            .addAllRest(request.getRestList())
                            .setCreate(request.getCreate())
                            .setWriter(request.getWriter())
                            .setFence(request.getFence())
                            .build(),
                    () -> stillWanted(exchange));
        }
        return objects.writeThrough(
                WriteObjectRequest.newBuilder()
                        .setObject(request.getObject())
                        .setOffset(offset)
                        .addAllRest(request.getRestList())
                        .setCrc32C(Payload.crc(bytes))
                        .setCreate(request.getCreate())
                        .setWriter(request.getWriter())
                        .setFence(request.getFence())
                        .build(),
                bytes,
                () -> stillWanted(exchange));
    }

    private static boolean isZeros(ByteBuf bytes) {
        for (ByteBuffer part : bytes.nioBuffers()) {
            while (part.remaining() >= Long.BYTES) {
                if (part.getLong() != 0) {
                    return false;
                }
            }
            while (part.hasRemaining()) {
                if (part.get() != 0) {
                    return false;
                }
            }
        }
        return true;
    }
}
