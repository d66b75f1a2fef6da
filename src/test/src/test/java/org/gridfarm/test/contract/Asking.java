package org.gridfarm.test.contract;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.*;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** One session, call by call, as anybody may speak to a metaserver. */
final class Asking {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    final long session;
    final OpenSessionReply opened;
    final List<RecallRequest> recalls = new CopyOnWriteArrayList<>();
    private final Peer peer;
    private final AtomicLong sequence = new AtomicLong();
    private volatile CompletableFuture<Void> mayAnswer = CompletableFuture.completedFuture(null);

    Asking(long session, Function<Services, Peer> dial) {
        this.session = session;
        peer =
                dial.apply(
                        Services.builder()
                                .on(
                                        MetadataMethods.RECALL,
                                        exchange -> {
                                            recalls.add(exchange.request());
                                            mayAnswer.thenRun(() ->
                                                    exchange.reply(Empty.getDefaultInstance()));
                                        })
                                .build());
        opened =
                call(
                        MetadataMethods.OPEN_SESSION,
                        OpenSessionRequest.newBuilder()
                                .setSession(session)
                                .setClient("contract")
                                .build());
    }

    /** Recalls are not answered until the future completes. */
    void holdRecalls(CompletableFuture<Void> until) {
        mayAnswer = until;
    }

    <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> start(
            Method<Q, R> method, Q request) {
        return peer.callPlain(method, request, PATIENCE);
    }

    <Q extends MessageLite, R extends MessageLite> R call(Method<Q, R> method, Q request) {
        return start(method, request).join();
    }

    static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    MutateRequest command(Consumer<MutateRequest.Builder> what) {
        MutateRequest.Builder command =
                MutateRequest.newBuilder()
                        .setSession(session)
                        .setSequence(sequence.incrementAndGet());
        what.accept(command);
        return command.build();
    }

    MutateReply mutate(Consumer<MutateRequest.Builder> what) {
        return call(MetadataMethods.MUTATE, command(what));
    }

    long mkdir(long parent, String name) {
        return mutate(c ->
                        c.setMkdir(
                                MakeDirectory.newBuilder()
                                        .setParent(parent)
                                        .setName(bytes(name))
                                        .setMode(0755)))
                .getAttributes()
                .getInode();
    }

    CreateFile.Builder file(long parent, String name) {
        return CreateFile.newBuilder()
                .setParent(parent)
                .setName(bytes(name))
                .setMode(0644)
                .setExclusive(true);
    }

    long create(long parent, String name) {
        return mutate(c -> c.setCreate(file(parent, name))).getAttributes().getInode();
    }

    MutateReply createAndOpen(long parent, String name, long handle) {
        return mutate(c ->
                c.setCreate(
                        file(parent, name)
                                .setOpen(
                                        OpenRequest.newBuilder()
                                                .setSession(session)
                                                .setHandle(handle)
                                                .setRead(true)
                                                .setWrite(true))));
    }

    MutateReply commit(long inode, long handle, long size, boolean close) {
        return mutate(c ->
                c.setCommit(
                        CommitContent.newBuilder()
                                .setInode(inode)
                                .setHandle(handle)
                                .setGeneration(1)
                                .setSize(size)
                                .setClose(close)
                                .addObjects(ObjectCommit.newBuilder().addHolders("n1"))));
    }

    Remove.Builder entry(long parent, String name) {
        return Remove.newBuilder().setParent(parent).setName(bytes(name));
    }

    Rename.Builder rename(long parent, String from, String to) {
        return Rename.newBuilder()
                .setParent(parent)
                .setName(bytes(from))
                .setToParent(parent)
                .setToName(bytes(to));
    }

    MutateReply symlink(long parent, String name, String target) {
        return mutate(c ->
                c.setSymlink(
                        MakeSymlink.newBuilder()
                                .setParent(parent)
                                .setName(bytes(name))
                                .setTarget(bytes(target))));
    }

    LookupReply lookup(long parent, String name) {
        return call(
                MetadataMethods.LOOKUP,
                LookupRequest.newBuilder()
                        .setSession(session)
                        .setParent(parent)
                        .setName(bytes(name))
                        .build());
    }

    Attributes attributes(long inode) {
        return call(
                        MetadataMethods.GET_ATTRIBUTES,
                        GetAttributesRequest.newBuilder()
                                .setSession(session)
                                .setInode(inode)
                                .build())
                .getAttributes();
    }

    ResolveReply resolve(String path, boolean follow) {
        return call(
                MetadataMethods.RESOLVE,
                ResolveRequest.newBuilder()
                        .setSession(session)
                        .setStart(1)
                        .setPath(bytes(path))
                        .setFollowLast(follow)
                        .build());
    }

    OpenReply open(long inode, long handle, boolean write) {
        return call(
                MetadataMethods.OPEN,
                OpenRequest.newBuilder()
                        .setSession(session)
                        .setSequence(sequence.incrementAndGet())
                        .setInode(inode)
                        .setHandle(handle)
                        .setRead(true)
                        .setWrite(write)
                        .build());
    }

    OpenReply refresh(long inode, long handle) {
        return call(
                MetadataMethods.REFRESH,
                RefreshRequest.newBuilder()
                        .setSession(session)
                        .setInode(inode)
                        .setHandle(handle)
                        .setRead(true)
                        .build());
    }

    void close(long handle) {
        call(
                MetadataMethods.CLOSE,
                CloseRequest.newBuilder().setSession(session).addHandles(handle).build());
    }

    CompletableFuture<LockReply> lock(long inode, LockKind kind, boolean wait) {
        return start(
                MetadataMethods.LOCK,
                LockRequest.newBuilder()
                        .setSession(session)
                        .setInode(inode)
                        .setOwner(1)
                        .setKind(kind)
                        .setEnd(Long.MAX_VALUE)
                        .setWait(wait)
                        .build());
    }
}
