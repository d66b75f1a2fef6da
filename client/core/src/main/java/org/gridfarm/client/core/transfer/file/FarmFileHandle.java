package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.idle.KeptOpens;
import org.gridfarm.client.core.transfer.idle.RestingWriters;
import org.gridfarm.client.core.transfer.idle.Untold;
import org.gridfarm.client.core.transfer.local.LocalDisk;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.RefreshRequest;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** One open file: its rights; reading, writing and committing are done by rooms of their own. */
public final class FarmFileHandle implements FileHandle, RestingWriters.Writer, Untold.Reader {
    private static final int SET_ID = 06000;

    private final Wiring wiring;
    private final OpenInode open;
    private final long id;
    private final OpenFlags flags;
    private final Credentials who;
    private final HandleOwner owner;
    private final FileReads reads;
    private final FileWrites writes;
    private final FileCommit commit;
    private final OnTheSpot here;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile CompletableFuture<Void> endedBefore = // of who closed it last
            CompletableFuture.completedFuture(null);
    private volatile boolean kept;
    private volatile long keepableUntil; // on the clock
    private volatile @Nullable Attributes answered; // by its open; null: by a former process

    public FarmFileHandle(
            Wiring wiring,
            HandleOwner owner,
            OpenInode open,
            long id,
            OpenFlags flags,
            Credentials who) {
        this.wiring = wiring;
        this.owner = owner;
        this.open = open;
        this.id = id;
        this.flags = flags;
        this.who = who;
        this.reads = new FileReads(wiring, open, who.getUid());
        this.writes = new FileWrites(wiring, open);
        this.commit = new FileCommit(wiring, open, this);
        this.here = new OnTheSpot(open, this, reads);
        this.keepableUntil = wiring.clock().nanoTime() + KeptOpens.KEPT.toNanos();
    }

    /** The one that may most, if there is any: a refresh in its name serves all. */
    public static @Nullable FarmFileHandle strongest(Iterable<FarmFileHandle> handles) {
        FarmFileHandle best = null;
        for (FarmFileHandle handle : handles) {
            if (best == null || handle.strength() >= best.strength()) {
                best = handle;
            }
        }
        return best;
    }

    /** What writes counts for more; what is being closed the leader may have forgotten. */
    private int strength() {
        return (flags.write() ? 2 : 0) + (closed.get() ? 0 : 1);
    }

