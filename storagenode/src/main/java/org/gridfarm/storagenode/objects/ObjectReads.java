package org.gridfarm.storagenode.objects;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.RpcLimits;
import org.gridfarm.protocol.wire.ReadObjectReply;
import org.gridfarm.protocol.wire.ReadObjectRequest;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;

/** Answers READ. */
final class ObjectReads {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectReads.class);

    /** Before a caller who does not take his answers is looked at again. */
    private static final Duration LOOK_AGAIN_AFTER = Duration.ofMillis(20);

    private final ReplicaStore store;
    private final Admission admission;
    private final Intake intake;
    private final NodeCounters counters;
    private final Clock clock;

    ObjectReads(
            ReplicaStore store,
            Admission admission,
            Intake intake,
            NodeCounters counters,
            Clock clock) {
        this.store = store;
        this.admission = admission;
        this.intake = intake;
        this.counters = counters;
        this.clock = clock;
    }

    void read(Exchange<ReadObjectRequest, ReadObjectReply> exchange) {
        ReadObjectRequest request = exchange.request();
        Admission.Reading reading =
                admission.toRead(exchange, request.getObject(), request.getTicket());
        ObjectKey key = reading.key();
        long offset = request.getOffset();
        int length = request.getLength();
        if (length < 0 || length > RpcLimits.PAYLOAD_BYTES_MAX || offset < 0) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read",
                    key.toString(),
                    "offset " + offset + " length " + length);
        }
        intake.take(exchange.peer(), 0, "read");
        read(exchange, key, reading.staged());
    }

    /**
     * What somebody asks for and does not take in is not read before he does.
     *
     * @param staged what a file is shown as that is read where there is no replica yet; if there is
     *     none of that name, none
     */
    private void read(
            Exchange<ReadObjectRequest, ReadObjectReply> exchange, ObjectKey key, long staged) {
        ReadObjectRequest request = exchange.request();
        long offset = request.getOffset();
        int length = request.getLength();
        store.read(
                        key,
                        replica -> {
                            admission.stillWanted(exchange);
                            if (!exchange.peer().isWritable() && exchange.peer().isOpen()) {
                                return ReadDone.LATER;
                            }
                            long size = replica.size();
                            return ReadDone.of(
                                    offset, replica.read(Buffers.POOL, offset, length), size);
                        })
                .whenComplete((done, failure) -> {
                    if (done == ReadDone.LATER) {
                        clock.after(LOOK_AGAIN_AFTER, () -> read(exchange, key, staged));
                    } else if (done != null && staged != 0 && done.reply.getSize() == 0) {
                        done.bytes.release(); // the replica may yield to the staged file
                        readUnclaimed(exchange, key, staged);
                    } else if (done != null) {
                        answer(exchange, done);
                    } else if (staged != 0 && isAbsent(failure)) {
                        readUnclaimed(exchange, key, staged);
                    } else {
                        failed(exchange, failure);
                    }
                });
    }

    private void readUnclaimed(
            Exchange<ReadObjectRequest, ReadObjectReply> exchange, ObjectKey key, long staged) {
        ReadDone done = readStaged(exchange.request(), staged);
        if (done != null) {
            answer(exchange, done);
        } else {
            read(exchange, key, 0); // it may have been claimed just now
        }
    }

    private void failed(Exchange<ReadObjectRequest, ReadObjectReply> exchange, Throwable failure) {
        intake.done(exchange.peer(), 0);
        if (exchange.request().getMayBeAbsent() && isAbsent(failure)) {
            exchange.reply(
                    ReadObjectReply.newBuilder().setEnd(true).build(), Unpooled.EMPTY_BUFFER);
        } else {
            exchange.failWith(failure);
        }
    }

    private void answer(Exchange<ReadObjectRequest, ReadObjectReply> exchange, ReadDone done) {
        intake.done(exchange.peer(), 0);
        counters.readBytes.add(done.bytes.readableBytes());
        exchange.reply(done.reply, done.bytes);
    }

    /** Null: there is none, or it cannot be read, which shows when the replica is asked. */
    private @Nullable ReadDone readStaged(ReadObjectRequest request, long shown) {
        try {
            ReplicaStore.StagedBytes staged =
                    store.readStaged(Buffers.POOL, shown, request.getOffset(), request.getLength());
            return staged == null
                    ? null
                    : ReadDone.of(request.getOffset(), staged.bytes(), staged.size());
        } catch (IOException e) {
            LOG.warn("staged file of {}: {}", ObjectKey.of(request.getObject()), e.toString());
            return null;
        }
    }

    private record ReadDone(ReadObjectReply reply, ByteBuf bytes) {
        static ReadDone of(long offset, ByteBuf bytes, long size) {
            ReadObjectReply reply =
                    ReadObjectReply.newBuilder()
                            .setSize(size)
                            .setEnd(offset + bytes.readableBytes() >= size)
                            .setCrc32C(Payload.crc(bytes))
                            .build();
            return new ReadDone(reply, bytes);
        }

        static final ReadDone LATER =
                new ReadDone(ReadObjectReply.getDefaultInstance(), Unpooled.EMPTY_BUFFER);
    }

    static boolean isAbsent(Throwable failure) {
        return FarmException.of(failure, "read", "").kind() == ErrorKind.OBJECT_ABSENT;
    }
}
