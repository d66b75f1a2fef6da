package org.gridfarm.storagenode.transfer;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Rounds;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.objects.Admission;
import org.gridfarm.storagenode.objects.NodeLease;
import org.gridfarm.storagenode.objects.ObjectService;
import org.gridfarm.storagenode.objects.Payload;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers COPY_RANGE: pulls a range of another object and writes it down this one's chain; pieces
 * of zeros become holes.
 */
public final class RangeCopy {
    private static final int SLICE_BYTES = 1 << 20;

    /** Under way at once, each with a slice in memory; past it callers are told to wait. */
    static final int COPIES_MAX = 64;

    private final ObjectService objects;
    private final RemoteReader reader;
    private final Admission admission;
    private final NodeLease lease;
    private final AtomicInteger copies = new AtomicInteger();

    public RangeCopy(
            ObjectService objects, RemoteReader reader, Admission admission, NodeLease lease) {
        this.objects = objects;
        this.reader = reader;
        this.admission = admission;
        this.lease = lease;
    }

    public void register(Services.Builder services) {
        services.onAsync(StorageMethods.COPY_RANGE, this::copy);
    }

    private CompletableFuture<ChainOutcome> copy(
            Exchange<CopyRangeRequest, ChainOutcome> exchange) {
        CopyRangeRequest request = exchange.request();
        Admission.Writing writing = admission.toChange(exchange, request.getChain());
        // What is read for the caller is read by his right, here as elsewhere: he reads it after.
        admission.toReadFrom(
                exchange, request.getSource(), request.getSourceReplicasList(), reader.self());
        if (request.getOffset() < 0 || request.getLength() < 0 || request.getSourceOffset() < 0) {
            throw new FarmException(ErrorKind.INVALID, "copy-range", "");
        }
        if (copies.incrementAndGet() > COPIES_MAX) {
            copies.decrementAndGet();
            throw new FarmException(
                    ErrorKind.OVERLOADED, "copy-range", "", COPIES_MAX + " copies are under way");
        }
        Copying copying = new Copying(exchange, writing.client());
        return Rounds.of(copying::step)
                .whenComplete((_, _) -> copies.decrementAndGet())
                .thenApply(_ -> copying.outcome());
    }

    /** One copy; its steps follow each other. */
    private final class Copying {
        private final Exchange<CopyRangeRequest, ChainOutcome> exchange;
        private final CopyRangeRequest request;
        private final long client;
        private final Map<String, MemberFailure> failures = new LinkedHashMap<>();
        private final ChainOutcome.Builder outcome;
        private volatile long done;

        Copying(Exchange<CopyRangeRequest, ChainOutcome> exchange, long client) {
            this.client = client;
            this.exchange = exchange;
            this.request = exchange.request();
            this.outcome = ChainOutcome.newBuilder().setOffset(request.getOffset());
        }

        ChainOutcome outcome() {
            return outcome.addAllFailures(failures.values()).build();
        }

        /** True: more is to be copied. */
        CompletableFuture<Boolean> step() {
            int length = (int) Math.min(SLICE_BYTES, request.getLength() - done);
            if (length <= 0) {
                return CompletableFuture.completedFuture(false);
            }
            stillWanted(exchange);
            return reader.read(
                            request.getSource(),
                            request.getSourceReplicasList(),
                            request.getSourceOffset() + done,
                            length)
                    .thenCompose(this::put);
        }

        private CompletableFuture<Boolean> put(RemoteReader.Slice slice) {
            int count = slice.bytes().readableBytes();
            if (count == 0) { // the source ends here
                slice.close();
                return CompletableFuture.completedFuture(false);
            }
            if (Payload.isZeros(slice.bytes())) {
                slice.close();
                return hole(count, slice.size());
            }
            return objects.writeThrough(
                            written(slice), slice.bytes(), client, () -> stillWanted(exchange))
                    .whenComplete((_, _) -> slice.close())
                    .thenApply(here -> copied(here, count));
        }

        /** Zeros, at least so many; all up to the next data are one hole. */
        private CompletableFuture<Boolean> hole(int count, long sourceSize) {
            long from = request.getSourceOffset() + done;
            return reader.seek(
                            request.getSource(),
                            request.getSourceReplicasList(),
                            from + count,
                            false)
                    .thenCompose(data -> {
                        long end = data < 0 ? Math.max(sourceSize, from + count) : data;
                        long length =
                                Math.min(request.getLength() - done, Math.max(count, end - from));
                        return objects.allocateThrough(
                                        punched(length), client, () -> stillWanted(exchange))
                                .thenApply(here -> copied(here, length));
                    });
        }

        private boolean copied(ChainOutcome here, long count) {
            here.getFailuresList().forEach(one -> failures.putIfAbsent(one.getNode(), one));
            outcome.clear().mergeFrom(here).clearFailures().setOffset(request.getOffset());
            done += count;
            return true;
        }

        private AllocateObjectRequest punched(long length) {
            return AllocateObjectRequest.newBuilder()
                    .setChain(request.getChain())
                    .setOffset(request.getOffset() + done)
                    .setLength(length)
                    .setPunchHole(true)
                    .setZeroRange(true)
                    .build();
        }

        private WriteObjectRequest written(RemoteReader.Slice slice) {
            return WriteObjectRequest.newBuilder()
                    .setChain(request.getChain())
                    .setOffset(request.getOffset() + done)
                    .setCrc32C(Payload.crc(slice.bytes()))
                    .build();
        }
    }

    private void stillWanted(Exchange<?, ?> exchange) {
        lease.require("copy-range");
        if (exchange.isCancelled() || exchange.millisLeft() == 0) {
            throw new FarmException(
                    ErrorKind.TIMED_OUT, "copy-range", "", "the rest is not copied");
        }
    }
}
