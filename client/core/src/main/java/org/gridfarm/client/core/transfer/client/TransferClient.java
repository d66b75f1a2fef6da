package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.metadata.MetadataClient;
import org.gridfarm.client.core.metadata.RecallListener;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.client.core.session.SessionKeeper;
import org.gridfarm.client.core.session.Turns;
import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.RestoredFile;
import org.gridfarm.client.core.transfer.Transfer;
import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.FileWrites;
import org.gridfarm.client.core.transfer.file.OpenInode;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.gridfarm.client.core.transfer.idle.Along;
import org.gridfarm.client.core.transfer.idle.KeptOpens;
import org.gridfarm.client.core.transfer.idle.Releases;
import org.gridfarm.client.core.transfer.idle.RestingWriters;
import org.gridfarm.client.core.transfer.idle.Untold;
import org.gridfarm.client.core.transfer.local.AttachedNode;
import org.gridfarm.client.core.transfer.local.LocalDisk;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.MakeTemporary;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.gridfarm.protocol.wire.StagedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The {@link Transfer} of a live session: opens files, and keeps those that are open in step with
 * recalls and with the session. Thread-safe.
 */
public final class TransferClient
        implements Transfer, RecallListener, SessionKeeper, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TransferClient.class);

    /**
     * From a recall to its answer, as far as that waits for closes. The metaserver ends a session
     * that has not answered for 5 s, and what it has open is lost: a node that does not answer must
     * not cost that.
     */
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(3);

    private final Wiring wiring;
    private final Releases releases;
    private final Untold untold;
    private final KeptOpens kept;
    private final RestingWriters resting;
    private final OpenInodes open; // its lock makes several steps one
    private final HandleEnds ends;
    private final NewHandles handles;
    private final StagedStarts staged;
    private final Reclaims reclaims;
    private final StableStorage storage;
    private final OpenSizes sizes;

    /**
     * @param attached name of the storage node on this host whose replicas are read as plain files;
     *     empty: none
     * @param data below which it may name them; empty: in any data directory
     */
    public TransferClient(
            FarmSession session,
            MetadataClient metadata,
            Nodes nodes,
            Clock clock,
            Entropy entropy,
            String attached,
            List<Path> data) {
        wiring =
                new Wiring(
                        session,
                        metadata,
                        nodes,
                        clock,
                        entropy,
                        AttachedNode.of(attached, data, nodes, clock),
                        new Semaphore(TransferLimits.AHEAD_CHUNKS_TOTAL),
                        new AtomicLong(Wiring.fencesBefore(session)),
                        new Turns(TransferLimits.RECLAIMED_AT_ONCE));
        releases = new Releases(session, clock);
        untold = new Untold(releases);
        kept = new KeptOpens(releases, clock);
        resting = new RestingWriters(clock);
        metadata.along(new Along(kept, resting));
        open = new OpenInodes(wiring);
        ends = new HandleEnds(wiring, open, untold, releases, kept, resting);
        handles = new NewHandles(wiring, open, ends, untold);
        staged = new StagedStarts(wiring);
        sizes = new OpenSizes(nodes, open, wiring.attached()::localCalls, wiring.attached().disk());
        reclaims = new Reclaims(wiring, sizes);
        storage = new StableStorage(session, nodes);
        metadata.sizesFrom(sizes);
        metadata.onRecall(this);
        session.keep(this);
    }

    /** Said once, before files are opened. */
    public void localCallsBy(LocalCalls calls) {
        wiring.attached().calls().set(calls);
    }

    // ---- opening
    // ------------------------------------------------------------------------------------------------------------------------

    @Override
    public CompletableFuture<FileHandle> open(Credentials who, long inode, OpenFlags flags) {
        FarmFileHandle again = openedAgain(who, inode, flags);
        if (again != null) {
            return CompletableFuture.completedFuture(again);
        }
        OpenNumbers numbers = handles.numbers(flags);
        return openedWhenLeft(who, inode, flags, numbers)
                .whenComplete((file, thrown) -> handles.over(numbers));
    }

    private CompletableFuture<FileHandle> openedWhenLeft(
            Credentials who, long inode, OpenFlags flags, OpenNumbers numbers) {
        CompletableFuture<Void> left = resting.leaving(inode);
        return left == null
                ? openedAlone(who, inode, flags, numbers)
                : left.thenCompose(done -> {
                    FarmFileHandle come = openedAgain(who, inode, flags);
                    return come == null
                            ? openedAlone(who, inode, flags, numbers)
                            : CompletableFuture.completedFuture(come);
                });
    }

    private CompletableFuture<FileHandle> openedAlone(
            Credentials who, long inode, OpenFlags flags, OpenNumbers numbers) {
        return resting.endToOpen(inode)
                .thenCompose(done -> {
                    if (flags.write()) {
                        return untold.tell(List.of(inode))
                                .thenCompose(told -> asked(who, inode, flags, numbers));
                    }
                    FarmFileHandle own = handles.openedByOwn(who, inode, flags, numbers);
                    return own == null
                            ? asked(who, inode, flags, numbers)
                            : CompletableFuture.completedFuture(own);
                });
    }

    private CompletableFuture<FileHandle> asked(
            Credentials who, long inode, OpenFlags flags, OpenNumbers numbers) {
        return flags.local() // then a staged file is opened on the way
                ? disk().call(() -> openedAnew(who, inode, flags, numbers))
                : openedAnew(who, inode, flags, numbers);
    }

    private LocalDisk disk() {
        return wiring.attached().disk();
    }

    private CompletableFuture<FileHandle> openedAnew(
            Credentials who, long inode, OpenFlags flags, OpenNumbers numbers) {
        if (flags.write()) {
            // Ahead of the open, which would find the file in use.
            var unused = kept.closeNow(kept.remove(inode));
        }
        OpenRequest.Builder request = handles.request(who, flags, numbers).setInode(inode);
        StagedFile offered = staged.offer(who, request, flags);
        long handle = numbers.handle();
        boolean isOpen = open.hold(inode);
        long change = flags.truncate() ? wiring.metadata().changing(inode) : 0;
        CompletableFuture<OpenReply> asked =
                wiring.session().leader(MetadataMethods.OPEN, request.build());
        LocalReplica local = staged.opened(who, offered); // meanwhile
        return asked.handle(
                        (reply, thrown) -> {
                            handles.over(numbers);
                            wiring.metadata()
                                    .changed(change, thrown == null ? reply.getAttributes() : null);
                            if (thrown != null) {
                                staged.notUsed(local);
                                throw notOpened(handle, FarmException.of(thrown, "open", ""))
                                        .about("open", "inode " + Long.toHexString(inode));
                            }
                            return new Opened(
                                    staged.begun(handles.opened(who, handle, flags, reply), local),
                                    isOpen || !reply.getEmptied());
                        })
                .whenComplete((file, thrown) -> open.letGo(inode))
                .thenCompose(opened -> truncated(opened, flags));
    }

    /** What was read and closed a moment ago, and is as it was then; null: it is to be opened. */
    private @Nullable FarmFileHandle openedAgain(Credentials who, long inode, OpenFlags flags) {
        return flags.write() ? writtenAgain(who, inode, flags) : readAgain(who, inode, flags);
    }

    private @Nullable FarmFileHandle writtenAgain(Credentials who, long inode, OpenFlags flags) {
        Attributes now = wiring.metadata().leasedAttributes(inode);
        if (now == null) {
            return null;
        }
        synchronized (open) { // a recall finds it resting or open
            OpenInode shared = open.find(inode);
            return shared != null && shared.plain.mayRest()
                    ? (FarmFileHandle) resting.take(inode, who, flags, now.getVersion())
                    : null;
        }
    }

    private @Nullable FarmFileHandle readAgain(Credentials who, long inode, OpenFlags flags) {
        Attributes now = wiring.metadata().cachedAttributes(inode);
        if (now == null) {
            return null;
        }
        synchronized (open) { // a recall finds it kept or open
            KeptOpens.Kept found = kept.take(inode, who, flags, now.getVersion());
            if (found == null) {
                return null;
            }
            OpenReply reply = found.reply().toBuilder().setAttributes(now).build();
            FarmFileHandle handle = handles.opened(who, found.handle(), flags, reply);
            handle.keepableUntil(found.until());
            return handle;
        }
    }

    @Override
    public CompletableFuture<FileHandle> create(
            Credentials who,
            long parent,
            Name name,
            int mode,
            int umask,
            boolean exclusive,
            OpenFlags flags) {
        return flags.local()
                ? disk().call(() -> made(who, parent, name, mode, umask, exclusive, flags))
                : made(who, parent, name, mode, umask, exclusive, flags);
    }

    private CompletableFuture<FileHandle> made(
            Credentials who,
            long parent,
            Name name,
            int mode,
            int umask,
            boolean exclusive,
            OpenFlags flags) {
        OpenRequest.Builder wish = handles.request(who, flags);
        StagedFile offered = staged.offer(who, wish, flags);
        OpenRequest request = wish.build();
        CreateFile file =
                CreateFile.newBuilder()
                        .setParent(parent)
                        .setName(com.google.protobuf.ByteString.copyFrom(name.bytes()))
                        .setMode(mode)
                        .setUmask(umask)
                        .setExclusive(exclusive)
                        .setOpen(request)
                        .build();
        CompletableFuture<MutateReply> made = wiring.metadata().create(who, file);
        LocalReplica local = staged.opened(who, offered); // meanwhile
        return made.handle(
                        (reply, thrown) -> {
                            if (thrown != null) {
                                staged.notUsed(local);
                                throw notOpened(
                                        request.getHandle(),
                                        FarmException.of(thrown, "create", name.toString()));
                            }
                            return new Opened(
                                    staged.begun(
                                            handles.opened(
                                                    who,
                                                    request.getHandle(),
                                                    flags,
                                                    withAttributes(
                                                            reply.getOpened(),
                                                            reply.getAttributes())),
                                            local),
                                    !reply.getOpened().getEmptied());
                        })
                .thenCompose(opened -> truncated(opened, flags));
    }

    @Override
    public CompletableFuture<FileHandle> temporary(
            Credentials who, long directory, int mode, int umask, OpenFlags flags) {
        OpenRequest request = handles.request(who, flags).build();
        MakeTemporary file =
                MakeTemporary.newBuilder()
                        .setDirectory(directory)
                        .setMode(mode)
                        .setUmask(umask)
                        .setOpen(request)
                        .build();
        return wiring.metadata()
                .temporary(who, file)
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        throw notOpened(
                                request.getHandle(), FarmException.of(thrown, "create", ""));
                    }
                    return handles.opened(
                            who,
                            request.getHandle(),
                            flags,
                            withAttributes(reply.getOpened(), reply.getAttributes()));
                });
    }

    /** The leader may have opened it all the same: the answer was lost, or came too late. */
    private FarmException notOpened(long handle, FarmException failure) {
        if (failure.kind().retry() != Retry.NEVER) {
            releases.release(handle);
        }
        return failure;
    }

    private static OpenReply withAttributes(OpenReply opened, Attributes attributes) {
        return opened.hasAttributes()
                ? opened
                : opened.toBuilder().setAttributes(attributes).build();
    }

    /**
     * What the metaserver has opened.
     *
     * @param mayHoldMore the metaserver has not emptied it, or it was open here when that was
     *     asked; it may have been closed since, and what it wrote is in no answer
     */
    private record Opened(FarmFileHandle handle, boolean mayHoldMore) {}

    /** With other openers about, the metaserver leaves it to the writer to empty the objects. */
    private CompletableFuture<FileHandle> truncated(Opened opened, OpenFlags flags) {
        FarmFileHandle handle = opened.handle;
        if (flags.truncate()) {
            // The open may have changed them, and a change of our own is not recalled from us.
            wiring.metadata().forgetBefore(handle.attributes());
        }
        boolean toDo =
                flags.truncate()
                        && (opened.mayHoldMore
                                || handle.attributes().getSize() != 0
                                || handle.mode() == DataMode.WRITE_SHARED
                                || handle.open().handles().size() > 1);
        return toDo
                ? handle.truncate(0)
                        .<FileHandle>thenApply(done -> handle)
                        .exceptionallyCompose(handle::closedFor)
                : CompletableFuture.completedFuture(handle);
    }

    @Override
    public CompletableFuture<Attributes> truncate(Credentials who, long inode, long size) {
        OpenFlags flags = size == 0 ? OpenFlags.WRITE.truncating() : OpenFlags.WRITE;
        return open(who, inode, flags)
                .thenCompose(handle -> {
                    CompletableFuture<Void> cut =
                            size == 0
                                    ? CompletableFuture.completedFuture(null)
                                    : handle.truncate(size);
                    return cut.handle((done, thrown) ->
                                    handle.close()
                                            .thenApply(closed -> {
                                                if (thrown != null) {
                                                    throw FarmException.of(thrown, "truncate", "");
                                                }
                                                return handle.attributes();
                                            }))
                            .thenCompose(attributes -> attributes);
                });
    }

    /**
     * To be called before the session is opened; {@link #reopened} then brings the file back.
     *
     * @param generation of its content, as it was known
     * @param leaving the file is only to be closed, and may have been already
     */
    public RestoredFile restore(
            Credentials who,
            long inode,
            long id,
            OpenFlags flags,
            int generation,
            boolean leaving) {
        synchronized (open) {
            OpenInode shared = open.ofInode(inode);
            FarmFileHandle handle = new FarmFileHandle(wiring, ends, shared, id, flags, who);
            shared.restore(handle, generation);
            return new RestoredFile(handle, reclaims.restored(handle, leaving));
        }
    }

    @Override
    public @Nullable Attributes openAttributes(long inode) {
        OpenInode shared = open.find(inode);
        return shared != null && shared.writesAlone() ? shared.attributes() : null;
    }

    @Override
    public CompletableFuture<Void> settled() {
        return resting.endAll().thenCompose(done -> wiring.metadata().durable());
    }

    @Override
    public CompletableFuture<Void> stored() {
        return settled().thenCompose(done -> storage.force());
    }

    /** See {@link org.gridfarm.client.core.metadata.OwnDecisions.Client#writtenAt}. */
    public OptionalLong writtenAt(long inode) {
        return sizes.writtenAt(inode);
    }

    /**
     * Whether a handle of this process is on it, closed by its program or not. Waits for nobody.
     */
    public boolean isOpen(long inode) {
        return open.has(inode);
    }

    /** See {@link org.gridfarm.client.core.metadata.OwnDecisions.Client#modificationTimeSet}. */
    public void modificationTimeSet(long inode, long written) {
        OpenInode shared = open.find(inode);
        if (shared != null) {
            shared.modificationTimeSet(written);
        }
    }

    /** Whether the leader may not know that this client has it open. Waits for nobody. */
    public boolean isUntold(long inode) {
        return untold.has(inode);
    }

    /** Completes when the leader knows of all that is open on them. */
    public CompletableFuture<Void> tell(Collection<Long> inodes) {
        return untold.tell(inodes);
    }

    /** What the leader says of a file that this client has opened by a decision of its own. */
    public void opened(long handle, OpenReply reply) {
        OpenInode shared = open.find(reply.getAttributes().getInode());
        if (shared != null && shared.handles().stream().anyMatch(h -> h.id() == handle)) {
            shared.refreshed(reply);
        }
    }

    // ---- recalls
    // --------------------------------------------------------------------------------------------------------------------------

    @Override
    public CompletionStage<Void> recalled(RecallRequest recall, List<RecalledDirectory> changed) {
        long began = wiring.clock().nanoTime();
        // It has changed, or is gone and takes space as long as it is open.
        recall.getAttributesList().forEach(kept::giveUp);
        recall.getAttributesList().forEach(resting::end);
        List<CompletableFuture<Void>> flushed = new ArrayList<>();
        for (DataRecall data : recall.getDataList()) {
            if (data.getPrivileges()) {
                continue;
            }
            OpenInode shared;
            KeptOpens.Kept given;
            synchronized (open) { // nothing that was opened before is kept from now on
                shared = open.find(data.getInode());
                if (shared != null) {
                    shared.recalled(data.getMode(), data.getLayout());
                }
                given = kept.remove(data.getInode());
            }
            flushed.add(kept.closeNow(given));
            if (shared != null && isOfItsChain(data)) {
                shared.filling.chainChanged(); // what is cached stays good: nobody waits
            } else if (shared != null) {
                flushed.add(
                        lower(shared, data)
                                .thenCompose(done -> told(shared, data, leftSince(began)))
                                .thenCompose(
                                        done -> resting.end(data.getInode(), leftSince(began))));
            }
        }
        return CompletableFuture.allOf(flushed.toArray(CompletableFuture<?>[]::new));
    }

    /** Only where it lies has changed, perhaps because a node cannot be asked for anything. */
    private static boolean isOfItsChain(DataRecall data) {
        return data.getMode() == DataMode.DATA_MODE_UNSPECIFIED && data.getLayout();
    }

    private Duration leftSince(long began) {
        return ANSWERED_WITHIN.minusNanos(wiring.clock().nanoTime() - began);
    }

    /** Whoever sets the times is to find what was written here committed. */
    private CompletableFuture<Void> told(OpenInode shared, DataRecall data, Duration most) {
        FarmFileHandle writer =
                data.getWritten() ? FarmFileHandle.strongest(shared.handles()) : null;
        return writer == null
                ? CompletableFuture.completedFuture(null)
                : resting.told(writer, most);
    }

    /**
     * What was cached goes, what is being written arrives, what was written behind the node's back
     * is shipped; then the recall is answered. What could not be shipped now is told to whoever
     * syncs or closes the file, as long as there is one: the recall is answered all the same.
     */
    private CompletableFuture<Void> lower(OpenInode shared, DataRecall data) {
        if (data.getMode() == DataMode.DATA_MODE_UNSPECIFIED) {
            return CompletableFuture.completedFuture(null); // what is cached stays good
        }
        shared.handles().forEach(handle -> handle.reads().drop());
        return CompletableFuture.allOf(
                        shared.reservedEnded(), shared.plain.ended(), shared.chains.drained())
                .thenCompose(done -> disk().call(() -> agreed(shared)))
                .handle((done, thrown) -> {
                    shared.lowered();
                    if (thrown != null) {
                        log.warn(
                                "what was written to inode {} is not at all its nodes yet: {}",
                                Long.toHexString(shared.inode),
                                FarmException.of(thrown, "write", "").getMessage());
                    }
                    return null;
                });
    }

    private CompletableFuture<Void> agreed(OpenInode shared) {
        return shared.takeUnsure()
                ? new FileWrites(wiring, shared).agree(false, false)
                : CompletableFuture.completedFuture(null);
    }

    // ---- the session
    // ------------------------------------------------------------------------------------------------------------------------

    @Override
    public void dropCaches() {
        kept.giveUpAll();
        open.all().forEach(shared -> shared.handles().forEach(handle -> handle.reads().drop()));
    }

    @Override
    public CompletionStage<Void> reopened(LeaderCalls calls, boolean lost) {
        kept.giveUpAll(); // a new leader does not know of them
        List<OpenInode> all;
        synchronized (open) {
            untold.clear();
            all = open.all();
        }
        return reclaims.all(all, calls, lost);
    }

    @Override
    public void close() {
        wiring.nodes().close();
    }
}
