package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.client.core.transfer.chain.KnownSums;
import org.gridfarm.client.core.transfer.chain.ReadAhead;
import org.gridfarm.client.core.transfer.chain.ReplicaReader;
import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.known.Stripes;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.rpc.Buffers;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Reading through one handle: the local file where there is one, chunks read ahead, or the
 * replicas.
 */
public final class FileReads {
    private static final Logger log = LoggerFactory.getLogger(FileReads.class);

    private final Wiring wiring;
    private final OpenInode open;
    private final ReplicaReader replicas;
    private final ReadAhead ahead;
    private final AtomicReference<@Nullable Asked> local = new AtomicReference<>();
    private final int user;
    private volatile @Nullable KnownSums sums;

    /**
     * @param user who opened it, whose descriptors local files take
     */
    FileReads(Wiring wiring, OpenInode open, int user) {
        this.wiring = wiring;
        this.open = open;
        this.user = user;
        this.replicas = new ReplicaReader(wiring.nodes(), wiring.clock(), wiring.attached().name());
        this.ahead = new ReadAhead(wiring.aheadChunks(), this::direct);
    }

    public CompletableFuture<ByteBuf> read(long offset, int length) {
        return mayBeLocal()
                ? wiring.attached().disk().call(() -> readHere(offset, length))
                : readHere(offset, length);
    }

    private boolean mayBeLocal() {
        return !wiring.attached().name().isEmpty();
    }

    private CompletableFuture<ByteBuf> readHere(long offset, int length) {
        DataMode mode = open.mode();
        Content content = open.content();
        if (content instanceof Content.Plain plain) {
            return fromPlain(plain.file().replica, offset, length);
        }
        if (mode == DataMode.WRITE_SHARED || content.file() != null) {
            return direct(offset, length);
        }
        long size = open.size();
        int there = (int) Math.max(0, Math.min(length, size - offset));
        if (there == 0) {
            return CompletableFuture.completedFuture(Unpooled.EMPTY_BUFFER);
        }
        if (mode != DataMode.READ_SHARED) {
            return direct(offset, there);
        }
        LocalReplica file = localNow(size);
        ByteBuf bytes = file == null ? null : file.read(offset, there);
        if (bytes != null) {
            return CompletableFuture.completedFuture(bytes);
        }
        return throughChunks(offset, there, size);
    }

