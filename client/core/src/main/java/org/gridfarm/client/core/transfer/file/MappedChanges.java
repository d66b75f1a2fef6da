package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.chain.ReplicaReader;
import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Rounds;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.SeekObjectRequest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Tells what was changed in the file here apart from what others wrote to its chain.
 *
 * <p>Where another node heads the chain and the file here is a member's, what was changed through
 * mappings is brought to the chain. What others write comes to the head first and to this replica
 * later, so that the two may also differ because a write is on its way. A byte was changed here
 * when it differs from the head's though all that the head had has arrived, and neither of the two
 * changes any more. Only such bytes are sent: a neighbour may be somebody else's.
 *
 * <p>Where the node here was struck off, and others may have gone on, nothing can be told apart:
 * that is refused, unless there is no difference.
 */
final class MappedChanges {
    /** Others write the very bytes all the time: whose is the last is anybody's guess. */
    private static final int LOOKS_MAX = 8;

    private final Wiring wiring;
    private final OpenInode open;
    private final LocalWriting writing;
    private final FileWrites writes;
    private final ReplicaReader replicas;
    private final Supplier<CompletableFuture<Void>> arrived;

    /**
     * @param arrived completes when all that the head had when it was called is in every replica
     */
    MappedChanges(
            Wiring wiring,
            OpenInode open,
            LocalWriting writing,
            FileWrites writes,
            Supplier<CompletableFuture<Void>> arrived) {
        this.wiring = wiring;
        this.open = open;
        this.writing = writing;
        this.writes = writes;
        this.replicas = new ReplicaReader(wiring.nodes(), wiring.clock(), wiring.attached().name());
        this.arrived = arrived;
    }

    /** DATA_UNAVAILABLE when they cannot be told. */
    CompletableFuture<Void> sent() {
        AtomicLong next = new AtomicLong();
        return Rounds.of(() -> piece(next));
    }

    /** True: another one follows. */
    private CompletableFuture<Boolean> piece(AtomicLong next) {
        long offset = next.get();
        return atHead(offset)
                .thenCompose(head ->
                        here(offset)
                                .thenCompose(here -> {
                                    if (writing.isLost() && hasLostChanges(head, here)) {
                                        return CompletableFuture.failedFuture(untold());
                                    }
                                    if (head.length == 0
                                            || (here.length == 0 && writing.isCompared())) {
                                        return CompletableFuture.completedFuture(false);
                                    }
                                    CompletableFuture<Void> piece =
                                            differs(head, here)
                                                    ? settled(offset, head, LOOKS_MAX)
                                                    : CompletableFuture.completedFuture(null);
                                    return piece.thenCompose(
                                                    done -> overHoles(offset + head.length))
                                            .thenApply(to -> {
                                                next.set(to);
                                                return true;
                                            });
                                }));
    }

    /** Where both have a hole nothing differs: to the piece with the next data, or the last one. */
    private CompletableFuture<Long> overHoles(long offset) {
        LocalReplica file = writing.replica;
        return wiring.attached()
                .disk()
                .get(() -> file.nextData(wiring.attached().localCalls(), offset, file.size()))
                .thenCompose(here ->
                        here - offset <= TransferLimits.CHUNK_BYTES
                                ? CompletableFuture.completedFuture(offset)
                                : overHoles(offset, here));
    }

    /**
     * @param here where the next data of this file are
     */
    private CompletableFuture<Long> overHoles(long offset, long here) {
        return open.layout()
                .thenCompose(layout -> {
                    Replica head = layout.getObjects(0).getReplicas(0);
                    SeekObjectRequest request =
                            SeekObjectRequest.newBuilder()
                                    .setObject(layout.getObjects(0).getObject())
                                    .setTicket(head.getTicket())
                                    .setOffset(offset)
                                    .build();
                    return wiring.nodes()
                            .connect(head)
                            .thenCompose(node ->
                                    node.callPlain(
                                            StorageMethods.SEEK,
                                            request,
                                            wiring.session().deadline()));
                })
                .thenApply(reply -> {
                    long there = reply.getNone() ? here : Math.min(here, reply.getOffset());
                    return Math.max(offset, there - there % TransferLimits.CHUNK_BYTES);
                });
    }

