package org.gridfarm.client.core.transfer;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Changing the content through one handle: every change goes down the chains of the objects it
 * touches.
 */
final class FileWrites {
    private final Wiring wiring;
    private final OpenInode open;

    FileWrites(Wiring wiring, OpenInode open) {
        this.wiring = wiring;
        this.open = open;
    }

    CompletableFuture<Void> write(long offset, ByteBuf bytes) {
        int length = bytes.readableBytes();
        if (length == 0) {
            bytes.release();
            return CompletableFuture.completedFuture(null);
        }
        return prepared(bytes, () -> offset + length)
                .thenCompose(ready -> {
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (Striping.Piece piece :
                            open.striping()
                                    .pieces(offset, length, TransferLimits.TRANSFER_BYTES_MAX)) {
                        int from = bytes.readerIndex() + (int) (piece.fileOffset() - offset);
                        WriteCommand command =
                                WriteCommand.at(
                                        piece.objectOffset(),
                                        bytes.retainedSlice(from, piece.length()));
                        CompletableFuture<ChainOutcome> part = submit(piece.stripe(), command);
                        part.whenComplete((outcome, thrown) -> command.release());
                        parts.add(part);
                    }
                    bytes.release();
                    return all(parts).thenAccept(done -> open.wrote(offset + length));
                });
    }

    CompletableFuture<Long> append(ByteBuf bytes) {
        int length = bytes.readableBytes();
        boolean endIsKnown = open.mode() != DataMode.WRITE_SHARED && !open.isWrittenLocally();
        boolean alone = endIsKnown || open.striping().count() > 1;
        if (alone) {
            long offset = open.reserve(length);
            return write(offset, bytes)
                    .whenComplete((done, thrown) -> open.appendEnded())
                    .thenApply(done -> offset);
        }
        return prepared(bytes, () -> open.size() + length)
                .thenCompose(ready -> {
                    WriteCommand command =
                            WriteCommand.append(bytes, open.size(), wiring.entropy().nextLong());
                    CompletableFuture<ChainOutcome> sent = submit(0, command);
                    return sent.whenComplete((outcome, thrown) -> command.release())
                            .thenApply(outcome -> {
                                open.wrote(outcome.getOffset() + length);
                                return outcome.getOffset();
                            });
                });
    }

    /**
     * Without a layout nothing is known of stripes; a recalled one is asked for anew before
     * anything is cut into pieces; and quotas let the file grow to the end of the write.
     */
    private CompletableFuture<Void> prepared(ByteBuf bytes, LongSupplier end) {
        return open.layout()
                .thenCompose(layout -> open.room(end.getAsLong()))
                .handle((room, thrown) -> {
                    if (thrown != null) {
                        bytes.release();
                        throw FarmException.of(thrown, "write", "");
                    }
                    return null;
                });
    }