    private static CompletableFuture<ByteBuf> fromPlain(
            LocalReplica file, long offset, int length) {
        try {
            return CompletableFuture.completedFuture(file.readThere(offset, length));
        } catch (FarmException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<ByteBuf> throughChunks(long offset, int length, long size) {
        int chunk = TransferLimits.CHUNK_BYTES;
        List<CompletableFuture<ByteBuf>> parts = new ArrayList<>();
        for (long at = offset; at < offset + length; ) {
            int run = (int) Math.min(chunk - at % chunk, offset + length - at);
            long from = at;
            CompletableFuture<ByteBuf> part = ahead.read(at, run, size);
            // A chunk that was dropped or failed meanwhile is simply read.
            parts.add(
                    part == null
                            ? direct(at, run)
                            : part.handle((bytes, thrown) ->
                                            thrown == null
                                                    ? CompletableFuture.completedFuture(bytes)
                                                    : direct(from, run))
                                    .thenCompose(bytes -> bytes));
            at += run;
        }
        return joined(parts);
    }

    // ---- from the replicas
    // --------------------------------------------------------------------------------------------------------------

    private CompletableFuture<ByteBuf> direct(long offset, int length) {
        return attempt(
                offset, length, wiring.clock().nanoTime() + wiring.session().deadline().toNanos());
    }

    private CompletableFuture<ByteBuf> attempt(long offset, int length, long deadlineAt) {
        return open.layout()
                .thenCompose(layout -> pieces(layout, offset, length, deadlineAt))
                .handle((bytes, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.completedFuture(bytes);
                    }
                    FarmException failure = FarmException.of(thrown, "read", "");
                    boolean over =
                            wiring.clock().nanoTime() + TransferLimits.RETRY_PAUSE.toNanos()
                                    >= deadlineAt;
                    if (over || failure.kind().retry() == Retry.NEVER) {
                        return CompletableFuture.<ByteBuf>failedFuture(failure);
                    }
                    return again(offset, length, deadlineAt);
                })
                .thenCompose(bytes -> bytes);
    }

    /** The metaserver may know other replicas by now, or a new generation. */
    private CompletableFuture<ByteBuf> again(long offset, int length, long deadlineAt) {
        CompletableFuture<ByteBuf> result = new CompletableFuture<>();
        wiring.clock()
                .after(
                        TransferLimits.RETRY_PAUSE,
                        () ->
                                open.refresh(0)
                                        .thenCompose(done -> attempt(offset, length, deadlineAt))
                                        .whenComplete((bytes, thrown) -> {
                                            if (thrown == null) {
                                                result.complete(bytes);
                                            } else {
                                                result.completeExceptionally(
                                                        FarmException.of(thrown, "read", ""));
                                            }
                                        }));
        return result;
    }

    private CompletableFuture<ByteBuf> pieces(
            Layout layout, long offset, int wanted, long deadlineAt) {
        // Whether others write may have changed since the read came: what counts is what is now.
        int known = open.known(offset, wanted);
        if (known >= 0) {
            return pieces(layout, offset, known, true, deadlineAt);
        }
        return layout.getStripeCount() > 1
                ? piecesOfShared(layout, offset, wanted, deadlineAt)
                : pieces(layout, offset, wanted, false, deadlineAt);
    }

    /**
     * Where others write into several objects, a short one may be a hole or the end of the file. So
     * the chains are asked first where that is: what lies before it was there before the pieces are
     * read.
     */
    private CompletableFuture<ByteBuf> piecesOfShared(
            Layout layout, long offset, int wanted, long deadlineAt) {
        return wiring.metadata()
                .attributes(open.inode)
                .thenCompose(found -> {
                    long size = found.require("stat", "").getSize();
                    int length = (int) Math.max(0, Math.min(wanted, size - offset));
                    return length == 0
                            ? CompletableFuture.completedFuture(Unpooled.EMPTY_BUFFER)
                            : pieces(layout, offset, length, true, deadlineAt);
                });
    }

    /**
     * @param sizeKnown all of it lies within the file; else it may end before
     */
    private CompletableFuture<ByteBuf> pieces(
            Layout layout, long offset, int length, boolean sizeKnown, long deadlineAt) {
        if (layout.getObjectsCount() == 0) {
            return CompletableFuture.completedFuture(zeros(sizeKnown ? length : 0));
        }
        Striping striping =
                new Striping(Math.max(1, layout.getStripeCount()), layout.getStripeUnit());
        boolean shared = open.mode() == DataMode.READ_SHARED;
        Duration left = Duration.ofNanos(Math.max(1, deadlineAt - wiring.clock().nanoTime()));
        List<CompletableFuture<ByteBuf>> parts = new ArrayList<>();
        for (Striping.Piece piece : striping.pieces(offset, length, TransferLimits.CHUNK_BYTES)) {
            ObjectLocation location = layout.getObjects(piece.stripe());
            boolean fresh =
                    location.getReplicasList().stream()
                            .anyMatch(r -> r.getState() == ReplicaState.WRITING);
            KnownSums must = shared ? sumsOf(layout) : null;
            ReplicaReader.Run run =
                    new ReplicaReader.Run(
                            location,
                            piece.objectOffset(),
                            piece.length(),
                            !shared,
                            sizeKnown && shared && striping.count() == 1,
                            fresh,
                            must,
                            () -> open.mode() != DataMode.READ_SHARED || sums != must);
            CompletableFuture<ByteBuf> part =
                    location.getReplicasCount() == 0 && striping.count() > 1
                            ? CompletableFuture.completedFuture(zeros(piece.length()))
                            : replicas.read(run, left, () -> newest(piece.stripe()));
            // Within the size a short object is a hole; where the size is not known it is the end.
            parts.add(sizeKnown ? part.thenApply(bytes -> filled(bytes, piece.length())) : part);
        }
        return joined(parts);
    }

    private @Nullable KnownSums sumsOf(Layout layout) {
        KnownSums now = KnownSums.of(layout, open.size(), sums);
        sums = now;
        return now;
    }

    private CompletableFuture<ObjectLocation> newest(int stripe) {
        return open.refresh(0)
                .thenCompose(done -> open.layout())
                .thenApply(layout -> layout.getObjects(stripe));
    }

    private static ByteBuf filled(ByteBuf bytes, int length) {
        int missing = length - bytes.readableBytes();
        if (missing == 0) {
            return bytes;
        }
        CompositeByteBuf whole = Buffers.POOL.compositeBuffer(2);
        return whole.addComponents(true, bytes, zeros(missing));
    }

    private static ByteBuf zeros(int length) {
        return length == 0
                ? Unpooled.EMPTY_BUFFER
                : Buffers.POOL.buffer(length, length).writeZero(length);
    }

    /** One buffer of all parts up to the first short one. On a failure the others are released. */
    private static CompletableFuture<ByteBuf> joined(List<CompletableFuture<ByteBuf>> parts) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .handle((done, thrown) -> {
                    if (thrown != null) {
                        parts.forEach(part ->
                                part.whenComplete((bytes, failure) -> {
                                    if (bytes != null) {
                                        bytes.release();
                                    }
                                }));
                        throw FarmException.of(thrown, "read", "");
                    }
                    CompositeByteBuf whole =
                            Buffers.POOL.compositeBuffer(Math.max(2, parts.size()));
                    parts.forEach(part -> whole.addComponent(true, part.join()));
                    return whole;
                });
    }

