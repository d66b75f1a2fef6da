package org.gridfarm.client.core.transfer.chain;

import com.google.protobuf.ByteString;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReadSumsReply;
import org.gridfarm.protocol.wire.ReadSumsRequest;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * What the content of a file must be by the word of the metaserver, which knows its digest and not
 * its sums: a node tells those, and they count when their digest is the one that is known. So a
 * node that changes bytes and sums together is found at the first read. Thread-safe.
 */
public final class KnownSums {
    /** Of one object's content. */
    private record Sums(long size, int[] ofBlocks) {}

    private final ObjectId object;
    private final ByteString digest;
    private volatile @Nullable Sums sums;

    private KnownSums(ObjectId object, ByteString digest) {
        this.object = object;
        this.digest = digest;
    }

    /**
     * Null: the metaserver does not know it, or there is too much of it.
     *
     * @param before what was known up to now, which is kept where it is about the same content
     */
    public static @Nullable KnownSums of(Layout layout, long size, @Nullable KnownSums before) {
        if (layout.getDigest().isEmpty()
                || layout.getObjectsCount() != 1
                || size > StorageMethods.SUMMED_BYTES_MAX) {
            return null;
        }
        ObjectId object = layout.getObjects(0).getObject();
        boolean same =
                before != null
                        && before.object.equals(object)
                        && before.digest.equals(layout.getDigest());
        return same ? before : new KnownSums(object, layout.getDigest());
    }

    /** Completes when the sums are known; CORRUPT where that node has those of something else. */
    CompletableFuture<KnownSums> from(Peer node, Replica replica, Duration deadline) {
        if (sums != null) {
            return CompletableFuture.completedFuture(this);
        }
        ReadSumsRequest request =
                ReadSumsRequest.newBuilder()
                        .setObject(object)
                        .setTicket(replica.getTicket())
                        .build();
        return node.call(StorageMethods.READ_SUMS, request, null, deadline)
                .thenApply(answer -> taken(answer, replica));
    }

    private KnownSums taken(Answer<ReadSumsReply> answer, Replica replica) {
        ByteBuf payload = answer.payload();
        try {
            long size = answer.message().getSize();
            long count = Blocks.count(size);
            if (size < 0 || payload.readableBytes() != count * Integer.BYTES) {
                throw different(replica, payload.readableBytes() + " bytes of sums for " + size);
            }
            int[] told = new int[(int) count];
            ContentDigest found = new ContentDigest(size);
            for (int i = 0; i < told.length; i++) {
                told[i] = payload.readInt();
                found.add(told[i]);
            }
            if (!digest.equals(ByteString.copyFrom(found.value()))) {
                throw different(replica, "its sums are not those of the content that was closed");
            }
            sums = new Sums(size, told);
            return this;
        } finally {
            payload.release();
        }
    }

    /**
     * Whether those bytes are the content's from there on, as far as they reach: to the end of a
     * block, or of the content.
     *
     * @param offset where a block begins
     */
    void require(ByteBuf bytes, long offset, Replica replica) {
        Sums known = sums;
        if (known == null) {
            throw new IllegalStateException("asked before the sums were told");
        }
        int length = bytes.readableBytes();
        boolean ends = offset + length == known.size || length % Blocks.BYTES == 0;
        if (!ends || offset + length > known.size) {
            throw different(replica, "it has another size");
        }
        ByteBuffer[] parts = bytes.nioBuffers();
        for (int at = 0; at < length; at += Blocks.BYTES) {
            int block = (int) Blocks.of(offset + at);
            int sum = Blocks.sum(parts, at, Math.min(Blocks.BYTES, length - at));
            if (sum != known.ofBlocks[block]) {
                throw different(replica, "block " + block + " is not that of the content");
            }
        }
    }

    private FarmException different(Replica replica, String why) {
        return new FarmException(
                ErrorKind.CORRUPT,
                "read",
                replica.getNode(),
                why + " (object " + Long.toHexString(object.getInode()) + ")");
    }
}
