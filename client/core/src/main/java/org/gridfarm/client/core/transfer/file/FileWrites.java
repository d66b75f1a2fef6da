package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.chain.ObjectChain;
import org.gridfarm.client.core.transfer.chain.WriteCommand;
import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.CopyRangeRequest;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;

import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Changing the content through one handle: every change goes down the chains of the objects it
 * touches.
 */
public final class FileWrites {
    private final Wiring wiring;
    private final OpenInode open;
    private final boolean aside;

    public FileWrites(Wiring wiring, OpenInode open) {
        this(wiring, open, false);
    }

    private FileWrites(Wiring wiring, OpenInode open, boolean aside) {
        this.wiring = wiring;
        this.open = open;
        this.aside = aside;
    }

    /** For what nobody asked for: a close does not wait for it. */
    public static FileWrites aside(Wiring wiring, OpenInode open) {
        return new FileWrites(wiring, open, true);
    }

    public CompletableFuture<Void> write(long offset, ByteBuf bytes) {
        return write(offset, bytes, 0);
    }

    /**
     * @param appendId its nodes remember by this where it was written; 0: nobody will ask
     */
    CompletableFuture<Void> write(long offset, ByteBuf bytes, long appendId) {
        int length = bytes.readableBytes();
        if (length == 0) {
            bytes.release();
            return CompletableFuture.completedFuture(null);
        }
        if (open.content() instanceof Content.Plain plain) {
            return inPlain(
                    plain.file(),
                    bytes,
                    file -> {
                        file.write(offset, bytes);
                        return null;
                    },
                    () -> write(offset, bytes, appendId));
        }
        long began = wiring.clock().nanoTime();
        return prepared(bytes, () -> offset + length)
                .thenCompose(ready -> {
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (Striping.Piece piece :
                            open.striping()
                                    .pieces(offset, length, TransferLimits.TRANSFER_BYTES_MAX)) {
                        int from = bytes.readerIndex() + (int) (piece.fileOffset() - offset);
                        WriteCommand command =
                                WriteCommand.appendAt(
                                        piece.objectOffset(),
                                        bytes.retainedSlice(from, piece.length()),
                                        appendId);
                        CompletableFuture<ChainOutcome> part =
                                change(
                                        piece.stripe(),
                                        command,
                                        left(began),
                                        (file, done) ->
                                                file.write(piece.objectOffset(), command.bytes()));
                        part.whenComplete((outcome, thrown) -> command.release());
                        parts.add(part);
                    }
                    bytes.release();
                    return all(parts).thenAccept(done -> open.wrote(offset + length));
                });
    }

    /**
     * @param id see {@link FileHandle#append(ByteBuf, long)}
     */
    CompletableFuture<Long> append(ByteBuf bytes, long id) {
        int length = bytes.readableBytes();
        if (open.content() instanceof Content.Plain plain) {
            return inPlain(
                    plain.file(), bytes, file -> file.append(bytes), () -> append(bytes, id));
        }
        long offset = open.reserve(length);
        if (offset >= 0) {
            return write(offset, bytes, id)
                    .whenComplete((done, thrown) -> open.appendEnded())
                    .thenApply(done -> offset);
        }
        return open.reservedEnded().thenCompose(done -> appendAtEnd(bytes, length, id));
    }

