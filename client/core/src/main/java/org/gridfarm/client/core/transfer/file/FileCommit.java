package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.known.KnownEnd;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.attributes.WriteTimes;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.ForceObjectRequest;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * What makes a written file's size, times and holders known: fsync and close. The commits of a file
 * follow one another, so that none is overtaken by an older one on the way.
 */
final class FileCommit {
    private static final long AGAIN_NANOS = (1 << 23) - 1; // up to 8 ms

    private final Wiring wiring;
    private final OpenInode open;
    private final FarmFileHandle handle;
    private final FileWrites writes;

    FileCommit(Wiring wiring, OpenInode open, FarmFileHandle handle) {
        this.wiring = wiring;
        this.open = open;
        this.handle = handle;
        this.writes = new FileWrites(wiring, open);
    }

    public CompletableFuture<Void> sync() {
        return handle.flags().write()
                ? wiring.metadata()
                        .durable()
                        .thenCompose(done -> wiring.attached().disk().call(this::synced))
                : syncedByReader();
    }

    /** Whoever wrote it, as far as that is closed or open here. */
    private CompletableFuture<Void> syncedByReader() {
        FarmFileHandle strongest = FarmFileHandle.strongest(open.handles());
        if (strongest != null && strongest.flags().write()) {
            return strongest.sync();
        }
        return handle.closesOver()
                .thenCompose(done -> open.refresh(0))
                .thenCompose(done -> forced(open.layoutNow()));
    }

