package org.gridfarm.client.core.metadata;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.cache.LeasedCache;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.client.core.session.SessionKeeper;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The {@link Metadata} of a live session. Reads are in {@link CachedReads}, mutations in {@link
 * Mutations}; this class joins them with the session's life: recalls, fail-over, locks.
 */
public final class MetadataClient implements Metadata, SessionKeeper {
    private final FarmSession session;
    private final LeasedCache cache;
    private final Recalls recalls;
    private final CachedReads reads;
    private final Mutations mutations;
    private final Locks locks;

    /**
     * @param cacheBytes bound of the cache of names and attributes
     */
    public MetadataClient(FarmSession session, Clock clock, long cacheBytes) {
        this.session = session;
        cache = new LeasedCache(cacheBytes);
        recalls = new Recalls(cache);
        reads = new CachedReads(session, cache);
        mutations = new Mutations(session, cache, new Sequences(session.inheritance(), clock));
        locks = new Locks(session);
        session.keep(this);
    }

    /**
     * Where the size of a file that is being written comes from; set once, before the first call.
     */
    public void sizesFrom(SizeSource source) {
        reads.sizesFrom(source);
        mutations.sizesFrom(source);
    }

    /** Something that is no mutation has changed them to this: what is cached of before goes. */
    public void forgetBefore(Attributes now) {
        Attributes leased = leasedAttributes(now.getInode());
        if (leased != null && leased.getVersion() < now.getVersion()) {
            cache.recallAttributes(now.getInode());
        }
    }

    /** What goes along with changes; set once, before the first call. */
    public void along(GivenUp handles) {
        mutations.along(handles);
    }

    /** For whoever sends numbered requests of its own (opens). */
    public Sequences sequences() {
        return mutations.sequences();
    }

    /**
     * Answers {@code RECALL}: completes when everything named is gone from here and from the
     * listeners.
     */
    public CompletableFuture<Empty> recalled(RecallRequest recall) {
        return mutations
                .own()
                .recalled(recall)
                .thenCompose(done -> recalls.recall(recall))
                .thenApply(done -> Empty.getDefaultInstance());
    }

    /** What this client decides by itself; set once, before the first call. */
    public void decidesBy(OwnDecisions decisions) {
        mutations.decidesBy(decisions);
        session.first(decisions::told);
    }

    /**
     * The leader is about to be asked for something else than a command that changes the inode; for
     * {@link #changed}.
     */
    public long changing(long inode) {
        return mutations.own().asks(inode);
    }

    /** How the inode stands after such a call; null: that is not known. */
    public void changed(long changing, @Nullable Attributes now) {
        if (changing != 0) mutations.own().answered(changing, now);
    }

    /** All such calls are over, and have told how the inode stands. */
    public void changed(long changing) {
        if (changing != 0) mutations.own().over(changing);
    }

    /** See {@link OwnDecisions#opened}. */
    public <T> @Nullable T openedHere(
            Credentials who, long inode, boolean runs, Function<Attributes, @Nullable T> opens) {
        return mutations.own().opened(who, inode, runs, opens);
    }

    /** Keeps what is known of it as if a server had granted it. */
    public void given(GivenDirectory given, long[] before) {
        Map<Name, Long> entries = new HashMap<>();
        for (DirentImage entry : given.entries()) {
            entries.put(Name.of(entry.getName().toByteArray()), entry.getInode());
        }
        cache.fillGiven(before, given.directory(), entries);
        for (Attributes file : given.files()) cache.fillMade(before, file);
    }

    /** Forgets what is named, here and with the listeners, as if a server had recalled it. */
    public CompletableFuture<Void> forget(RecallRequest all) {
        return recalls.recall(all);
    }

    @Override
    public CompletableFuture<Void> durable() {
        CompletableFuture<Void> told = mutations.own().told();
        return told == null ? CompletableFuture.completedFuture(null) : told;
    }

    /** Cache hits and misses so far, for metrics. */
    public LeasedCache cache() {
        return cache;
    }

    @Override
    public void dropCaches() {
        recalls.everything();
    }

    @Override
    public CompletionStage<Void> reopened(LeaderCalls calls, boolean lost) {
        return locks.reopened(calls, lost);
    }

    @Override
    public long root() {
        return session.root();
    }

    @Override
    public long session() {
        return session.id();
    }

    @Override
    public Credentials self() {
        return session.self();
    }

    // ---- reads

    @Override
    public @Nullable Attributes cachedAttributes(long inode) {
        return reads.cachedAttributes(inode);
    }

    @Override
    public @Nullable Attributes leasedAttributes(long inode) {
        return reads.leasedAttributes(inode);
    }

    @Override
    public boolean isListed(long directory) {
        return reads.isListed(directory);
    }

    @Override
    public boolean isTold(long directory, Name name) {
        return cache.isTold(directory, name);
    }

    @Override
    public @Nullable Attributes cachedLookup(long parent, Name name) {
        return reads.cachedLookup(parent, name);
    }

    @Override
    public long recallStamp() {
        return recalls.stamp();
    }

