package org.gridfarm.metaserver.sim;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.GetAttributesRequest;
import org.gridfarm.protocol.wire.LookupRequest;
import org.gridfarm.protocol.wire.MakeSymlink;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenSessionRequest;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.RenewRequest;
import org.gridfarm.protocol.wire.SetAttributes;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/** A mount with a leased cache; one change or read at a time. */
final class SimClient {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final long RENEW_EVERY = 1_000_000_000L;
    private static final long LOOK_EVERY = 200_000_000L;
    private static final long RETRY = 20_000_000L;
    private static final int THINK_MILLIS_MAX = 40;
    private static final int TURN_NANOS_MAX = 200_000;
    private static final int LATE_TURN_NANOS_MAX = 20_000_000;
    private static final long REQUESTS_MAX = 1_000_000;

    final Process process;
    private final World world;
    private final Random random;
    private final long session;
    private final Network.Caller self;
    private final Map<Cell, Long> cache = new HashMap<>();
    private final Map<SimServer, Attached> attached = new HashMap<>();
    private final Map<SimServer, List<Consumer<@Nullable Attached>>> wanted = new HashMap<>();
    private @Nullable SimServer reader;
    private long recalls;
    private long requests;

    /** A connection over which the session was opened. */
    private final class Attached {
        final SimServer server;
        final Peer peer;
        long leaseUntil = Long.MIN_VALUE / 2;

        Attached(SimServer server, Peer peer) {
            this.server = server;
            this.peer = peer;
        }

        /** From when the call was sent; with room for clocks that do not run alike. */
        void lease(long sent, int millis) {
            long nanos = 1_000_000L * millis;
            leaseUntil = Math.max(leaseUntil, sent + nanos - nanos / 5);
        }

        boolean isBelieved() {
            return world.plant == Plant.LEASE_NOT_WATCHED || world.now() - leaseUntil < 0;
        }
    }

    SimClient(long session, World world) {
        this.session = session;
        this.world = world;
        this.random = new Random(world.random.nextLong());
        this.process = new Process("client" + session, world.clock);
        this.self =
                new Network.Caller(
                        process,
                        world.clock,
                        new Identity(
                                "/O=Sim/CN=" + process.name,
                                Role.MOUNT,
                                List.of(),
                                Optional.empty(),
                                false,
                                true),
                        Services.builder().on(MetadataMethods.RECALL, this::recall).build());
        think();
        process.after(RENEW_EVERY, this::renewals);
        process.after(LOOK_EVERY, this::look);
    }

    private void think() {
        process.after(1_000_000L * (1 + random.nextInt(THINK_MILLIS_MAX)), this::act);
    }

    private void act() {
        if (world.over()) return;
        Cell cell = world.someCell();
        if (random.nextInt(3) == 0) write(command(cell), cell, world.ledger.floor(cell));
        else read(cell, world.ledger.floor(cell));
    }

    /** So that deadlines are noticed. */
    private void look() {
        process.after(LOOK_EVERY, this::look);
    }

    // ---- connections

    private @Nullable SimServer leader() {
        Cluster.Member leader = world.coordination.leader();
        return leader == null ? null : world.server(leader.name());
    }

    private SimServer reader() {
        SimServer known = reader;
        if (known == null) {
            known = world.someServer(random);
            reader = known;
            dropAll();
        }
        return known;
    }

    /** Null: there is no session with it now. */
    private void with(SimServer server, Consumer<@Nullable Attached> then) {
        Attached known = attached.get(server);
        if (known != null && known.peer.isOpen()) {
            then.accept(known);
            return;
        }
        List<Consumer<@Nullable Attached>> waiting = wanted.get(server);
        if (waiting != null) {
            waiting.add(then);
            return;
        }
        wanted.put(server, new ArrayList<>(List.of(then)));
        if (known != null) leave(known);
        world.network
                .dial(self, server.address)
                .whenComplete((peer, failure) -> {
                    if (failure != null) opened(server, null);
                    else open(server, peer);
                });
    }