    CompletableFuture<Void> truncate(long size) {
        return layoutWithRoom(size)
                .thenCompose(layout -> {
                    Striping striping = open.striping();
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
                        long objectSize = striping.objectSize(stripe, size);
                        if (objectSize == 0 && !open.existsSomewhere(stripe)) {
                            continue; // nothing there to be cut
                        }
                        parts.add(
                                submit(
                                        stripe,
                                        (head, chain, deadline) ->
                                                head.callPlain(
                                                        StorageMethods.TRUNCATE,
                                                        TruncateObjectRequest.newBuilder()
                                                                .setObject(chain.object())
                                                                .setTicket(chain.head().getTicket())
                                                                .setSize(objectSize)
                                                                .addAllRest(chain.rest())
                                                                .setCreate(chain.create())
                                                                .setWriter(chain.writer())
                                                                .setFence(chain.fence())
                                                                .build(),
                                                        deadline)));
                    }
                    return all(parts).thenAccept(done -> open.resized(size));
                });
    }

    CompletableFuture<Void> allocate(
            long offset, long length, boolean keepSize, boolean punchHole, boolean zeroRange) {
        boolean grows = !keepSize && !punchHole;
        return layoutWithRoom(grows ? offset + length : 0)
                .thenCompose(layout -> {
                    Striping striping = open.striping();
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
                        long from = striping.objectSize(stripe, offset);
                        long to = striping.objectSize(stripe, offset + length);
                        boolean nothing =
                                to <= from || (punchHole && !open.existsSomewhere(stripe));
                        if (nothing) {
                            continue;
                        }
                        parts.add(
                                submit(
                                        stripe,
                                        (head, chain, deadline) ->
                                                head.callPlain(
                                                        StorageMethods.ALLOCATE,
                                                        AllocateObjectRequest.newBuilder()
                                                                .setObject(chain.object())
                                                                .setTicket(chain.head().getTicket())
                                                                .setOffset(from)
                                                                .setLength(to - from)
                                                                .setKeepSize(keepSize || punchHole)
                                                                .setPunchHole(punchHole)
                                                                .setZeroRange(zeroRange)
                                                                .addAllRest(chain.rest())
                                                                .setCreate(chain.create())
                                                                .setWriter(chain.writer())
                                                                .setFence(chain.fence())
                                                                .build(),
                                                        deadline)));
                    }
                    return all(parts).thenAccept(done -> open.wrote(grows ? offset + length : 0));
                });
    }

    /**
     * The range lies within the source. On the nodes where both are one object, through this
     * process otherwise.
     */
    CompletableFuture<Long> copy(FileHandle source, long sourceOffset, long offset, long length) {
        boolean onNodes =
                source instanceof FarmFileHandle farm
                        && farm.open().striping().count() == 1
                        && open.striping().count() == 1;
        if (!onNodes) {
            int run = (int) Math.min(length, TransferLimits.TRANSFER_BYTES_MAX);
            return source.read(sourceOffset, run)
                    .thenCompose(bytes -> {
                        long got = bytes.readableBytes();
                        return write(offset, bytes).thenApply(done -> got);
                    });
        }
        return ((FarmFileHandle) source)
                .open()
                .layout()
                .thenCombine(open.room(offset + length), (layout, room) -> layout)
                .thenCompose(layout -> {
                    ObjectLocation from = layout.getObjects(0);
                    return submit(
                                    0,
                                    (head, chain, deadline) ->
                                            head.callPlain(
                                                    StorageMethods.COPY_RANGE,
                                                    CopyRangeRequest.newBuilder()
                                                            .setObject(chain.object())
                                                            .setTicket(chain.head().getTicket())
                                                            .setOffset(offset)
                                                            .setLength(length)
                                                            .addAllRest(chain.rest())
                                                            .setSource(from.getObject())
                                                            .setSourceOffset(sourceOffset)
                                                            .addAllSourceReplicas(
                                                                    Chain.members(
                                                                            from.getReplicasList()))
                                                            .setCreate(chain.create())
                                                            .setWriter(chain.writer())
                                                            .setFence(chain.fence())
                                                            .build(),
                                                    deadline))
                            .thenApply(outcome -> {
                                open.wrote(offset + length);
                                return length;
                            });
                });
    }

    /** The layout, when quotas let the file be that long. */
    private CompletableFuture<Layout> layoutWithRoom(long size) {
        return open.layout()
                .thenCompose(layout -> open.room(size).thenCompose(room -> open.layout()));
    }

    /** Makes the chains of all objects that exist agree, on stable storage if durable. */
    CompletableFuture<Void> agree(boolean durable, boolean digest) {
        return open.layout()
                .thenCompose(layout -> {
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
                        if (!open.existsSomewhere(stripe)) {
                            continue;
                        }
                        parts.add(
                                submit(
                                        stripe,
                                        (head, chain, deadline) ->
                                                hasAll(chain)
                                                        ? head.callPlain(
                                                                StorageMethods.SYNC,
                                                                SyncObjectRequest.newBuilder()
                                                                        .setObject(chain.object())
                                                                        .setTicket(
                                                                                chain.head()
                                                                                        .getTicket())
                                                                        .addAllRest(chain.rest())
                                                                        .setDurable(durable)
                                                                        .setDigest(digest)
                                                                        .setCreate(chain.create())
                                                                        .setWriter(chain.writer())
                                                                        .setFence(chain.fence())
                                                                        .build(),
                                                                deadline)
                                                        : lostWithTheNode(chain)));
                    }
                    return all(parts);
                });
    }

    /**
     * What the kernel wrote is on the attached node alone until that has shipped it: another head
     * would agree on content without it.
     */
    private boolean hasAll(Chain chain) {
        return !open.isWrittenLocally() || chain.head().getNode().equals(wiring.attached());
    }

    private static CompletableFuture<ChainOutcome> lostWithTheNode(Chain chain) {
        return CompletableFuture.failedFuture(
                new FarmException(
                        ErrorKind.STALE,
                        "write",
                        "",
                        "the node it was written at failed before the others had it; "
                                + chain.head().getNode()
                                + " holds the content before"));
    }

    private CompletableFuture<ChainOutcome> submit(int stripe, ObjectChain.Command command) {
        Duration deadline = wiring.session().deadline();
        return open.chainOf(stripe)
                .submit(command, deadline)
                .thenApply(outcome -> {
                    open.outcome(stripe, outcome);
                    return outcome;
                });
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<ChainOutcome>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .handle((done, thrown) -> {
                    if (thrown != null) {
                        throw FarmException.of(thrown, "write", "");
                    }
                    return null;
                });
    }
}
