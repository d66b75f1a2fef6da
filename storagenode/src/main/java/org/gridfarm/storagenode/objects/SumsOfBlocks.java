package org.gridfarm.storagenode.objects;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.ReadSumsReply;
import org.gridfarm.protocol.wire.ReadSumsRequest;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.replica.ReplicaStore.IfAbsent;

import java.io.IOException;

/** Answers READ_SUMS: readers who know the digest of a content see whether this is that. */
final class SumsOfBlocks {
    private final ReplicaStore store;
    private final Admission admission;
    private final Intake intake;

    private record Done(ReadSumsReply reply, ByteBuf bytes) {}

    SumsOfBlocks(ReplicaStore store, Admission admission, Intake intake) {
        this.store = store;
        this.admission = admission;
        this.intake = intake;
    }

    void read(Exchange<ReadSumsRequest, ReadSumsReply> exchange) {
        ReadSumsRequest request = exchange.request();
        ObjectKey key =
                admission.toSee(
                        exchange, request.getObject(), request.getTicket(), Doorkeeper.Right.READ);
        intake.take(exchange.peer(), 0, "read-sums");
        // Alone: sums of what was just written are taken first.
        store.change(key, IfAbsent.FAIL, SumsOfBlocks::of)
                .whenComplete((done, failure) -> {
                    intake.done(exchange.peer(), 0);
                    if (done != null) {
                        exchange.reply(done.reply, done.bytes);
                    } else {
                        exchange.failWith(failure);
                    }
                });
    }

    private static Done of(Replica replica) throws IOException {
        long size = replica.size();
        if (size > StorageMethods.SUMMED_BYTES_MAX) {
            throw new FarmException(
                    ErrorKind.INVALID, "read-sums", replica.key().toString(), size + " bytes");
        }
        int count = (int) Blocks.count(size);
        ByteBuf bytes = Buffers.POOL.buffer(count * Integer.BYTES);
        try {
            replica.checkpoint();
            for (int block = 0; block < count; block++) {
                bytes.writeInt(replica.sum(block));
            }
        } catch (IOException | RuntimeException e) {
            bytes.release();
            throw e;
        }
        return new Done(ReadSumsReply.newBuilder().setSize(size).build(), bytes);
    }
}