    private void open(SimServer server, Peer peer) {
        Attached now = new Attached(server, peer);
        long sent = world.now();
        OpenSessionRequest request =
                OpenSessionRequest.newBuilder().setSession(session).setClient(process.name).build();
        peer.callPlain(MetadataMethods.OPEN_SESSION, request, PATIENCE)
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        peer.close();
                        opened(server, null);
                        return;
                    }
                    now.lease(sent, reply.getLeaseMillis());
                    attached.put(server, now);
                    opened(server, now);
                });
    }

    private void opened(SimServer server, @Nullable Attached now) {
        List<Consumer<@Nullable Attached>> waiting = wanted.remove(server);
        if (waiting != null) waiting.forEach(then -> then.accept(now));
    }

    private void leave(Attached at) {
        at.peer.close();
        attached.remove(at.server, at);
        if (at.server == reader) {
            reader = null;
            dropAll();
        }
    }

    private void dropAll() {
        recalls++;
        cache.clear();
    }

    private void renewals() {
        for (Attached at : List.copyOf(attached.values())) {
            if (at.peer.isOpen()) renew(at);
            else leave(at);
        }
        process.after(RENEW_EVERY, this::renewals);
    }

    private void renew(Attached at) {
        long sent = world.now();
        RenewRequest request = RenewRequest.newBuilder().setSession(session).build();
        at.peer
                .callPlain(MetadataMethods.RENEW, request, PATIENCE)
                .whenComplete((reply, failure) -> {
                    if (attached.get(at.server) != at) return;
                    if (at.server == reader && !at.isBelieved()) dropAll();
                    if (failure != null || reply.getEvicted() || reply.getLeaseMillis() == 0) {
                        leave(at);
                    } else {
                        at.lease(sent, reply.getLeaseMillis());
                    }
                });
    }

    /** It runs again, and looks into its cache before it hears what the network has brought. */
    void wake() {
        SimServer server = reader;
        Attached at = server == null ? null : attached.get(server);
        if (!process.running() && at != null && at.isBelieved()) {
            cache.forEach((cell, value) ->
                    world.ledger.read(
                            process.name + " waking", cell, value, world.ledger.floor(cell)));
        }
        process.go();
    }

    // ---- reads

    private void read(Cell cell, int floor) {
        with(
                reader(),
                at -> {
                    if (at == null || at.server != reader) {
                        if (at == null) reader = null;
                        process.after(RETRY, () -> read(cell, floor));
                    } else {
                        read(at, cell, floor);
                    }
                });
    }

    private void read(Attached at, Cell cell, int floor) {
        Long known = at.isBelieved() ? cache.get(cell) : null;
        if (known != null) {
            world.ledger.read(process.name + " from its cache", cell, known, floor);
            think();
            return;
        }
        long stamp = recalls;
        ByteString name = cell.name();
        if (name == null) {
            ask(
                    at,
                    MetadataMethods.GET_ATTRIBUTES,
                    GetAttributesRequest.newBuilder()
                            .setSession(session)
                            .setInode(cell.inode())
                            .build(),
                    reply ->
                            seen(
                                    at,
                                    cell,
                                    floor,
                                    stamp,
                                    reply.getAttributes().getMtime(),
                                    reply.getCacheable()),
                    () -> read(cell, floor));
        } else {
            ask(
                    at,
                    MetadataMethods.LOOKUP,
                    LookupRequest.newBuilder()
                            .setSession(session)
                            .setParent(cell.inode())
                            .setName(name)
                            .build(),
                    reply ->
                            seen(
                                    at,
                                    cell,
                                    floor,
                                    stamp,
                                    reply.getAttributes().getInode(),
                                    reply.getEntryCacheable()),
                    () -> read(cell, floor));
        }
    }

    private <Q extends MessageLite, R extends MessageLite> void ask(
            Attached at, Method<Q, R> method, Q request, Consumer<R> answered, Runnable again) {
        at.peer
                .callPlain(method, request, PATIENCE)
                .whenComplete((reply, failure) ->
                        process.after(
                                turn(),
                                () -> {
                                    if (failure == null) {
                                        answered.accept(reply);
                                    } else {
                                        unexpected(kind(failure));
                                        leave(at);
                                        process.after(RETRY, again);
                                    }
                                }));
    }

    /**
     * Answers are taken up by the threads that asked, recalls by that of the network: so recalls
     * overtake answers.
     */
    private long turn() {
        return random.nextInt(random.nextInt(10) == 0 ? LATE_TURN_NANOS_MAX : TURN_NANOS_MAX);
    }

    private void seen(
            Attached at, Cell cell, int floor, long stamp, long value, boolean cacheable) {
        boolean crossed = stamp != recalls && world.plant != Plant.LATE_ANSWER_KEPT;
        if (cacheable && !crossed && at.server == reader) cache.put(cell, value);
        world.ledger.read(process.name + " at " + at.server.name(), cell, value, floor);
        think();
    }

    private static ErrorKind kind(Throwable failure) {
        return failure instanceof FarmException known ? known.kind() : ErrorKind.INTERNAL;
    }

    /** Everything else says: ask again, perhaps elsewhere. */
    private void unexpected(ErrorKind kind) {
        switch (kind) {
            case TIMED_OUT,
                    DISCONNECTED,
                    UNAVAILABLE,
                    NOT_LEADER,
                    OVERLOADED,
                    SESSION_ENDED,
                    NOT_READY,
                    CANCELLED -> {}
            default -> world.ledger.fault(process.name + " was answered " + kind);
        }
    }

    // ---- changes

    private MutateRequest command(Cell cell) {
        MutateRequest.Builder command =
                MutateRequest.newBuilder()
                        .setSession(session)
                        .setSequence(++requests)
                        .setSettled(requests - 1);
        ByteString name = cell.name();
        if (name == null) {
            command.setSetAttributes(
                    SetAttributes.newBuilder()
                            .setInode(cell.inode())
                            .setMtime(session * REQUESTS_MAX + requests));
        } else if (random.nextBoolean()) {
            command.setSymlink(
                    MakeSymlink.newBuilder().setParent(cell.inode()).setName(name).setTarget(name));
        } else {
            command.setUnlink(Remove.newBuilder().setParent(cell.inode()).setName(name));
        }
        return command.build();
    }

    private void write(MutateRequest command, Cell cell, int floor) {
        SimServer server = leader();
        if (server == null) {
            process.after(RETRY, () -> write(command, cell, floor));
            return;
        }
        with(
                server,
                at -> {
                    if (at == null) {
                        process.after(RETRY, () -> write(command, cell, floor));
                        return;
                    }
                    forget(cell);
                    at.peer
                            .callPlain(MetadataMethods.MUTATE, command, PATIENCE)
                            .whenComplete((reply, failure) ->
                                    process.after(
                                            turn(),
                                            () ->
                                                    written(
                                                            at, command, cell, floor, reply,
                                                            failure)));
                });
    }

    /** What is under way may be older than this change. */
    private void forget(Cell cell) {
        cache.remove(cell);
        recalls++;
    }

    private void written(
            Attached at,
            MutateRequest command,
            Cell cell,
            int floor,
            @Nullable MutateReply reply,
            @Nullable Throwable failure) {
        forget(cell);
        if (reply != null) {
            world.ledger.acknowledged(process.name, cell, session, command.getSequence());
            world.isBadMoment(at.server.process);
            think();
            return;
        }
        ErrorKind kind = failure == null ? ErrorKind.INTERNAL : kind(failure);
        if (kind == ErrorKind.ALREADY_EXISTS && command.hasSymlink()
                || kind == ErrorKind.NOT_FOUND && command.hasUnlink()) {
            world.ledger.found(process.name, cell, command.hasSymlink(), floor);
            think();
            return;
        }
        unexpected(kind);
        leave(at);
        process.after(RETRY, () -> write(command, cell, floor));
    }

    // ---- recalls

    private void recall(Exchange<RecallRequest, Empty> exchange) {
        RecallRequest recall = exchange.request();
        Peer from = exchange.peer();
        Attached at =
                attached.values().stream().filter(a -> a.peer == from).findFirst().orElse(null);
        boolean flushes = at != null && !at.server.isReady();
        boolean ignored =
                world.plant == Plant.RECALL_IGNORED || world.plant == Plant.NOT_FLUSHED && flushes;
        if (!ignored) {
            recalls++;
            for (long inode : recall.getAttributesList()) cache.remove(new Cell(inode, null));
            for (RecalledDirectory directory : recall.getDirectoriesList()) {
                cache.keySet()
                        .removeIf(cell ->
                                cell.name() != null
                                        && cell.inode() == directory.getInode()
                                        && isTaken(cell));
            }
        }
        exchange.reply(Empty.getDefaultInstance());
    }

    private boolean isTaken(Cell cell) {
        return world.plant != Plant.ABSENCE_NOT_RECALLED
                || cache.getOrDefault(cell, Cell.NOTHING) != Cell.NOTHING;
    }
}