    /** The nodes know where that is. */
    private CompletableFuture<Long> appendAtEnd(ByteBuf bytes, int length, long id) {
        if (open.striping().count() > 1) {
            return new StripedAppend(wiring, open.inode).append(bytes, this::write);
        }
        long appendId = id == 0 ? wiring.entropy().nextLong() : id;
        long began = wiring.clock().nanoTime();
        return prepared(bytes, () -> open.size() + length)
                .thenCompose(ready -> {
                    WriteCommand command = WriteCommand.append(bytes, open.size(), appendId);
                    CompletableFuture<ChainOutcome> sent =
                            change(
                                    0,
                                    command,
                                    left(began),
                                    (file, done) -> file.write(done.getOffset(), command.bytes()));
                    return sent.whenComplete((outcome, thrown) -> command.release())
                            .thenApply(outcome -> {
                                // Of nothing it only asks for the end.
                                if (length > 0) open.wrote(outcome.getOffset() + length);
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
                .thenCompose(layout -> room(end.getAsLong()))
                .handle((room, thrown) -> {
                    if (thrown != null) {
                        bytes.release();
                        throw FarmException.of(thrown, "write", "");
                    }
                    return null;
                });
    }

    public CompletableFuture<Void> truncate(long size) {
        if (open.content() instanceof Content.Plain plain) {
            return inPlain(
                    plain.file(),
                    Unpooled.EMPTY_BUFFER,
                    file -> {
                        file.resize(size, wiring.attached().localCalls());
                        return null;
                    },
                    () -> truncate(size));
        }
        long began = wiring.clock().nanoTime();
        return layoutWithRoom(size)
                .thenCompose(layout -> {
                    Striping striping = open.striping();
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
                        long objectSize = striping.objectSize(stripe, size);
                        // The first is told where nothing is to be cut, too: it has the time.
                        if (stripe > 0 && objectSize == 0 && !open.mayExist(stripe)) continue;
                        parts.add(
                                change(
                                        stripe,
                                        truncation(objectSize),
                                        left(began),
                                        (file, done) ->
                                                file.resize(
                                                        objectSize,
                                                        wiring.attached().localCalls())));
                    }
                    return all(parts).thenAccept(done -> open.resized(size));
                });
    }

    CompletableFuture<Void> allocate(
            long offset, long length, boolean keepSize, boolean punchHole, boolean zeroRange) {
        boolean grows = !keepSize && !punchHole;
        if (open.content() instanceof Content.Whole whole && whole.file().isLost()) {
            return allocateLost(whole.file(), offset, length, grows, punchHole || zeroRange);
        }
        return layoutWithRoom(grows ? offset + length : 0)
                .thenCompose(layout -> {
                    Striping striping = open.striping();
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
                        long from = striping.objectSize(stripe, offset);
                        long to = striping.objectSize(stripe, offset + length);
                        boolean nothing = to <= from || (punchHole && !open.mayExist(stripe));
                        if (nothing) {
                            continue;
                        }
                        parts.add(
                                submit(
                                        stripe,
                                        allocation(
                                                from,
                                                to - from,
                                                keepSize || punchHole,
                                                punchHole,
                                                zeroRange)));
                    }
                    return all(parts).thenAccept(done -> open.wrote(grows ? offset + length : 0));
                });
    }

    /** Without the node there is nobody who makes holes or reserves space: zeros will do. */
    private CompletableFuture<Void> allocateLost(
            LocalWriting lost, long offset, long length, boolean grows, boolean zeros) {
        LocalReplica file = lost.replica;
        return inTurn(
                lost,
                () -> {
                    long end = Math.min(offset + length, file.size());
                    for (long at = offset; zeros && at < end; ) {
                        int run = (int) Math.min(TransferLimits.CHUNK_BYTES, end - at);
                        file.write(at, Unpooled.wrappedBuffer(new byte[run]));
                        at += run;
                    }
                    if (grows && offset + length > file.size()) {
                        file.resize(offset + length, wiring.attached().localCalls());
                    }
                    open.wroteLocally();
                    return null;
                });
    }

    /**
     * The range lies within the source. On the nodes where both are one object, through this
     * process otherwise.
     */
    public CompletableFuture<Long> copy(
            FileHandle source, long sourceOffset, long offset, long length) {
        boolean onNodes =
                source instanceof FarmFileHandle farm
                        && farm.open().striping().count() == 1
                        && open.striping().count() == 1
                        && farm.open().content() instanceof Content.Sent
                        && open.content() instanceof Content.Sent;
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
                .thenCombine(room(offset + length), (layout, room) -> layout)
                .thenCompose(layout -> {
                    ObjectLocation from = layout.getObjects(0);
                    return submit(
                                    0,
                                    (head, chain, deadline) ->
                                            head.callPlain(
                                                    StorageMethods.COPY_RANGE,
                                                    CopyRangeRequest.newBuilder()
                                                            .setChain(chain.header())
                                                            .setOffset(offset)
                                                            .setLength(length)
                                                            .setSource(from.getObject())
                                                            .setSourceOffset(sourceOffset)
                                                            .addAllSourceReplicas(
                                                                    Chain.members(
                                                                            Chain.holders(from)))
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
        return open.layout().thenCompose(layout -> room(size).thenCompose(room -> open.layout()));
    }

    /**
     * Makes the chains of all objects that exist agree, on stable storage if durable. Where that
     * fails it is still to be done: the next commit does it.
     */
    public CompletableFuture<Void> agree(boolean durable, boolean digest) {
        return agreed(durable, digest)
                .whenComplete((done, thrown) -> {
                    if (thrown != null) {
                        open.writeFailed();
                    }
                });
    }

    private CompletableFuture<Void> agreed(boolean durable, boolean digest) {
        LocalWriting writing = open.content().file();
        if (writing != null) {
            return new LocalAgreement(wiring, open, writing, this, durable, digest).reach();
        }
        return open.layout()
                .thenCompose(layout -> {
                    List<CompletableFuture<ChainOutcome>> parts = new ArrayList<>();
                    for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
                        if (!open.mayExist(stripe)) {
                            continue;
                        }
                        parts.add(synced(stripe, durable, digest, 0));
                    }
                    return all(parts);
                });
    }

    /** What a local writer at the head has left is shipped before, in as many calls as it takes. */
    private CompletableFuture<ChainOutcome> synced(
            int stripe, boolean durable, boolean digest, long from) {
        return submit(
                        stripe,
                        (head, chain, deadline) ->
                                head.callPlain(
                                        StorageMethods.SYNC,
                                        SyncObjectRequest.newBuilder()
                                                .setChain(chain.header())
                                                .setDurable(durable)
                                                .setDigest(digest)
                                                .setShip(
                                                        SyncObjectRequest.Ship.newBuilder()
                                                                .setFromBlock(from))
                                                .build(),
                                        deadline))
                .thenCompose(outcome ->
                        outcome.getShipFrom() > 0
                                ? synced(stripe, durable, digest, outcome.getShipFrom())
                                : CompletableFuture.completedFuture(outcome));
    }

    // ---- the one object of a file, whatever the file says
    // ---------------------------------------------------------------------------------

    /** The buffer is taken over. */
    CompletableFuture<ChainOutcome> writeObject(long offset, ByteBuf bytes) {
        WriteCommand command = WriteCommand.at(offset, bytes);
        return submit(0, command).whenComplete((outcome, thrown) -> command.release());
    }

    CompletableFuture<ChainOutcome> resizeObject(long size) {
        return submit(0, truncation(size));
    }

    CompletableFuture<ChainOutcome> punchObject(long offset, long length) {
        return submit(0, allocation(offset, length, true, true, false));
    }

    private static ObjectChain.Command truncation(long size) {
        return (head, chain, deadline) ->
                head.callPlain(
                        StorageMethods.TRUNCATE,
                        TruncateObjectRequest.newBuilder()
                                .setChain(chain.header())
                                .setSize(size)
                                .build(),
                        deadline);
    }

    private static ObjectChain.Command allocation(
            long offset, long length, boolean keepSize, boolean punchHole, boolean zeroRange) {
        return new ObjectChain.Command() {
            @Override
            public CompletableFuture<ChainOutcome> send(Peer head, Chain chain, Duration deadline) {
                return head.callPlain(
                        StorageMethods.ALLOCATE,
                        AllocateObjectRequest.newBuilder()
                                .setChain(chain.header())
                                .setOffset(offset)
                                .setLength(length)
                                .setKeepSize(keepSize)
                                .setPunchHole(punchHole)
                                .setZeroRange(zeroRange)
                                .build(),
                        deadline);
            }

            @Override
            public boolean movesWhenFull() {
                return false; // more may be asked for than any node has
            }
        };
    }

    // ---- into the plain file
    // -----------------------------------------------------------------------------------------------------------------

    /**
     * Into the very file that the kernel writes, so that it has everything whatever becomes of its
     * node. Who lowers the mode waits for those that have found it as it was.
     *
     * @param otherwise somebody else has the file open by now; takes the bytes over
     */
    private <T> CompletableFuture<T> inPlain(
            LocalWriting kernel,
            ByteBuf bytes,
            Function<LocalReplica, T> change,
            Supplier<CompletableFuture<T>> otherwise) {
        return inTurn(
                        kernel,
                        () -> {
                            if (!open.isIn(kernel)) return null;
                            T done = change.apply(kernel.replica);
                            open.wroteLocally();
                            return CompletableFuture.completedFuture(done);
                        })
                .handle((done, thrown) -> {
                    if (thrown == null && done == null) {
                        return otherwise.get();
                    }
                    bytes.release();
                    return thrown == null ? done : CompletableFuture.<T>failedFuture(thrown);
                })
                .thenCompose(result -> result);
    }

    private static <T> CompletableFuture<T> inTurn(LocalWriting kernel, Supplier<T> change) {
        return kernel.whenPlaced(() -> kernel.inTurn(change))
                .exceptionallyCompose(thrown ->
                        // It was claimed just now: nothing was written where it lay before.
                        FarmException.of(thrown, "write", "").getCause()
                                        instanceof NoSuchFileException
                                ? kernel.whenPlaced(() -> kernel.inTurn(change))
                                : CompletableFuture.failedFuture(thrown));
    }

    /** Of the time that a call may take, which began with asking for the layout. */
    private Duration left(long began) {
        Duration left = wiring.session().deadline().minusNanos(wiring.clock().nanoTime() - began);
        return left.compareTo(TransferLimits.RETRY_PAUSE) > 0 ? left : TransferLimits.RETRY_PAUSE;
    }

    /**
     * What a caller wants changed: sent down the chain, and into the file here as well, if that
     * would lack it.
     *
     * @param here makes the same change in that file
     */
    private CompletableFuture<ChainOutcome> change(
            int stripe,
            ObjectChain.Command command,
            Duration deadline,
            BiConsumer<LocalReplica, ChainOutcome> here) {
        return submit(stripe, command, deadline)
                .thenCompose(outcome -> {
                    if (!(open.content() instanceof Content.Whole whole)
                            || !whole.lacksWhatIsSent()) {
                        return CompletableFuture.completedFuture(outcome);
                    }
                    return whole.file()
                            .inTurn(() -> {
                                here.accept(whole.file().replica, outcome);
                                return outcome;
                            });
                });
    }

    private CompletableFuture<ChainOutcome> submit(int stripe, ObjectChain.Command command) {
        return submit(stripe, command, wiring.session().deadline());
    }

    public CompletableFuture<ChainOutcome> submit(
            int stripe, ObjectChain.Command command, Duration deadline) {
        ObjectChain chain = open.chains.of(stripe);
        return (aside ? chain.submitAside(command, deadline) : chain.submit(command, deadline))
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

    /** Completes when quotas let the file be that long; QUOTA_EXCEEDED if they do not. */
    private CompletableFuture<Void> room(long end) {
        return open.limit.room(end, open::refresh);
    }
}
