package org.gridfarm.storagenode.transfer;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Rounds;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ReplicateObjectReply;
import org.gridfarm.protocol.wire.ReplicateObjectRequest;
import org.gridfarm.storagenode.objects.NodeCounters;
import org.gridfarm.storagenode.objects.Payload;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes a replica here from one elsewhere: extent by extent into a temporary file, which takes the
 * object's place once all of it is durable. Asked again for an object under way, it answers with
 * that same copy. Thread-safe.
 */
public final class Replication {
    /** Read in one call: enough for one round trip each few milliseconds to fill a fast network. */
    private static final int SLICE_BYTES = 2 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

    private final ReplicaStore store;
    private final RemoteReader reader;
    private final NodeCounters counters;
    private final Clock clock;
    private final Map<ObjectKey, CompletableFuture<ReplicateObjectReply>> underWay =
            new ConcurrentHashMap<>();

    public Replication(
            ReplicaStore store, RemoteReader reader, NodeCounters counters, Clock clock) {
        this.store = store;
        this.reader = reader;
        this.counters = counters;
        this.clock = clock;
    }

    public CompletableFuture<ReplicateObjectReply> replicate(ReplicateObjectRequest request) {
        ObjectKey key = ObjectKey.of(request.getObject());
        CompletableFuture<ReplicateObjectReply> mine = new CompletableFuture<>();
        CompletableFuture<ReplicateObjectReply> other = underWay.putIfAbsent(key, mine);
        if (other != null) {
            return other;
        }
        start(key, request)
                .whenComplete((reply, failure) -> {
                    underWay.remove(key, mine);
                    if (failure == null) {
                        mine.complete(reply);
                    } else {
                        mine.completeExceptionally(failure);
                    }
                });
        return mine;
    }

    private CompletableFuture<ReplicateObjectReply> start(
            ObjectKey key, ReplicateObjectRequest request) {
        Replica copy;
        try {
            copy = store.beginCopy(key, request.getSize());
        } catch (FarmException e) {
            return CompletableFuture.failedFuture(e);
        }
        Copy job = new Copy(request, copy, new Throttle(clock, request.getBytesPerSecond()));
        return Rounds.of(job::step)
                .thenApplyAsync(_ -> job.end(), store.io())
                .thenCompose(reply -> store.publish(copy).thenApply(_ -> reply))
                .whenCompleteAsync(
                        (_, failure) -> {
                            if (failure != null) {
                                discard(copy, failure);
                            }
                        },
                        store.io());
    }

    private void discard(Replica copy, Throwable why) {
        LOG.info("no copy of {}: {}", copy.key(), why.toString());
        try {
            store.discard(copy);
        } catch (IOException e) {
            throw new CompletionException(copy.disk().erred("discard copy", copy.key(), e));
        }
    }

    /** One copy; its steps follow each other, each on a thread of the store. */
    private final class Copy {
        private final ReplicateObjectRequest request;
        private final Replica copy;
        private final Throttle throttle;
        private long size = -1;
        private volatile long offset;
        private volatile long dataEnd = Long.MAX_VALUE;

        Copy(ReplicateObjectRequest request, Replica copy, Throttle throttle) {
            this.request = request;
            this.copy = copy;
            this.throttle = throttle;
        }

        private List<ChainMember> sources() {
            return request.getSourcesList();
        }

        /** True: more is to be copied. */
        CompletableFuture<Boolean> step() {
            return offset < dataEnd ? slice() : extent();
        }

        /** Copies from the offset on, which lies in data, for all that is known. */
        private CompletableFuture<Boolean> slice() {
            int length = (int) Math.min(SLICE_BYTES, dataEnd - offset);
            return throttle.take(length)
                    .thenCompose(_ -> reader.read(request.getObject(), sources(), offset, length))
                    .thenApplyAsync(
                            slice -> {
                                offset = put(slice, offset);
                                if (dataEnd == Long.MAX_VALUE) {
                                    dataEnd = offset; // the first slice is read without asking
                                }
                                return offset < size;
                            },
                            store.io());
        }

        /** On to the next data at or after the offset. */
        private CompletableFuture<Boolean> extent() {
            return reader.seek(request.getObject(), sources(), offset, false)
                    .thenCompose(data -> {
                        if (data < 0 || data >= size) {
                            return CompletableFuture.completedFuture(false);
                        }
                        return reader.seek(request.getObject(), sources(), data, true)
                                .thenApply(hole -> {
                                    offset = data;
                                    dataEnd = hole > data ? hole : size;
                                    return true;
                                });
                    });
        }

        private long put(RemoteReader.Slice slice, long offset) {
            try (slice) {
                if (size >= 0 && slice.size() != size) {
                    throw new FarmException(
                            ErrorKind.BUSY,
                            "copy",
                            copy.key().toString(),
                            "its size changed while it was copied");
                }
                size = slice.size();
                int count = slice.bytes().readableBytes();
                if (count == 0 && offset < size) {
                    throw new FarmException(
                            ErrorKind.DATA_UNAVAILABLE,
                            "copy",
                            copy.key().toString(),
                            "no bytes at " + offset);
                }
                if (!Payload.isZeros(slice.bytes())) { // else it stays a hole
                    copy.write(slice.bytes().nioBuffers(), offset);
                }
                counters.copiedBytes.add(count);
                return offset + count;
            } catch (IOException e) {
                throw copy.disk().erred("copy", copy.key(), e);
            }
        }

        ReplicateObjectReply end() {
            try {
                copy.truncate(size); // a hole at the end
                return ReplicateObjectReply.newBuilder()
                        .setSize(size)
                        .setDigest(ByteString.copyFrom(copy.digest()))
                        .build();
            } catch (IOException e) {
                throw copy.disk().erred("copy", copy.key(), e);
            }
        }
    }
}