    private CompletableFuture<Void> forced(Layout layout) {
        return CompletableFuture.allOf(
                layout.getObjectsList().stream()
                        .flatMap(location ->
                                location.getReplicasList().stream()
                                        .map(replica -> forced(location.getObject(), replica)))
                        .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<?> forced(ObjectId object, Replica replica) {
        ForceObjectRequest request =
                ForceObjectRequest.newBuilder()
                        .setObject(object)
                        .setTicket(replica.getTicket())
                        .build();
        return wiring.nodes()
                .connect(replica)
                .thenCompose(peer ->
                        peer.callPlain(StorageMethods.FORCE, request, wiring.session().deadline()))
                .exceptionallyCompose(thrown -> {
                    boolean absent =
                            FarmException.of(thrown, "fsync", "").kind() == ErrorKind.OBJECT_ABSENT;
                    // It is about to be made, by a client whose writes are its own to sync.
                    return absent && replica.getState() == ReplicaState.WRITING
                            ? CompletableFuture.completedFuture(null)
                            : CompletableFuture.failedFuture(thrown);
                });
    }

    private CompletableFuture<Void> synced() {
        if (open.plain.areNone()) {
            return CompletableFuture.completedFuture(null); // that there is the file is durable
        }
        if (!open.isDirty()) {
            return durable(); // what another handle or an earlier commit left may not be yet
        }
        open.takeUnsure();
        return durable().thenCompose(done -> commit(false, true));
    }

    /** Sums of what the kernel wrote are taken at close: an fsync does not read the file. */
    private CompletableFuture<Void> durable() {
        LocalWriting kernel = open.content().file();
        int since = kernel == null ? 0 : kernel.renewals();
        return writes.agree(true, false)
                .thenRun(() -> {
                    if (kernel != null) {
                        kernel.synced(since);
                    }
                });
    }

    /**
     * Into the only replica, which is durable but for bytes that the kernel has written, these are
     * forced from here: neither its node nor the leader knows anything that a reader would need.
     */
    public CompletableFuture<Void> syncData() {
        if (handle.flags().write()
                && open.content() instanceof Content.Plain plain
                && plain.isOnly()
                && plain.file().isDurableButBytes()) {
            plain.file().replica.force(); // its failure is told once, so nobody else is asked
            return CompletableFuture.completedFuture(null);
        }
        return sync();
    }

    /** What was written is agreed on and committed. Done at once when nothing was. */
    public CompletableFuture<Void> settle() {
        if (!handle.flags().write() || !open.isDirty()) {
            return CompletableFuture.completedFuture(null);
        }
        boolean unsure = isBehindOurBack() || open.takeUnsure();
        return (unsure ? writes.agree(false, true) : CompletableFuture.<Void>completedFuture(null))
                .thenCompose(done -> commit(false, false));
    }

    /**
     * Once its nodes have all that was written the commit may be left to the close, which comes by
     * itself: always where this process sent it to them. What the kernel wrote is compared then
     * with what they have got, which takes longer the longer it is; and a file with one copy is
     * closed later as a whole, or waited for ({@link HandleOwner#mayCloseLater}).
     *
     * @return when they have it; null: nothing is left to the close
     */
    @Nullable CompletableFuture<Void> leave(HandleOwner owner) {
        if (!handle.flags().write() || !open.isDirty()) return null;
        if (!isBehindOurBack()) return CompletableFuture.completedFuture(null);
        if (!owner.mayLeaveCommit() || !open.plain.areShortWithCopies()) return null;
        return open.takeUnsure()
                ? writes.agree(false, true)
                : CompletableFuture.completedFuture(null);
    }

    private boolean isBehindOurBack() {
        return open.content().file() != null && open.plain.arePossible();
    }

    /** The handle is given up whatever happens. */
    public CompletableFuture<Void> close() {
        if (!handle.flags().write() || !open.isDirty()) {
            handle.release();
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> agreed =
                open.takeUnsure()
                        ? writes.agree(false, true)
                        : CompletableFuture.completedFuture(null);
        return agreed.thenCompose(done -> commit(true, false))
                .exceptionallyCompose(thrown -> {
                    // Before the caller can open it again: the replicas may differ from what is
                    // known of them, and from one another.
                    return handle.releaseUnsettled()
                            .thenCompose(heard -> CompletableFuture.failedFuture(thrown));
                });
    }

    private CompletableFuture<Void> commit(boolean close, boolean durable) {
        long until = wiring.clock().nanoTime() + wiring.session().deadline().toNanos();
        return open.commits.take(() -> commitInTurn(close, durable, until));
    }

    private CompletableFuture<Void> commitInTurn(boolean close, boolean durable, long until) {
        if (close && open.isCommitted()) {
            handle.release();
            return CompletableFuture.completedFuture(null);
        }
        return attempt(close, durable)
                .exceptionallyCompose(thrown -> {
                    FarmException failure = open.reason(FarmException.of(thrown, "commit", ""));
                    boolean over = wiring.clock().nanoTime() - until >= 0;
                    return failure.kind() == ErrorKind.STALE && !over
                            ? again(close, durable, until)
                            : CompletableFuture.failedFuture(failure);
                });
    }

    /**
     * The content has moved to other nodes, which are named instead, or another client has
     * committed since the size was asked for.
     */
    private CompletableFuture<Void> again(boolean close, boolean durable, long until) {
        CompletableFuture<Void> pause = new CompletableFuture<>();
        // Who collides once would collide again in step.
        long nanos = wiring.entropy().nextLong() & AGAIN_NANOS;
        wiring.clock().after(Duration.ofNanos(nanos), () -> pause.complete(null));
        return pause.thenCompose(done -> open.refresh(0))
                .thenCompose(done -> commitInTurn(close, durable, until));
    }

    private CompletableFuture<Void> attempt(boolean close, boolean durable) {
        // What the commit tells of the file's times must not be decided otherwise from here on.
        long changing = wiring.metadata().changing(handle.inode());
        return CompletableFuture.<Void>completedFuture(null)
                .thenCompose(begun -> taken(close, durable))
                .whenComplete((done, thrown) -> wiring.metadata().changed(changing));
    }

    private CompletableFuture<Void> taken(boolean close, boolean durable) {
        CommitContent.Builder alone = open.takeCommit(handle.id(), null);
        return alone != null
                ? send(alone, close, durable)
                : asked().thenCompose(asked -> {
                    CommitContent.Builder commit = open.takeCommit(handle.id(), asked);
                    return send(Objects.requireNonNull(commit), close, durable);
                });
    }

    /** With other writers about only the chain's head knows the size. */
    private CompletableFuture<KnownEnd.Told> asked() {
        long changes = open.changes();
        return wiring.metadata()
                .attributes(open.inode)
                .thenApply(found -> {
                    Attributes now = found.require("stat", "");
                    return new KnownEnd.Told(
                            now.getVersion(), changes, now.getSize(), WriteTimes.written(now));
                });
    }

    private CompletableFuture<Void> send(
            CommitContent.Builder content, boolean close, boolean durable) {
        CommitContent commit = content.setClose(close).setDurable(durable).build();
        return wiring.metadata()
                .commit(handle.who(), commit)
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        open.commitFailed(commit);
                        throw FarmException.of(thrown, "commit", "");
                    }
                    open.committed(commit, reply.getAttributes());
                    wiring.nodes().wrote(open.layoutNow());
                    return null;
                });
    }
}