    // ---- the local file
    // -------------------------------------------------------------------------------------------------------------------

    @Nullable LocalReplica localNow(long size) {
        if (!mayBeLocal() || size < TransferLimits.LOCAL_BYTES_MIN) {
            return null;
        }
        CompletableFuture<@Nullable LocalReplica> asked = openLocal(false);
        return asked.isDone() && !asked.isCompletedExceptionally() ? asked.join() : null;
    }

    /**
     * Null in the future: the attached node has no such replica or does not give it. Asked once
     * until it is dropped.
     */
    CompletableFuture<@Nullable LocalReplica> openLocal(boolean write) {
        return openLocal(write, write);
    }

    CompletableFuture<@Nullable LocalReplica> openLocalForMappings() {
        return openLocal(true, false);
    }

    private CompletableFuture<@Nullable LocalReplica> openLocal(boolean write, boolean alone) {
        Asked before = local.get();
        if (before != null) {
            boolean suits = !write || !before.isDone() || before.isCompletedExceptionally();
            LocalReplica there = suits ? null : before.join();
            if (suits || (there != null && there.file.write())) {
                return before;
            }
        }
        Asked asked = new Asked(write, alone);
        if (!local.compareAndSet(before, asked)) {
            return openLocal(write, alone);
        }
        if (before != null) {
            release(before, false);
        }
        if (!wiring.attached().descriptors().take(user)) {
            noDescriptor(asked);
            return asked;
        }
        knownHere(asked)
                .thenCompose(known ->
                        known != null
                                ? CompletableFuture.completedFuture(known)
                                : open.layout().thenCompose(layout -> ask(asked, layout)))
                .whenComplete((replica, thrown) -> {
                    if (thrown != null) {
                        log.debug("no local file: {}", thrown.getMessage());
                    }
                    counted(thrown == null ? replica : null);
                    asked.complete(thrown == null ? replica : null);
                });
        return asked;
    }

    /** It goes through the node, but for mappings, which only a local file serves. */
    private static void noDescriptor(Asked asked) {
        if (asked.write && !asked.alone) {
            asked.completeExceptionally(
                    new FarmException(
                            ErrorKind.TOO_MANY_OPEN,
                            "open-local",
                            "",
                            "no descriptor is left for its local file"));
        } else {
            asked.complete(null);
        }
    }

    /** The descriptor taken for it is given back when it is closed; at once, if there is none. */
    private void counted(@Nullable LocalReplica replica) {
        if (replica == null) {
            wiring.attached().descriptors().giveBack(user);
        } else {
            replica.whenClosed(() -> wiring.attached().descriptors().giveBack(user));
        }
    }

    /** The file was just created, and is written into this; false where something else is. */
    public boolean begunWith(LocalReplica staged) {
        Asked asked = new Asked(true, true);
        asked.complete(staged);
        return local.compareAndSet(null, asked);
    }

