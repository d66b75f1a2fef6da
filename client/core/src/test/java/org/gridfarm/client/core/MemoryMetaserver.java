package org.gridfarm.client.core;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Handler;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.*;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A leading metaserver in memory: names, leases with recalls, opens with modes and chains. No
 * rights. State survives {@link #restart}.
 */
final class MemoryMetaserver implements AutoCloseable {
    private record Opened(long session, long inode, boolean write) {}

    final Map<String, AtomicInteger> calls = new java.util.concurrent.ConcurrentHashMap<>();
    final List<MemoryNode> nodes;
    final Set<String> failed = new HashSet<>();
    int replicas = 1;
    volatile ByteString digest = ByteString.EMPTY; // of what is committed from now on
    volatile int replicasTold = Integer.MAX_VALUE;
    int stripes = 1;
    volatile boolean losesNextMutateAnswer;

    /** The answer is lost, and the sessions end before anybody can ask again. */
    volatile boolean endsSessionsThen;

    /** Sessions of before {@link #restart} come too late. */
    volatile boolean graceIsOver;

    /** Who begins anew because of that waits for it. */
    volatile CompletableFuture<Void> anew = CompletableFuture.completedFuture(null);

    /** So many renewals are not answered. */
    final AtomicInteger renewalsToLose = new AtomicInteger();

    /** Refreshes are not answered before so many renewals have come since {@link #restart}. */
    volatile int renewalsFirst;

    /** Those that wait for these, and how many did at most. */
    private final List<Exchange<RefreshRequest, OpenReply>> heldRefreshes = new ArrayList<>();

    private int renewals;
    private int refreshesAtOnce;

    /** What is said of an inode that is no more. */
    volatile ErrorKind gone = ErrorKind.STALE;

    /** After that many lookups what they found is replaced. */
    final AtomicInteger replaced = new AtomicInteger();

    /** Commits that come from now on are taken, and not answered before. */
    volatile CompletableFuture<Void> commitsAnswered = CompletableFuture.completedFuture(null);

    /** Commits that come are refused so, one after the other, before one is taken. */
    final Deque<ErrorKind> refusedCommits = new ConcurrentLinkedDeque<>();

    /** Given up with changes that no commit told of. */
    final List<Long> unsettled = new CopyOnWriteArrayList<>();

    final List<ChainFailureRequest> chainFailures = new CopyOnWriteArrayList<>();

    private final Loops loops;
    private final ChannelSecurity security;
    private final Map<Long, Attributes> inodes = new HashMap<>(); // all guarded by this
    private final Map<Long, TreeMap<String, Long>> directories = new HashMap<>();
    private final Map<Long, Layout> layouts = new HashMap<>();
    private final MemoryNames names = new MemoryNames(this);
    private final Map<Long, Opened> opened = new HashMap<>();

    /** Files are opened, and nobody hears of it. */
    volatile boolean losesOpens;

    private final Map<Long, Peer> sessions = new HashMap<>();
    private final Map<Long, Set<Long>> holders =
            new HashMap<>(); // inode, attributes and content alike, to sessions
    private final Map<String, MutateReply> outcomes = new HashMap<>();
    private RpcServer server;
    private volatile long epoch = 1;
    private long nextInode = 2;

    MemoryMetaserver(Loops loops, ChannelSecurity security, List<MemoryNode> nodes) {
        this.loops = loops;
        this.security = security;
        this.nodes = nodes;
        inodes.put(
                1L,
                Attributes.newBuilder()
                        .setInode(1)
                        .setType(FileType.DIRECTORY)
                        .setMode(0755)
                        .setVersion(1)
                        .build());
        directories.put(1L, new TreeMap<>());
        server = bind(0);
    }

    private RpcServer bind(int port) {
        Services services =
                names.on(Services.builder())
                        .on(MetadataMethods.OPEN_SESSION, counted(this::openSession))
                        .on(
                                MetadataMethods.RENEW,
                                e -> {
                                    if (renewalsToLose.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                                        RenewReply renewed = renew(e.request());
                                        e.reply(renewed);
                                        if (!renewed.getEvicted()) renewed();
                                    }
                                })
                        .answer(MetadataMethods.CLOSE_SESSION, q -> Empty.getDefaultInstance())
                        .on(MetadataMethods.LOOKUP, counted(e -> e.reply(lookup(e.request()))))
                        .on(
                                MetadataMethods.GET_ATTRIBUTES,
                                counted(e -> e.reply(attributes(e.request()))))
                        .on(
                                MetadataMethods.READ_DIRECTORY,
                                counted(e -> e.reply(list(e.request()))))
                        .on(MetadataMethods.MUTATE, counted(this::mutate))
                        .on(MetadataMethods.OPEN, counted(this::open))
                        .on(
                                MetadataMethods.CLOSE,
                                counted(e -> {
                                    synchronized (this) {
                                        e.request().getHandlesList().forEach(opened::remove);
                                        opened.keySet().removeAll(e.request().getUnsettledList());
                                    }
                                    unsettled.addAll(e.request().getUnsettledList());
                                    e.reply(Empty.getDefaultInstance());
                                }))
                        .on(MetadataMethods.REFRESH, counted(this::refreshWhenRenewed))
                        .on(
                                MetadataMethods.CHAIN_FAILURE,
                                counted(e -> e.reply(chainFailure(e.request()))))
                        .build();
        return RpcServer.bind(
                loops,
                new RpcServerConfig(
                        new HostPort("127.0.0.1", port), "metaserver", security, services));
    }

    <Q extends MessageLite, R extends MessageLite> Handler<Q, R> counted(Handler<Q, R> handler) {
        long here = epoch;
        return e -> {
            if (here != epoch) return; // a server that is gone answers nobody
            calls.computeIfAbsent(e.method().name(), n -> new AtomicInteger()).incrementAndGet();
            handler.handle(e);
        };
    }

    int calls(String method) {
        AtomicInteger count = calls.get(method);
        return count == null ? 0 : count.get();
    }

    int allCalls() {
        return calls.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    MemoryNames names() {
        return names;
    }

    HostPort address() {
        return server.address();
    }

    /**
     * Another leader takes over at the same address: what is durable is there, sessions and leases
     * are not.
     */
    void restart() {
        int port = server.address().port();
        server.close();
        synchronized (this) {
            sessions.clear();
            holders.clear();
            renewals = 0;
            epoch++;
        }
        server = bind(port);
    }

    /** The sessions are ended, as after a recall that nobody answered. */
    synchronized void evictAll() {
        sessions.clear();
        holders.clear();
        opened.clear();
    }

    private void openSession(Exchange<OpenSessionRequest, OpenSessionReply> e) {
        boolean isAnew = graceIsOver && !e.request().getReclaim();
        (isAnew ? anew : CompletableFuture.completedFuture(null)).thenRun(() -> opened(e));
    }

    private void opened(Exchange<OpenSessionRequest, OpenSessionReply> e) {
        synchronized (this) {
            boolean known = sessions.containsKey(e.request().getSession());
            boolean tooLate = graceIsOver && !known && e.request().getReclaim();
            if (tooLate) opened.values().removeIf(o -> o.session == e.request().getSession());
            if (!tooLate) sessions.put(e.request().getSession(), e.peer());
            e.reply(
                    OpenSessionReply.newBuilder()
                            .setSession(e.request().getSession())
                            .setEpoch(epoch)
                            .setLeaseMillis(5_000)
                            .setRoot(1)
                            .setTooLate(tooLate)
                            .addServers(
                                    ServerInfo.newBuilder()
                                            .setName("m")
                                            .setAddress(server.address().toString())
                                            .setRole("leader"))
                            .build());
        }
    }

    private synchronized RenewReply renew(RenewRequest q) {
        return RenewReply.newBuilder()
                .setLeaseMillis(5_000)
                .setEvicted(!sessions.containsKey(q.getSession()))
                .build();
    }

    void grant(long inode, long session) {
        holders.computeIfAbsent(inode, i -> new HashSet<>()).add(session);
    }

    private boolean writing(long inode) {
        return opened.values().stream().anyMatch(o -> o.inode == inode && o.write);
    }

    Attributes shown(long inode) {
        Attributes a = inodes.get(inode);
        if (a == null) throw new FarmException(gone, "stat", "");
        return a.toBuilder().setWriting(writing(inode)).build();
    }

    private synchronized LookupReply lookup(LookupRequest q) {
        Long found = directory(q.getParent()).get(text(q.getName()));
        grant(q.getParent(), q.getSession());
        if (found == null) {
            return LookupReply.newBuilder().setEntryCacheable(true).build();
        }
        grant(found, q.getSession());
        Attributes a = shown(found);
        if (replaced.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            replace(q.getParent(), text(q.getName()), a);
            return LookupReply.newBuilder().setFound(true).setAttributes(a).build();
        }
        return LookupReply.newBuilder()
                .setFound(true)
                .setAttributes(a)
                .setEntryCacheable(true)
                .setAttributesCacheable(!a.getWriting())
                .build();
    }

    /** As by a rename of another file, which somebody writes. */
    static String text(ByteString name) {
        return NameText.of(name.toByteArray());
    }

    private void replace(long parent, String name, Attributes old) {
        long inode = nextInode++;
        inodes.remove(old.getInode());
        inodes.put(inode, old.toBuilder().setInode(inode).build());
        layouts.put(inode, MemoryLayouts.made(this, inode, 1));
        directory(parent).put(name, inode);
        opened.put(-inode, new Opened(0, inode, true));
    }

    TreeMap<String, Long> directory(long inode) {
        TreeMap<String, Long> found = directories.get(inode);
        if (found == null) {
            throw new FarmException(ErrorKind.NOT_A_DIRECTORY, "lookup", "");
        }
        return found;
    }

    private synchronized GetAttributesReply attributes(GetAttributesRequest q) {
        Attributes a = shown(q.getInode());
        GetAttributesReply.Builder reply = GetAttributesReply.newBuilder().setAttributes(a);
        if (a.getWriting()) {
            return reply.setWriting(known(layouts, q.getInode())).build();
        }
        grant(q.getInode(), q.getSession());
        return reply.setCacheable(true).build();
    }

    private synchronized ReadDirectoryReply list(ReadDirectoryRequest q) {
        ReadDirectoryReply.Builder reply =
                ReadDirectoryReply.newBuilder().setEnd(true).setCacheable(true).setParent(1);
        grant(q.getInode(), q.getSession());
        long cookie = 0;
        for (Map.Entry<String, Long> entry : directory(q.getInode()).entrySet()) {
            cookie++;
            if (cookie <= q.getCookie()) {
                continue;
            }
            if (reply.getEntriesCount() == q.getLimit()) {
                return reply.setEnd(false).build();
            }
            Attributes a = shown(entry.getValue());
            if (!a.getWriting()) grant(a.getInode(), q.getSession());
            reply.addEntries(
                    DirectoryEntry.newBuilder()
                            .setName(ByteString.copyFrom(NameText.bytes(entry.getKey())))
                            .setInode(a.getInode())
                            .setType(a.getType())
                            .setCookie(cookie)
                            .setCacheable(!a.getWriting())
                            .setAttributes(a));
        }
        return reply.build();
    }

    private void mutate(Exchange<MutateRequest, MutateReply> e) {
        MutateRequest q = e.request();
        String id = q.getSession() + "/" + q.getSequence();
        MutateReply answer;
        RecallRequest.Builder recall = RecallRequest.newBuilder();
        synchronized (this) {
            if (sessions.get(q.getSession()) != e.peer()) {
                throw new FarmException(ErrorKind.SESSION_ENDED, "mutate", "");
            }
            opened.keySet().removeAll(q.getReleasedList());
            answer = outcomes.computeIfAbsent(id, first -> apply(q, recall));
        }
        var held = q.hasCommit() ? commitsAnswered : CompletableFuture.<Void>completedFuture(null);
        CompletableFuture.allOf(recalled(recall.build(), q.getSession()), held)
                .whenComplete((done, t) -> {
                    if (losesNextMutateAnswer) {
                        losesNextMutateAnswer = false;
                        if (endsSessionsThen) evictAll();
                        e.peer().close();
                    } else {
                        e.reply(answer);
                    }
                });
    }

    private MutateReply apply(MutateRequest q, RecallRequest.Builder recall) {
        MutateReply.Builder reply = MutateReply.newBuilder();
        switch (q.getOperationCase()) {
            case CREATE -> {
                CreateFile c = q.getCreate();
                int mode = c.getMode() & ~c.getUmask();
                Attributes made = make(c.getParent(), c.getName(), FileType.REGULAR, mode, recall);
                reply.setAttributes(made).setParent(inodes.get(c.getParent()));
                if (c.hasOpen()) {
                    layouts.put(made.getInode(), MemoryLayouts.made(this, made.getInode(), 1));
                    reply.setOpened(
                            opened(
                                    c.getOpen().getHandle(),
                                    q.getSession(),
                                    made.getInode(),
                                    c.getOpen().getWrite(),
                                    true));
                }
            }
            case MKDIR -> {
                Attributes made =
                        make(
                                q.getMkdir().getParent(),
                                q.getMkdir().getName(),
                                FileType.DIRECTORY,
                                q.getMkdir().getMode() & ~q.getMkdir().getUmask(),
                                recall);
                directories.put(made.getInode(), new TreeMap<>());
                reply.setAttributes(made).setParent(inodes.get(q.getMkdir().getParent()));
            }
            case UNLINK ->
                    reply.setAttributes(remove(q.getUnlink(), recall))
                            .setParent(inodes.get(q.getUnlink().getParent()));
            case RMDIR ->
                    reply.setAttributes(remove(q.getRmdir(), recall))
                            .setParent(inodes.get(q.getRmdir().getParent()));
            case COMMIT -> {
                CommitContent c = q.getCommit();
                ErrorKind refusal = refusedCommits.poll();
                if (refusal != null) throw new FarmException(refusal, "commit", "");
                if (!opened.containsKey(c.getHandle())) {
                    throw new FarmException(ErrorKind.BAD_HANDLE, "commit", "");
                }
                if (c.getClose()) opened.remove(c.getHandle());
                reply.setAttributes(change(c.getInode(), a -> a.setSize(c.getSize()), recall));
                layouts.computeIfPresent(c.getInode(), (i, l) -> MemoryLayouts.valid(l, digest));
            }
            default -> names.apply(q, recall, reply);
        }
        return reply.build();
    }

    Attributes make(
            long parent, ByteString name, FileType type, int mode, RecallRequest.Builder recall) {
        if (directory(parent).containsKey(text(name))) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "create", text(name));
        }
        long inode = nextInode++;
        Attributes made =
                Attributes.newBuilder()
                        .setInode(inode)
                        .setType(type)
                        .setMode(mode)
                        .setNlink(1)
                        .setGeneration(1)
                        .setVersion(1)
                        .build();
        inodes.put(inode, made);
        directory(parent).put(text(name), inode);
        recall.addDirectories(RecalledDirectory.newBuilder().setInode(parent).addNames(name));
        change(parent, a -> a.setNlink(a.getNlink()), recall);
        return made;
    }

    Attributes remove(Remove r, RecallRequest.Builder recall) {
        Long there = directory(r.getParent()).get(text(r.getName()));
        if (there != null && !directories.getOrDefault(there, new TreeMap<>()).isEmpty()) {
            throw new FarmException(ErrorKind.NOT_EMPTY, "remove", text(r.getName()));
        }
        Long inode = directory(r.getParent()).remove(text(r.getName()));
        if (inode == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "remove", text(r.getName()));
        }
        recall.addDirectories(
                RecalledDirectory.newBuilder().setInode(r.getParent()).addNames(r.getName()));
        change(r.getParent(), a -> a.setNlink(a.getNlink()), recall);
        return change(inode, a -> a.setNlink(0), recall);
    }

    Attributes change(
            long inode,
            java.util.function.UnaryOperator<Attributes.Builder> how,
            RecallRequest.Builder recall) {
        Attributes before = known(inodes, inode);
        Attributes now = how.apply(before.toBuilder()).setVersion(before.getVersion() + 1).build();
        inodes.put(inode, now);
        recall.addAttributes(inode);
        return now;
    }

    private CompletableFuture<Void> recalled(RecallRequest recall, long origin) {
        Set<Peer> told = new HashSet<>();
        synchronized (this) {
            Set<Long> keys = new HashSet<>(recall.getAttributesList());
            recall.getDirectoriesList().forEach(d -> keys.add(d.getInode()));
            recall.getDataList().forEach(d -> keys.add(d.getInode()));
            for (Map.Entry<Long, Peer> session : sessions.entrySet()) {
                boolean holds =
                        keys.stream()
                                        .anyMatch(k ->
                                                holders.getOrDefault(k, Set.of())
                                                        .contains(session.getKey()))
                                || opened.values().stream()
                                        .anyMatch(o ->
                                                o.session == session.getKey()
                                                        && keys.contains(o.inode));
                if (session.getKey() != origin && holds) {
                    told.add(session.getValue());
                }
            }
        }
        return CompletableFuture.allOf(
                told.stream()
                        .map(peer ->
                                peer.callPlain(
                                                MetadataMethods.RECALL,
                                                recall,
                                                Duration.ofSeconds(2))
                                        .handle((r, t) -> null))
                        .toArray(CompletableFuture<?>[]::new));
    }

    // ---- open files

    private void open(Exchange<OpenRequest, OpenReply> e) {
        OpenRequest q = e.request();
        long inode = q.getInode();
        OpenReply reply;
        RecallRequest.Builder recall = RecallRequest.newBuilder();
        synchronized (this) {
            shown(inode); // refuses what is gone
            layouts.computeIfAbsent(inode, i -> MemoryLayouts.made(this, i, 1));
            boolean isOpen = opened.values().stream().anyMatch(o -> o.inode == inode);
            boolean empties = q.getTruncate() && !isOpen;
            if (empties) {
                int generation = known(inodes, inode).getGeneration() + 1;
                change(inode, a -> a.setSize(0).setGeneration(generation), recall);
                layouts.put(inode, MemoryLayouts.made(this, inode, generation));
            }
            reply = opened(q.getHandle(), q.getSession(), inode, q.getWrite(), empties);
            if (q.getWrite()) recall.addAttributes(inode);
            if (reply.getMode() == DataMode.WRITE_SHARED) {
                recall.addDataBuilder().setInode(inode).setMode(DataMode.WRITE_SHARED);
            }
        }
        recalled(recall.build(), q.getSession())
                .whenComplete((done, t) -> {
                    if (losesOpens) {
                        e.fail(new FarmException(ErrorKind.NOT_READY, "open", ""));
                    } else {
                        e.reply(reply);
                    }
                });
    }

    synchronized boolean isOpen(long handle) {
        return opened.containsKey(handle);
    }

    /** Open files, whoever has them open. */
    synchronized int handles() {
        return opened.size();
    }

    private OpenReply opened(
            long handle, long session, long inode, boolean write, boolean emptied) {
        opened.put(handle, new Opened(session, inode, write));
        boolean others =
                opened.values().stream().anyMatch(o -> o.inode == inode && o.session != session);
        DataMode mode =
                !writing(inode)
                        ? DataMode.READ_SHARED
                        : others ? DataMode.WRITE_SHARED : DataMode.EXCLUSIVE;
        return OpenReply.newBuilder()
                .setAttributes(shown(inode))
                .setMode(mode)
                .setEmptied(emptied)
                .setLayout(MemoryLayouts.first(replicasTold, known(layouts, inode)))
                .build();
    }

    private synchronized void refreshWhenRenewed(Exchange<RefreshRequest, OpenReply> e) {
        if (renewals < renewalsFirst) {
            heldRefreshes.add(e);
            refreshesAtOnce = Math.max(refreshesAtOnce, heldRefreshes.size());
        } else {
            e.reply(refresh(e.request()));
        }
    }

    private synchronized void renewed() {
        renewals++;
        if (renewals >= renewalsFirst) {
            heldRefreshes.forEach(e -> e.reply(refresh(e.request())));
            heldRefreshes.clear();
        }
    }

    synchronized int refreshesAtOnce() {
        return refreshesAtOnce;
    }

    private synchronized OpenReply refresh(RefreshRequest q) {
        if (!opened.containsKey(q.getHandle()) && !q.getReclaim()) {
            throw new FarmException(ErrorKind.BAD_HANDLE, "refresh", "");
        }
        return opened(q.getHandle(), q.getSession(), q.getInode(), q.getWrite(), false);
    }

    private synchronized OpenReply chainFailure(ChainFailureRequest q) {
        failed.addAll(q.getFailedNodesList());
        chainFailures.add(q);
        Layout before = known(layouts, q.getInode());
        layouts.put(q.getInode(), MemoryLayouts.without(q.getFailedNodesList(), before));
        Opened o = known(opened, q.getHandle());
        return opened(q.getHandle(), o.session, o.inode, o.write, false);
    }

    private static <T> T known(Map<Long, T> map, long key) {
        T found = map.get(key);
        if (found == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "find", Long.toHexString(key));
        }
        return found;
    }

    synchronized Attributes durable(long inode) {
        return known(inodes, inode);
    }

    @Override
    public void close() {
        server.close();
    }
}