    @Override
    public long leaseNanosLeft() {
        return session.leaseNanosLeft();
    }

    @Override
    public CompletableFuture<Found> lookup(Credentials who, long parent, Name name) {
        return reads.lookup(who, parent, name);
    }

    @Override
    public CompletableFuture<Found> attributes(long inode) {
        return reads.attributes(inode);
    }

    @Override
    public CompletableFuture<Found> attributesByNumber(long inode) {
        return attributes(inode)
                .exceptionallyCompose(thrown -> {
                    FarmException failure = FarmException.of(thrown, "stat", "");
                    return failure.kind() == ErrorKind.STALE && session.mayAssert()
                            ? found(inode).thenCompose(done -> attributes(inode))
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletableFuture<Empty> found(long inode) {
        return session.leader(
                MetadataMethods.FIND_NUMBER,
                () ->
                        FindNumberRequest.newBuilder()
                                .setSession(session.id())
                                .setInode(inode)
                                .build(),
                session.deadline());
    }

    @Override
    public CompletableFuture<ResolveReply> resolve(
            Credentials who, long start, ByteString path, boolean followLast) {
        return reads.resolve(who, start, path, followLast);
    }

    @Override
    public CompletableFuture<DirectoryPage> list(
            Credentials who, long directory, long cookie, int limit, boolean withAttributes) {
        return reads.list(who, directory, cookie, limit, withAttributes);
    }

    @Override
    public CompletableFuture<ByteString> readLink(long inode) {
        return reads.ask(
                        MetadataMethods.READ_LINK,
                        () ->
                                ReadLinkRequest.newBuilder()
                                        .setSession(session.id())
                                        .setInode(inode)
                                        .build(),
                        "readlink",
                        inode)
                .thenApply(ReadLinkReply::getTarget);
    }

    @Override
    public CompletableFuture<ByteString> getXattr(Credentials who, long inode, ByteString name) {
        GetXattrRequest.Builder request =
                GetXattrRequest.newBuilder().setCredentials(who).setInode(inode).setName(name);

        return reads.ask(
                        MetadataMethods.GET_XATTR,
                        () -> request.setSession(session.id()).build(),
                        "getxattr",
                        inode)
                .thenApply(GetXattrReply::getValue);
    }

    @Override
    public CompletableFuture<List<ByteString>> listXattr(Credentials who, long inode) {
        ListXattrRequest.Builder request =
                ListXattrRequest.newBuilder().setCredentials(who).setInode(inode);

        return reads.ask(
                        MetadataMethods.LIST_XATTR,
                        () -> request.setSession(session.id()).build(),
                        "listxattr",
                        inode)
                .thenApply(ListXattrReply::getNamesList);
    }

    @Override
    public CompletableFuture<StatFsReply> statFs(long inode) {
        // Space is on the nodes, and only the leader hears from them.
        StatFsRequest.Builder request = StatFsRequest.newBuilder().setInode(inode);
        return session.leader(
                        MetadataMethods.STAT_FS,
                        () -> request.setSession(session.id()).build(),
                        session.deadline())
                .exceptionallyCompose(thrown ->
                        CompletableFuture.failedFuture(
                                FarmException.of(thrown, "statfs", Long.toHexString(inode))));
    }

    @Override
    public CompletableFuture<LocateReply> locate(Credentials who, long inode, boolean tickets) {
        LocateRequest request =
                LocateRequest.newBuilder()
                        .setSession(session.id())
                        .setCredentials(who)
                        .setInode(inode)
                        .setTickets(tickets)
                        .build();
        // Only the leader hears the nodes' heartbeats, so only it knows which replicas can be read.
        return session.leader(MetadataMethods.LOCATE, request)
                .exceptionallyCompose(thrown ->
                        CompletableFuture.failedFuture(
                                FarmException.of(thrown, "locate", Long.toHexString(inode))));
    }

    @Override
    public CompletableFuture<Void> accessed(Collection<Access> accesses) {
        AccessedRequest.Builder request = AccessedRequest.newBuilder().addAllAccesses(accesses);
        Map<Long, Long> stamps = new HashMap<>();
        Map<Long, Long> asked = new HashMap<>();
        for (Access access : accesses) {
            asked.computeIfAbsent(access.getInode(), this::changing);
            stamps.put(access.getInode(), cache.attributesStamp(access.getInode()));
        }
        return session.leader(
                        MetadataMethods.ACCESSED,
                        () -> request.setSession(session.id()).build(),
                        session.deadline())
                .handle((reply, thrown) -> {
                    if (thrown == null) {
                        for (Attributes now : reply.getChangedList()) {
                            Long change = asked.remove(now.getInode());
                            if (change != null) changed(change, now);
                            Long stamp = stamps.remove(now.getInode());
                            if (stamp != null) {
                                cache.changedAttributes(stamp, now);
                            }
                        }
                    }
                    // Of the others nothing is known: an answer may have been lost before this one.
                    stamps.keySet().forEach(cache::recallAttributes);
                    asked.values().forEach(change -> changed(change, null));
                    if (thrown != null) {
                        throw FarmException.of(thrown, "accessed", "");
                    }
                    return null;
                });
    }

    // ---- mutations

    @Override
    public CompletableFuture<MutateReply> create(Credentials who, CreateFile file) {
        return mutations.create(who, file);
    }

    @Override
    public CompletableFuture<MutateReply> temporary(Credentials who, MakeTemporary file) {
        return mutations.plain(
                who, "create", Failures.subject(file.getDirectory()), m -> m.setTemporary(file));
    }

    @Override
    public CompletableFuture<MutateReply> mkdir(
            Credentials who, long parent, Name name, int mode, int umask) {
        MakeDirectory made =
                MakeDirectory.newBuilder()
                        .setParent(parent)
                        .setName(Mutations.bytes(name))
                        .setMode(mode)
                        .setUmask(umask)
                        .build();
        MakeDirectory wished = mutations.own().wished(made);
        return mutations.entry(who, "mkdir", parent, name, m -> m.setMkdir(wished));
    }

    @Override
    public CompletableFuture<MutateReply> symlink(
            Credentials who, long parent, Name name, ByteString target) {
        MakeSymlink made =
                MakeSymlink.newBuilder()
                        .setParent(parent)
                        .setName(Mutations.bytes(name))
                        .setTarget(target)
                        .build();
        return mutations.entry(who, "symlink", parent, name, m -> m.setSymlink(made));
    }

    @Override
    public CompletableFuture<MutateReply> mknod(
            Credentials who, long parent, Name name, int mode, int umask, FileType type, int rdev) {
        MakeNode made =
                MakeNode.newBuilder()
                        .setParent(parent)
                        .setName(Mutations.bytes(name))
                        .setMode(mode)
                        .setUmask(umask)
                        .setType(type)
                        .setRdev(rdev)
                        .build();
        return mutations.entry(who, "mknod", parent, name, m -> m.setMknod(made));
    }

    @Override
    public CompletableFuture<MutateReply> link(
            Credentials who, long inode, long parent, Name name) {
        return mutations.link(who, inode, parent, name);
    }

    @Override
    public CompletableFuture<MutateReply> unlink(Credentials who, long parent, Name name) {
        return mutations.remove(who, parent, name, false);
    }

    @Override
    public CompletableFuture<MutateReply> rmdir(Credentials who, long parent, Name name) {
        return mutations.remove(who, parent, name, true);
    }

    @Override
    public CompletableFuture<MutateReply> rename(
            Credentials who,
            long parent,
            Name name,
            long toParent,
            Name toName,
            Set<RenameFlag> flags) {
        Rename rename =
                Rename.newBuilder()
                        .setParent(parent)
                        .setName(Mutations.bytes(name))
                        .setToParent(toParent)
                        .setToName(Mutations.bytes(toName))
                        .setNoReplace(flags.contains(RenameFlag.NO_REPLACE))
                        .setExchange(flags.contains(RenameFlag.EXCHANGE))
                        .setWhiteout(flags.contains(RenameFlag.WHITEOUT))
                        .build();
        return mutations.rename(who, rename, name, toName);
    }

    @Override
    public CompletableFuture<MutateReply> setAttributes(Credentials who, SetAttributes change) {
        return mutations.setAttributes(who, change);
    }

    @Override
    public CompletableFuture<MutateReply> setXattr(Credentials who, SetXattr change) {
        return mutations.inode(who, "setxattr", change.getInode(), m -> m.setSetXattr(change));
    }

    @Override
    public CompletableFuture<MutateReply> removeXattr(
            Credentials who, long inode, ByteString name) {
        RemoveXattr change = RemoveXattr.newBuilder().setInode(inode).setName(name).build();
        return mutations.inode(who, "removexattr", inode, m -> m.setRemoveXattr(change));
    }

    @Override
    public CompletableFuture<MutateReply> setPolicy(Credentials who, SetPolicy policy) {
        return mutations.inode(who, "set policy", policy.getInode(), m -> m.setSetPolicy(policy));
    }

    /** Records the content of an open file; see {@code CommitContent}. */
    public CompletableFuture<MutateReply> commit(Credentials who, CommitContent commit) {
        return mutations.inode(who, "commit", commit.getInode(), m -> m.setCommit(commit));
    }

    /** The server granted the attributes that came with an open. */
    public void opened(OpenReply reply, long[] stamps) {
        if (reply.getCacheable() && !reply.getAttributes().getWriting()) {
            cache.fillAttributes(stamps, reply.getAttributes());
        }
    }

    // ---- locks and recalls

    @Override
    public CompletableFuture<LockReply> lock(LockRequest request) {
        return locks.lock(request);
    }

    @Override
    public int lockedRanges(long inode, long owner, boolean flock) {
        return locks.ranges(inode, owner, flock);
    }

    @Override
    public CompletableFuture<LockReply> testLock(LockRequest request) {
        return locks.test(request);
    }

    @Override
    public void onRecall(RecallListener listener) {
        recalls.add(listener);
    }

    @Override
    public void onChange(ChangeListener listener) {
        mutations.add(listener);
    }
}
