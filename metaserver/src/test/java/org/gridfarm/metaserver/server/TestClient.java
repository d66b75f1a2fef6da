package org.gridfarm.metaserver.server;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.LookupReply;
import org.gridfarm.protocol.wire.LookupRequest;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.OpenSessionReply;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.Rename;
import org.gridfarm.protocol.wire.RenewReply;
import org.gridfarm.protocol.wire.RenewRequest;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** One client session on one server, call by call. */
final class TestClient {
    final long session;
    final Peer peer;
    final OpenSessionReply opened;
    final List<RecallRequest> recalls = new CopyOnWriteArrayList<>();
    private final AtomicLong sequence = new AtomicLong();
    private volatile CompletableFuture<Void> mayAnswer = CompletableFuture.completedFuture(null);
    private volatile Function<RecallRequest, CompletableFuture<?>> firstDoing =
            recall -> CompletableFuture.completedFuture(null);

    TestClient(TestFarm farm, MetaServerDaemon server, long session) {
        this(farm, server, session, "");
    }

    TestClient(TestFarm farm, MetaServerDaemon server, long session, String node) {
        this(farm, server, "alice", session, node, false);
    }

    /** It had something under this session at a former leader. */
    static TestClient comingBack(TestFarm farm, MetaServerDaemon server, long session) {
        return new TestClient(farm, server, "alice", session, "", true);
    }

    /** Of the name of the certificate. */
    static TestClient as(String name, TestFarm farm, MetaServerDaemon server, long session) {
        return new TestClient(farm, server, name, session, "n1", false);
    }

    private TestClient(
            TestFarm farm,
            MetaServerDaemon server,
            String as,
            long session,
            String node,
            boolean reclaim) {
        this.session = session;
        Services pushes =
                Services.builder()
                        .on(
                                MetadataMethods.RECALL,
                                exchange -> {
                                    recalls.add(exchange.request());
                                    mayAnswer
                                            .thenCompose(
                                                    done -> firstDoing.apply(exchange.request()))
                                            .thenRun(() ->
                                                    exchange.reply(Empty.getDefaultInstance()));
                                })
                        .build();
        peer = farm.dial(as, server, pushes);
        opened =
                call(
                        MetadataMethods.OPEN_SESSION,
                        OpenSessionRequest.newBuilder()
                                .setSession(session)
                                .setClient("test")
                                .setNode(node)
                                .setReclaim(reclaim)
                                .build());
    }

    /** As a client does all the time; without it the session may end after 5 s. */
    TestClient renewing() {
        ScheduledExecutorService beat =
                Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());
        RenewRequest renewal = RenewRequest.newBuilder().setSession(session).build();
        beat.scheduleAtFixedRate(
                () -> start(MetadataMethods.RENEW, renewal), 1, 1, TimeUnit.SECONDS);
        peer.whenClosed(beat::shutdownNow);
        return this;
    }

    /** Recalls are not answered until the future completes. */
    void holdRecalls(CompletableFuture<Void> until) {
        mayAnswer = until;
    }

    /** A recall is answered when that is done. */
    void beforeAnswers(Function<RecallRequest, CompletableFuture<?>> action) {
        firstDoing = action;
    }

    <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> start(
            Method<Q, R> method, Q request) {
        return peer.callPlain(method, request, TestFarm.PATIENCE);
    }

    <Q extends MessageLite, R extends MessageLite> R call(Method<Q, R> method, Q request) {
        return TestFarm.get(start(method, request));
    }

    MutateRequest.Builder command() {
        return MutateRequest.newBuilder()
                .setSession(session)
                .setSequence(sequence.incrementAndGet())
                .setCredentials(Credentials.getDefaultInstance());
    }

    MutateReply mkdir(long parent, String name) {
        return call(MetadataMethods.MUTATE, command().setMkdir(directory(parent, name)).build());
    }

    static MakeDirectory directory(long parent, String name) {
        return MakeDirectory.newBuilder()
                .setParent(parent)
                .setName(TestFarm.name(name))
                .setMode(0755)
                .build();
    }

    MutateRequest creating(long parent, String name) {
        return command()
                .setCreate(
                        CreateFile.newBuilder()
                                .setParent(parent)
                                .setName(TestFarm.name(name))
                                .setMode(0644)
                                .setExclusive(true))
                .build();
    }

    /** The same of a file that is opened for reading with that. */
    MutateRequest creatingOpen(long parent, String name, long handle) {
        MutateRequest.Builder made = creating(parent, name).toBuilder();
        made.getCreateBuilder()
                .setOpen(
                        OpenRequest.newBuilder()
                                .setSession(session)
                                .setHandle(handle)
                                .setRead(true));
        return made.build();
    }

    MutateReply create(long parent, String name) {
        return call(MetadataMethods.MUTATE, creating(parent, name));
    }

    MutateReply unlink(long parent, String name) {
        return call(
                MetadataMethods.MUTATE,
                command()
                        .setUnlink(
                                Remove.newBuilder().setParent(parent).setName(TestFarm.name(name)))
                        .build());
    }

    MutateReply rename(long parent, String name, long toParent, String toName) {
        return call(MetadataMethods.MUTATE, renaming(parent, name, toParent, toName));
    }

    MutateRequest renaming(long parent, String name, long toParent, String toName) {
        return command()
                .setRename(
                        Rename.newBuilder()
                                .setParent(parent)
                                .setName(TestFarm.name(name))
                                .setToParent(toParent)
                                .setToName(TestFarm.name(toName)))
                .build();
    }

    LookupReply lookup(long parent, String name) {
        return call(
                MetadataMethods.LOOKUP,
                LookupRequest.newBuilder()
                        .setSession(session)
                        .setParent(parent)
                        .setName(TestFarm.name(name))
                        .build());
    }

    RenewReply renew() {
        return call(MetadataMethods.RENEW, RenewRequest.newBuilder().setSession(session).build());
    }
}