    private CompletableFuture<@Nullable LocalReplica> ask(Asked asked, Layout layout) {
        boolean write = asked.write;
        boolean mayNot = asked.alone && open.mode() != DataMode.EXCLUSIVE;
        boolean mayAsk = !mayNot && wiring.attached().ground().isOpen();
        Replica replica = mayAsk ? here(layout, asked.alone) : null;
        if (replica == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (write) wiring.attached().staged().at(replica);
        return askNode(replica, layout, write);
    }

    /** For reading, where it was in use a moment ago: that takes no ticket. Null: to be asked. */
    private CompletableFuture<@Nullable LocalReplica> knownHere(Asked asked) {
        Layout layout = open.layoutThatHolds();
        if (asked.write
                || layout == null
                || open.mode() != DataMode.READ_SHARED
                || !wiring.attached().ground().isOpen()
                || here(layout, asked.alone) == null) {
            return CompletableFuture.completedFuture(null);
        }
        ObjectId object = layout.getObjects(0).getObject();
        return wiring.attached().disk().get(() -> wiring.attached().known().open(object));
    }

    private CompletableFuture<@Nullable LocalReplica> askNode(
            Replica replica, Layout layout, boolean write) {
        return ask(
                replica,
                OpenLocalRequest.newBuilder()
                        .setObject(layout.getObjects(0).getObject())
                        .setTicket(replica.getTicket())
                        .setWrite(write)
                        .setCreate(write && replica.getState() == ReplicaState.WRITING)
                        .build(),
                (reply, peer) -> LocalReplica.open(reply, write, peer));
    }

    /** The replica at the attached node. */
    private @Nullable Replica here(Layout layout, boolean mustHead) {
        return Stripes.onlyObject(layout) == null
                ? null
                : Chain.holderAt(layout.getObjects(0), wiring.attached().name(), mustHead);
    }

    /**
     * Of a former process whose kernel writes on, whoever else has opened it since. Asked until the
     * node answers, which may be at work on what was written last; null: it is the kernel's no
     * more.
     *
     * @param staged number of the staged file that it had for it; 0: none
     * @param wanted number of the file that the kernel writes; 0: not known
     */
    CompletableFuture<@Nullable LocalReplica> openLocalAgain(long staged, long wanted) {
        Asked asked = new Asked(true, false);
        Asked before = local.getAndSet(asked);
        if (before != null) {
            release(before, false);
        }
        wiring.attached().descriptors().takeAnyway(user); // the former process had it, too
        asked.whenComplete((replica, thrown) -> counted(replica));
        askAgain(asked, () -> askNow(staged, wanted), wiring.clock().nanoTime());
        return asked;
    }

    private void askAgain(
            Asked asked, Supplier<CompletableFuture<@Nullable LocalReplica>> question, long since) {
        wiring.again()
                .take(question)
                .whenComplete((replica, thrown) -> {
                    FarmException failure =
                            thrown == null ? null : FarmException.of(thrown, "open-local", "");
                    long waited = wiring.clock().nanoTime() - since;
                    if (failure == null) {
                        asked.complete(replica);
                    } else if (failure.kind().retry() == Retry.NEVER
                            || waited >= wiring.session().deadline().toNanos()) {
                        asked.completeExceptionally(failure);
                    } else {
                        CompletableFuture<Void> anew =
                                Nodes.isFineDespite(failure)
                                        ? open.refresh(0)
                                        : CompletableFuture.completedFuture(null);
                        wiring.clock()
                                .after(
                                        TransferLimits.RETRY_PAUSE,
                                        () ->
                                                anew.whenComplete((done, why) ->
                                                        askAgain(asked, question, since)));
                    }
                });
    }

    private CompletableFuture<@Nullable LocalReplica> askNow(long staged, long wanted) {
        return open.layout()
                .thenCompose(layout -> {
                    Replica replica = here(layout, false);
                    return replica == null
                            ? CompletableFuture.<@Nullable LocalReplica>completedFuture(null)
                            : ask(
                                    replica,
                                    LocalWriting.request(
                                            layout.getObjects(0).getObject(), replica, staged),
                                    (reply, peer) ->
                                            LocalReplica.openAgain(reply, staged, wanted, peer));
                });
    }

    /** What is granted is opened; null: it is not what is wanted. */
    private interface Opening {
        @Nullable LocalReplica of(OpenLocalReply granted, Peer node) throws IOException;
    }

    private CompletableFuture<@Nullable LocalReplica> ask(
            Replica replica, OpenLocalRequest request, Opening opening) {
        return wiring.nodes()
                .connect(replica)
                .thenCompose(peer ->
                        peer.callPlain(
                                        StorageMethods.OPEN_LOCAL,
                                        request,
                                        TransferLimits.HEDGE_AFTER)
                                .thenCompose(reply ->
                                        wiring.attached()
                                                .disk()
                                                .get(() -> opened(reply, peer, opening))));
    }

    private @Nullable LocalReplica opened(OpenLocalReply reply, Peer peer, Opening opening) {
        try {
            wiring.attached().ground().check(reply.getPath());
            LocalReplica opened = opening.of(reply, peer);
            if (opened == null) wiring.attached().givenBack().add(peer, reply.getLease(), true);
            return opened;
        } catch (IOException e) {
            // Another container or user: the node's files cannot be seen from here.
            wiring.attached().ground().failed(e);
            log.debug("{} cannot be read: {}", reply.getPath(), e.getMessage());
            wiring.attached().givenBack().add(peer, reply.getLease(), true);
            return null;
        }
    }

    /**
     * @param well what was written, if anything was, is known to the metaserver
     */
    private void release(Asked asked, boolean well) {
        asked.thenAccept(replica -> {
            if (replica != null) {
                wiring.attached().disk().run(() -> release(asked, replica, well));
            }
        });
    }

    private void release(Asked asked, LocalReplica replica, boolean well) {
        Peer node = replica.node();
        boolean isAsNew = node == null && replica.isAsNew() && !open.wasReadable();
        boolean unchanged = node != null && replica.isUnchanged();
        if (well && node != null) {
            remember(asked, replica, node);
        }
        replica.close();
        if (isAsNew) {
            wiring.attached().staged().putBack(replica.file.staged());
        } else if (node == null && well) {
            // Else its bytes are nowhere else: the metaserver has the file made of it.
            wiring.attached().staged().giveBack(replica.file.staged());
        } else if (node != null && replica.file.write()) {
            wiring.attached().givenBack().add(node, replica.lease(), unchanged);
        }
    }

    /** It may be read again soon. */
    private void remember(Asked asked, LocalReplica replica, Peer node) {
        boolean good =
                replica.file.write()
                        ? asked.alone && open.mode() == DataMode.EXCLUSIVE
                        : open.mode() == DataMode.READ_SHARED;
        ObjectId object = Stripes.onlyObject(open.layoutNow());
        // Else its node has failed meanwhile, and the content went on elsewhere.
        if (good && object != null && here(open.layoutNow(), false) != null) {
            LocalFile now = replica.fileNow();
            LocalFile read = new LocalFile(now.path(), replica.size(), false, now.identity(), 0);
            wiring.attached().known().add(object, read, node, replica.fresh());
        }
    }

    /**
     * Nothing read before may be served any more. A file granted for writing stays granted: the
     * kernel goes on writing into it.
     */
    public void drop() {
        ahead.clear();
        Asked before = local.get();
        if (before != null && !isForWriting(before) && local.compareAndSet(before, null)) {
            release(before, false);
        }
    }

    /**
     * A grant for writing ends with the last writer of the file, since every one of them may have
     * it mapped.
     *
     * @param well everything that was written is known to the metaserver
     */
    public void close(boolean well) {
        ahead.clear();
        Asked before = local.getAndSet(null);
        if (before != null && isForWriting(before)) {
            open.afterLastWriter(() -> release(before, well));
        } else if (before != null) {
            release(before, well);
        }
    }

    /** Also while the node has not answered: the kernel is told of the file when it has. */
    private static boolean isForWriting(Asked asked) {
        if (!asked.isDone()) {
            return asked.write;
        }
        LocalReplica granted = asked.isCompletedExceptionally() ? null : asked.join();
        return granted != null && granted.file.write();
    }

    /** What the node was asked for; null in it: not given. */
    private static final class Asked extends CompletableFuture<@Nullable LocalReplica> {
        final boolean write;
        final boolean alone; // nobody else heads the chain, nor has the file open

        Asked(boolean write, boolean alone) {
            this.write = write;
            this.alone = alone;
        }
    }
}
