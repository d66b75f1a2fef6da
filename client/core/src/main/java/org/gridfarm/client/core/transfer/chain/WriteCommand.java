package org.gridfarm.client.core.transfer.chain;

import com.google.protobuf.ByteString;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.ReadObjectRequest;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Bytes for an object, at an offset or at its end. Owns the buffer until {@link #release()}. */
public final class WriteCommand implements ObjectChain.Command {
    private final ByteBuf bytes;
    private final int crc;
    private final long offset;
    private final boolean append;
    private final long appendId;
    private volatile boolean released;
    private volatile @Nullable Peer sentTo;
    private volatile long sentUnder; // the first fence; 0: not sent
    private volatile long foundAt = -1; // an append that was done before

    private WriteCommand(ByteBuf bytes, long offset, boolean append, long appendId) {
        this.bytes = bytes;
        this.crc = Blocks.crc(bytes.nioBuffers());
        this.offset = offset;
        this.append = append;
        this.appendId = appendId;
    }

    public static WriteCommand at(long offset, ByteBuf bytes) {
        return new WriteCommand(bytes, offset, false, 0);
    }

    /** An append whose place is known. */
    public static WriteCommand appendAt(long offset, ByteBuf bytes, long id) {
        return new WriteCommand(bytes, offset, false, id);
    }

    /**
     * @param sizeSeen the object is known to have been at least this long before
     */
    public static WriteCommand append(ByteBuf bytes, long sizeSeen, long id) {
        return new WriteCommand(bytes, sizeSeen, true, id);
    }

    /** Until it is released. */
    public ByteBuf bytes() {
        return bytes;
    }

    public void release() {
        released = true;
        bytes.release();
    }

    @Override
    public CompletableFuture<ChainOutcome> send(Peer head, Chain chain, Duration deadline) {
        sentTo = head;
        sentUnder = sentUnder == 0 ? chain.fence() : sentUnder;
        long place = append ? foundAt : offset;
        WriteObjectRequest request =
                WriteObjectRequest.newBuilder()
                        .setChain(chain.header())
                        .setOffset(Math.max(place, 0))
                        .setAppend(place < 0)
                        .setAppendId(appendId)
                        .setCrc32C(crc)
                        .build();
        return head.call(StorageMethods.WRITE, request, bytes.retainedDuplicate(), deadline)
                .thenApply(answer -> {
                    answer.close();
                    return answer.message();
                });
    }

    /**
     * Who was in the chain knows it by its number. Elsewhere, or after a restart, an append that
     * may have been done is looked for behind where the end was: doing it twice would double its
     * bytes, unless another's are the same. Where the head has it, who is behind may not: it is
     * sent to that place then.
     */
    @Override
    public CompletableFuture<@Nullable ChainOutcome> doneBefore(
            Peer head, Chain chain, Duration deadline) {
        if (!append || released || head == sentTo) {
            return CompletableFuture.completedFuture(null);
        }
        foundAt = -1;
        StatObjectRequest stat =
                StatObjectRequest.newBuilder()
                        .setObject(chain.object())
                        .setTicket(chain.head().getTicket())
                        .setAppend(
                                StatObjectRequest.Append.newBuilder()
                                        .setWriter(chain.writer())
                                        .setId(appendId)
                                        .setFence(sentUnder))
                        .build();
        return head.callPlain(StorageMethods.STAT, stat, deadline)
                .handle((outcome, thrown) -> {
                    if (thrown == null) {
                        return outcome;
                    }
                    FarmException failure = FarmException.of(thrown, "stat", "");
                    if (failure.kind() == ErrorKind.OBJECT_ABSENT) {
                        return ChainOutcome.getDefaultInstance(); // a chain that starts over
                    }
                    throw failure;
                })
                .thenCompose(outcome -> {
                    if (outcome.getAppendSeen() == AppendSeen.APPEND_DONE) {
                        return CompletableFuture.completedFuture(
                                found(chain, outcome, outcome.getOffset()));
                    }
                    long behind = outcome.getSize() - offset;
                    if (outcome.getAppendSeen() == AppendSeen.APPEND_NOT_DONE
                            || behind < bytes.readableBytes()) {
                        return CompletableFuture.<@Nullable ChainOutcome>completedFuture(null);
                    }
                    return look(
                            head,
                            chain,
                            deadline,
                            outcome,
                            (int) Math.min(behind, TransferLimits.TRANSFER_BYTES_MAX));
                });
    }

    private CompletableFuture<@Nullable ChainOutcome> look(
            Peer head, Chain chain, Duration deadline, ChainOutcome stat, int length) {
        ReadObjectRequest read =
                ReadObjectRequest.newBuilder()
                        .setObject(chain.object())
                        .setTicket(chain.head().getTicket())
                        .setOffset(offset)
                        .setLength(length)
                        .build();
        return head.call(StorageMethods.READ, read, null, deadline)
                .thenApply(answer -> {
                    try (Answer<?> closing = answer) {
                        ByteString there = ByteString.copyFrom(answer.payload().nioBuffer());
                        int found = indexOf(there, ByteString.copyFrom(bytes.nioBuffer()));
                        return found < 0 ? null : found(chain, stat, offset + found);
                    }
                });
    }

    /** Null: it is to be sent to that place. */
    private @Nullable ChainOutcome found(Chain chain, ChainOutcome stat, long place) {
        foundAt = place;
        return chain.rest().isEmpty() ? stat.toBuilder().setOffset(place).build() : null;
    }

    private static int indexOf(ByteString text, ByteString word) {
        for (int i = 0; i + word.size() <= text.size(); i++) {
            if (text.byteAt(i) == word.byteAt(0)
                    && text.substring(i, i + word.size()).equals(word)) {
                return i;
            }
        }
        return -1;
    }
}