    private CompletableFuture<Void> settled(long offset, byte[] head, int looks) {
        Piece piece = new Piece(head);
        return arrived.get()
                .thenCompose(done -> here(offset))
                .thenCompose(here -> {
                    piece.here = here;
                    return atHead(offset);
                })
                .thenCompose(later -> {
                    piece.headLater = later;
                    return arrived.get();
                })
                .thenCompose(done -> here(offset))
                .thenCompose(here -> {
                    piece.hereLater = here;
                    return open.refresh(0); // who strikes a node off tells the metaserver alone
                })
                .thenCompose(done -> open.layout())
                .thenCompose(now -> {
                    if (Chain.holderAt(now.getObjects(0), wiring.attached().name(), false)
                            == null) {
                        writing.lose();
                    }
                    return writing.isLost()
                            ? CompletableFuture.failedFuture(untold())
                            : send(offset, piece);
                })
                .thenCompose(done ->
                        piece.isUnsettled() && looks > 1
                                ? settled(offset, piece.headLater, looks - 1)
                                : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Void> send(long offset, Piece piece) {
        List<CompletableFuture<ChainOutcome>> sent = new ArrayList<>();
        for (int at = 0; at < piece.length(); ) {
            int end = at;
            while (end < piece.length() && piece.isChangedHere(end)) {
                end++;
            }
            if (end > at) {
                ByteBuf bytes = Unpooled.copiedBuffer(piece.here, at, end - at);
                sent.add(writes.writeObject(offset + at, bytes));
            }
            at = end + 1;
        }
        return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
    }

    /** The same bytes at the head and here, looked at twice. */
    private static final class Piece {
        private final byte[] head;
        private byte[] here = {};
        private byte[] headLater = {};
        private byte[] hereLater = {};

        Piece(byte[] head) {
            this.head = head;
        }

        /** What somebody cuts off meanwhile is nobody's. */
        int length() {
            int atHead = Math.min(head.length, headLater.length);
            return Math.min(atHead, Math.min(here.length, hereLater.length));
        }

        boolean isChangedHere(int at) {
            return here[at] != head[at] && head[at] == headLater[at] && here[at] == hereLater[at];
        }

        boolean isUnsettled() {
            for (int at = 0; at < length(); at++) {
                if (here[at] != head[at] && !isChangedHere(at)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** With mappings alone the length is the chain's. */
    private boolean hasLostChanges(byte[] head, byte[] here) {
        return differs(head, here) || (!writing.isCompared() && head.length != here.length);
    }

    private static boolean differs(byte[] head, byte[] here) {
        int length = Math.min(head.length, here.length);
        return !Arrays.equals(head, 0, length, here, 0, length);
    }

    private static FarmException untold() {
        return new FarmException(
                ErrorKind.DATA_UNAVAILABLE,
                "write",
                "",
                "the node here left the chain, and what was changed here cannot be told from what"
                        + " others wrote since");
    }

    private CompletableFuture<byte[]> here(long offset) {
        return wiring.attached()
                .disk()
                .get(() -> bytesOf(writing.replica.readThere(offset, TransferLimits.CHUNK_BYTES)));
    }

    private CompletableFuture<byte[]> atHead(long offset) {
        return open.layout()
                .thenCompose(layout ->
                        replicas.read(
                                new ReplicaReader.Run(
                                        layout.getObjects(0),
                                        offset,
                                        TransferLimits.CHUNK_BYTES,
                                        true,
                                        false,
                                        false,
                                        null,
                                        () -> true),
                                wiring.session().deadline(),
                                () -> open.layout().thenApply(now -> now.getObjects(0))))
                .thenApply(MappedChanges::bytesOf);
    }

    private static byte[] bytesOf(ByteBuf bytes) {
        try {
            return ByteBufUtil.getBytes(bytes);
        } finally {
            bytes.release();
        }
    }
}