    @Override
    public long inode() {
        return open.inode;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public OpenFlags flags() {
        return flags;
    }

    @Override
    public Credentials who() {
        return who;
    }

    public OpenInode open() {
        return open;
    }

    public FileReads reads() {
        return reads;
    }

    @Override
    public DataMode mode() {
        return open.mode();
    }

    @Override
    public Attributes attributes() {
        return open.attributes();
    }

    @Override
    public CompletableFuture<Attributes> stat() {
        if (open.known(0, 1) >= 0) {
            return CompletableFuture.completedFuture(open.attributes());
        }
        return wiring.metadata()
                .attributes(open.inode)
                .thenApply(found -> {
                    Attributes now = found.require("stat", "");
                    open.sizeSeen(now.getSize());
                    return now;
                });
    }

    @Override
    public CompletableFuture<ByteBuf> read(long offset, int length) {
        if (!flags.read() && !flags.execute()) {
            return refused("read", "it was not opened for reading");
        }
        if (offset < 0 || length < 0 || length > TransferLimits.TRANSFER_BYTES_MAX) {
            return CompletableFuture.failedFuture(new FarmException(ErrorKind.INVALID, "read", ""));
        }
        return closed.get() ? refused("read", "it was closed") : reads.read(offset, length);
    }

    @Override
    public int readHere(long offset, ByteBuffer into) {
        boolean may = flags.read() && offset >= 0 && !closed.get();
        return may && isForThisThread() ? here.read(offset, into) : -1;
    }

    @Override
    public boolean writeHere(long offset, ByteBuffer from) {
        boolean may = flags.write() && !flags.append() && offset >= 0 && !closed.get();
        return may && isForThisThread() && here.write(offset, from);
    }

    @Override
    public boolean mayWriteHereSoon() {
        return isForThisThread() && here.isAwaited();
    }

    @Override
    public long sizeHere() {
        return isForThisThread() ? here.size() : -1;
    }

    /** There is a node on this host, and the thread may wait for its disks. */
    private boolean isForThisThread() {
        return !wiring.attached().name().isEmpty() && LocalDisk.mayWait();
    }

    /** There was no content when it was opened. */
    boolean beganEmpty() {
        Attributes then = answered;
        return then != null && then.getSize() == 0;
    }

    @Override
    public CompletableFuture<Void> write(long offset, ByteBuf bytes) {
        CompletableFuture<Void> refusal = refusalToWrite();
        if (refusal != null || offset < 0) {
            bytes.release();
            return refusal != null
                    ? refusal
                    : CompletableFuture.failedFuture(
                            new FarmException(ErrorKind.INVALID, "write", ""));
        }
        return noted(() -> writes.write(offset, bytes));
    }

    @Override
    public CompletableFuture<Long> append(ByteBuf bytes) {
        return append(bytes, 0);
    }

    @Override
    public CompletableFuture<Long> append(ByteBuf bytes, long number) {
        return appended(bytes, () -> writes.append(bytes, number));
    }

    @Override
    public CompletableFuture<Long> appendAgain(ByteBuf bytes, long number, long end) {
        SecondAppend again = new SecondAppend(wiring, open, reads, writes);
        return appended(bytes, () -> again.append(bytes, number, end));
    }

    private CompletableFuture<Long> appended(
            ByteBuf bytes, Supplier<CompletableFuture<Long>> append) {
        CompletableFuture<Void> refusal = refusalToWrite();
        if (refusal != null) {
            bytes.release();
            return refusal.thenApply(never -> 0L);
        }
        // Beside another handle its file may be the kernel's, and not back yet after a take-over.
        if (isForThisThread() && open.handles().size() == 1) here.begin(bytes.readableBytes());
        return noted(append);
    }

    @Override
    public CompletableFuture<Void> truncate(long size) {
        CompletableFuture<Void> refusal = refusalToWrite();
        return refusal != null ? refusal : noted(() -> writes.truncate(size));
    }

    @Override
    public CompletableFuture<Void> allocate(
            long offset, long length, boolean keepSize, boolean punchHole, boolean zeroRange) {
        CompletableFuture<Void> refusal = refusalToWrite();
        return refusal != null
                ? refusal
                : noted(() -> writes.allocate(offset, length, keepSize, punchHole, zeroRange));
    }

    @Override
    public CompletableFuture<Long> seek(long offset, boolean hole) {
        return stat().thenCompose(now -> new Holes(wiring, open).seek(offset, hole, now.getSize()));
    }

    @Override
    public CompletableFuture<Long> copyRange(
            FileHandle source, long sourceOffset, long offset, long length) {
        CompletableFuture<Void> refusal = refusalToWrite();
        if (refusal != null) {
            return refusal.thenApply(never -> 0L);
        }
        return noted(() ->
                source.stat()
                        .thenCompose(now -> {
                            long there =
                                    Math.max(0, Math.min(length, now.getSize() - sourceOffset));
                            return there == 0
                                    ? CompletableFuture.completedFuture(0L)
                                    : source.flush()
                                            .thenCompose(flushed ->
                                                    writes.copy(
                                                            source, sourceOffset, offset, there));
                        }));
    }

    @Override
    public CompletableFuture<Void> flush() {
        if (owner.mayRestSoon(this) || owner.mayCloseLater(this)) {
            owner.leaves(this);
            return CompletableFuture.completedFuture(null);
        }
        return open.chains.drained().thenCompose(done -> disk().call(this::flushed));
    }

    private CompletableFuture<Void> flushed() {
        CompletableFuture<Void> there = commit.leave(owner);
        return there == null ? commit.settle() : there.thenRun(() -> owner.leavesToCommit(this));
    }

    /** Whether the kernel has written the file shows at the file. */
    private LocalDisk disk() {
        return wiring.attached().disk();
    }

    @Override
    public CompletableFuture<Void> settle() {
        return open.chains.drained().thenCompose(done -> disk().call(commit::settle));
    }

    @Override
    public CompletableFuture<Void> sync() {
        return open.chains.drained().thenCompose(done -> disk().call(commit::sync));
    }

    @Override
    public CompletableFuture<Void> syncData() {
        return open.chains.drained().thenCompose(done -> disk().call(commit::syncData));
    }

    /** What is known is told to the metaserver. */
    public CompletableFuture<Void> committed() {
        return closed.get() ? CompletableFuture.completedFuture(null) : sync();
    }

    @Override
    public CompletableFuture<Void> close() {
        if (!closed.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(null);
        }
        return owner.ended(this);
    }

    @Override
    public CompletableFuture<Void> closeForGood() {
        return open.chains
                .drained()
                .thenCompose(done -> disk().call(commit::close))
                .handle((done, thrown) -> {
                    // Not before the commit: until then the node must know of local writing.
                    reads.close(thrown == null);
                    owner.closed(this);
                    if (!kept) {
                        ended.complete(null);
                    }
                    if (thrown != null) {
                        throw FarmException.of(thrown, "close", "");
                    }
                    return null;
                });
    }

    /**
     * The file was just created, and the metaserver has noted that it will be made of this; false
     * where it has not, or it cannot be.
     */
    public boolean begunWith(LocalReplica staged) {
        boolean begun =
                !open.limit.applies()
                        && open.isMadeOf(staged.file.staged())
                        && reads.begunWith(staged);
        if (begun) {
            open.grantedLocally(staged);
        }
        return begun;
    }

    @Override
    public CompletableFuture<@Nullable LocalFile> openLocalAgain(long staged, long wanted) {
        return granted(reads.openLocalAgain(staged, wanted), true);
    }

    @Override
    public CompletableFuture<@Nullable LocalFile> openLocal(boolean write) {
        if (write && open.limit.applies()) {
            return CompletableFuture.completedFuture(null); // the kernel would not ask for room
        }
        Content content = open.content();
        if (!write || content instanceof Content.Sent) {
            return granted(reads.openLocal(write), write);
        }
        return CompletableFuture.completedFuture(
                content instanceof Content.Whole whole && !whole.file().isLost()
                        ? whole.file().replica.fileNow()
                        : null);
    }

    @Override
    public CompletableFuture<@Nullable LocalFile> openLocalToChange() {
        return open.mayBeChangedLocally()
                ? openLocal(true)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<@Nullable LocalFile> openLocalForMappings() {
        LocalWriting there = open.content().file();
        return there != null
                ? CompletableFuture.completedFuture(there.replica.fileNow())
                : granted(reads.openLocalForMappings(), true);
    }

    private CompletableFuture<@Nullable LocalFile> granted(
            CompletableFuture<@Nullable LocalReplica> asked, boolean write) {
        return asked.thenApply(local -> {
            if (local != null && write) {
                open.grantedLocally(local);
            }
            return local == null ? null : local.file;
        });
    }

    @Override
    public CompletableFuture<@Nullable Path> idleLocally() {
        return disk().get(() -> {
            LocalWriting kernel = open.content().file();
            return kernel == null || kernel.isLost() ? null : kernel.replica.idlePath();
        });
    }

    @Override
    public CompletableFuture<Void> wroteLocally() {
        return disk().get(() -> {
            open.wroteLocally();
            return null;
        });
    }

    private @Nullable CompletableFuture<Void> refusalToWrite() {
        if (!flags.write()) {
            return refused("write", "it was not opened for writing");
        }
        return closed.get() ? refused("write", "it was closed") : null;
    }

    private static <T> CompletableFuture<T> refused(String operation, String why) {
        return CompletableFuture.failedFuture(
                new FarmException(ErrorKind.BAD_HANDLE, operation, "", why));
    }

    /** Of a failed change something may have been done. Its caller is told, and once. */
    private <T> CompletableFuture<T> noted(Supplier<CompletableFuture<T>> change) {
        open.changing(1);
        return change.get()
                .whenComplete((done, thrown) -> {
                    open.changing(-1);
                    if (thrown != null) {
                        open.writeFailed();
                    }
                });
    }

    /**
     * The leader has it open again. The chain of a writer is not replaced by what a reader may use.
     */
    public void reclaimed(OpenReply reply) {
        if (flags.write() || !open.hasWriter()) {
            open.refreshed(reply);
        }
    }

    @Override
    public CompletableFuture<Void> tellLeader() {
        return wiring.session()
                .leader(
                        MetadataMethods.REFRESH,
                        () -> refreshRequest(0).setReclaim(true).build(),
                        wiring.session().deadline())
                .thenAccept(this::reclaimed);
    }

    /** For new tickets and the present chain, with room up to that size. */
    public RefreshRequest.Builder refreshRequest(long wantedSize) {
        return AtLeader.refreshRequest(wiring, this, open.generationKnown(), wantedSize);
    }

    /** See {@link HandleOwner#closesOver}. */
    CompletableFuture<Void> closesOver() {
        return owner.closesOver(open.inode);
    }

    /** See {@link HandleOwner#told}. */
    CompletableFuture<Void> told() {
        return owner.told(this);
    }

    public void release() {
        kept = owner.release(this);
    }

    /** When what its open was answered is too old to be used for another open. */
    public long keepableUntil() {
        return keepableUntil;
    }

    /** It was opened by an earlier open's answer. */
    public void keepableUntil(long until) {
        keepableUntil = until;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public void goesOn() {
        endedBefore = ended;
        ended = new CompletableFuture<>();
        closed.set(false);
    }

    @Override
    public void noted() {
        endedBefore.complete(null);
    }

    public void answered(Attributes attributes) {
        answered = attributes;
    }

    /** Whoever could open it could open it now. */
    public boolean hasRightsAsIn(Attributes now) {
        Attributes then = answered;
        return then != null
                && now.getMode() == then.getMode()
                && now.getUid() == then.getUid()
                && now.getGid() == then.getGid()
                && (now.getMode() & SET_ID) == 0
                && !now.getHasAcl()
                && !now.getHasCapability();
    }

    public CompletableFuture<Void> releaseUnsettled() {
        return owner.releaseUnsettled(this);
    }
}
