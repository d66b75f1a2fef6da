package org.gridfarm.storagenode.objects;

import com.google.protobuf.ByteString;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.SeekObjectReply;
import org.gridfarm.protocol.wire.SeekObjectRequest;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.replica.ReplicaStore.IfAbsent;
import org.gridfarm.storagenode.replica.StagedState;
import org.gridfarm.storagenode.replica.StoreLimits;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Answers WRITE, READ, SYNC, STAT, TRUNCATE, ALLOCATE and SEEK. Handlers check lease and ticket on
 * the event loop and put the work into the object's lane; there it is sent down the chain first and
 * done here meanwhile, so that every member sees one order.
 */
public final class ObjectService {
    private final ReplicaStore store;
    private final Admission admission;
    private final NodeLease lease;
    private final NodeCounters counters;
    private final ForwardQueues queues;
    private final Forwards forwards;
    private final LocalShipping shipping;
    private final LocalFiles local;
    private final Fences fences;
    private final Intake intake;
    private final SumsOfBlocks sums;
    private final Forcing forcing;
    private final ObjectReads reads;

    public ObjectService(
            ReplicaStore store,
            Admission admission,
            NodeLease lease,
            PeerNodes peerNodes,
            LocalFiles local,
            NodeCounters counters,
            Intake intake,
            Clock clock) {
        this.intake = intake;
        this.sums = new SumsOfBlocks(store, admission, intake);
        this.forcing = new Forcing(store, admission, intake, clock);
        this.reads = new ObjectReads(store, admission, intake, counters, clock);
        this.local = local;
        this.store = store;
        this.admission = admission;
        this.lease = lease;
        this.counters = counters;
        this.queues = new ForwardQueues(clock);
        this.forwards = new Forwards(peerNodes, lease, counters);
        this.shipping = new LocalShipping(store, queues, forwards, clock);
        this.fences = new Fences(clock);
    }

    public void register(Services.Builder services) {
        services.on(StorageMethods.WRITE, this::write)
                .on(StorageMethods.READ, reads::read)
                .on(StorageMethods.READ_SUMS, sums::read)
                .onAsync(StorageMethods.SYNC, intake.bounded(this::sync))
                .onAsync(StorageMethods.STAT, intake.bounded(this::stat))
                .onAsync(StorageMethods.TRUNCATE, intake.bounded(this::truncate))
                .onAsync(StorageMethods.ALLOCATE, intake.bounded(this::allocate))
                .onAsync(StorageMethods.SEEK, intake.bounded(this::seek));
        forcing.register(services);
    }

    private static IfAbsent ifAbsent(ChainHeader chain) {
        return chain.getCreate() ? IfAbsent.CREATE : IfAbsent.FAIL;
    }

    // ---- the chain
    // ----------------------------------------------------------------------------------------------------------------

    /** What this node did, and what the rest of the chain will say. */
    private record Here(ChainOutcome.Builder outcome, CompletableFuture<ChainOutcome> rest) {}

    private CompletableFuture<ChainOutcome> answer(Here here) {
        return here.rest.thenApply(behind -> together(here.outcome, behind));
    }

    private interface Local {
        void run(Replica replica, ChainOutcome.Builder outcome) throws IOException;
    }

    /**
     * Here first: what this disk refuses is not done on the others'.
     *
     * @param client whom the ticket to write was made for
     */
    private CompletableFuture<ChainOutcome> chained(
            Runnable stillWanted,
            ChainHeader chain,
            long client,
            ForwardQueue.Forward forward,
            Local local) {
        ObjectKey key = ObjectKey.of(chain.getObject());
        List<ChainMember> rest = chain.getRestList();
        return store.change(
                        key,
                        ifAbsent(chain),
                        replica -> {
                            stillWanted.run();
                            fences.admit(key, Fences.Turn.of(chain, client));
                            ForwardQueue queue = queues.of(key);
                            ChainOutcome.Builder outcome = ChainOutcome.newBuilder();
                            local.run(replica, outcome);
                            return new Here(measured(replica, outcome), queue.send(rest, forward));
                        })
                .thenCompose(this::answer);
    }

    private ChainOutcome together(ChainOutcome.Builder here, ChainOutcome behind) {
        counters.memberFailures.add(behind.getFailuresCount());
        return here.addAllFailures(behind.getFailuresList()).build();
    }

    private void write(Exchange<WriteObjectRequest, ChainOutcome> exchange) {
        WriteObjectRequest request = exchange.request();
        Admission.Writing writing = admission.toChange(exchange, request.getChain());
        int length = exchange.payload().readableBytes();
        intake.take(exchange.peer(), length, "write");
        ByteBuf payload = exchange.payload().retain();
        writeThrough(request, payload, writing.client(), () -> admission.stillWanted(exchange))
                .whenComplete((outcome, failure) -> {
                    payload.release();
                    intake.done(exchange.peer(), length);
                    if (failure != null) {
                        exchange.failWith(failure);
                    } else {
                        exchange.reply(outcome);
                    }
                });
    }

    /**
     * Writes here and along the rest of the chain. The payload stays the caller's and must live
     * until the answer.
     *
     * @param client whom the ticket to write was made for
     * @param stillWanted throws when the write came to its turn too late
     */
    public CompletableFuture<ChainOutcome> writeThrough(
            WriteObjectRequest request, ByteBuf payload, long client, Runnable stillWanted) {
        return store.change(
                        ObjectKey.of(request.getChain().getObject()),
                        ifAbsent(request.getChain()),
                        replica -> {
                            stillWanted.run();
                            return writeHere(request, replica, payload, client);
                        })
                .thenCompose(this::answer);
    }

    private Here writeHere(
            WriteObjectRequest request, Replica replica, ByteBuf payload, long client)
            throws IOException {
        ByteBuffer[] parts = Payload.parts(payload, request.getCrc32C(), replica.key().toString());
        ChainHeader chain = request.getChain();
        Fences.Turn turn = Fences.Turn.of(chain, client);
        fences.admit(replica.key(), turn);
        long before = fences.placeOf(replica.key(), turn, request.getAppendId());
        long offset =
                !request.getAppend() ? request.getOffset() : before >= 0 ? before : replica.size();
        StoreLimits.requireWithin(offset, payload.readableBytes(), replica.key());
        CompletableFuture<ChainOutcome> behind;
        if (chain.getRestCount() == 0) {
            behind = CompletableFuture.completedFuture(ChainOutcome.getDefaultInstance());
        } else {
            ForwardQueue queue = queues.of(replica.key());
            // Kept until the queue has its answer, also when we fail here.
            ByteBuf forwarded = payload.retainedDuplicate();
            behind =
                    queue.send(chain.getRestList(), forwards.write(request, offset, forwarded))
                            .whenComplete((_, _) -> forwarded.release());
        }
        if (before != offset) {
            replica.write(parts, offset);
            fences.appended(replica.key(), turn, request.getAppendId(), offset);
        }
        counters.writtenBytes.add(payload.readableBytes());
        return new Here(measured(replica, ChainOutcome.newBuilder().setOffset(offset)), behind);
    }

    /**
     * What every change tells: the size, when it was, and the space on disk where that is another
     * matter.
     */
    private static ChainOutcome.Builder measured(Replica replica, ChainOutcome.Builder outcome)
            throws IOException {
        if (!outcome.hasAllocated() && replica.mayBeSparse()) {
            outcome.setAllocated(replica.allocated());
        }
        return outcome.setSize(replica.size()).setMtime(modified(replica));
    }

    private static Duration age(Replica replica) throws IOException {
        var attributes = Files.readAttributes(replica.path(), BasicFileAttributes.class);
        return Duration.between(attributes.creationTime().toInstant(), Instant.now());
    }

    private static long modified(Replica replica) throws IOException {
        return Files.getLastModifiedTime(replica.path()).to(TimeUnit.NANOSECONDS);
    }

    private CompletableFuture<ChainOutcome> truncate(
            Exchange<TruncateObjectRequest, ChainOutcome> exchange) {
        TruncateObjectRequest request = exchange.request();
        Admission.Writing writing = admission.toChange(exchange, request.getChain());
        if (request.getSize() < 0) {
            throw new FarmException(ErrorKind.FILE_TOO_LARGE, "truncate", writing.key().toString());
        }
        return chained(
                () -> admission.stillWanted(exchange),
                request.getChain(),
                writing.client(),
                forwards.truncate(request),
                (replica, outcome) -> resize(replica, request.getSize()));
    }

    /** To the size that it has is a change, too, and no call of the JDK counts it as one. */
    private static void resize(Replica replica, long size) throws IOException {
        boolean same = replica.size() == size;
        replica.truncate(size);
        if (same) replica.disk().calls().date(replica.path());
    }

    private CompletableFuture<ChainOutcome> allocate(
            Exchange<AllocateObjectRequest, ChainOutcome> exchange) {
        AllocateObjectRequest request = exchange.request();
        Admission.Writing writing = admission.toChange(exchange, request.getChain());
        long offset = request.getOffset();
        long length = request.getLength();
        if (offset < 0 || length <= 0 || offset + length < 0) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "allocate",
                    writing.key().toString(),
                    "offset " + offset + " length " + length);
        }
        return allocateThrough(request, writing.client(), () -> admission.stillWanted(exchange));
    }

    /** As {@link #writeThrough}, for ranges without bytes. */
    public CompletableFuture<ChainOutcome> allocateThrough(
            AllocateObjectRequest request, long client, Runnable stillWanted) {
        return chained(
                stillWanted,
                request.getChain(),
                client,
                forwards.allocate(request),
                (replica, outcome) -> {
                    if (request.getPunchHole() || request.getZeroRange()) {
                        replica.zero(
                                request.getOffset(),
                                request.getLength(),
                                request.getKeepSize() || !request.getZeroRange());
                    }
                    if (!request.getPunchHole()) { // zeros keep their room
                        replica.allocate(
                                request.getOffset(), request.getLength(), request.getKeepSize());
                    }
                    // Also where there was nothing to do; else a copy would tell its own time.
                    replica.disk().calls().date(replica.path());
                });
    }

    private CompletableFuture<ChainOutcome> sync(
            Exchange<SyncObjectRequest, ChainOutcome> exchange) {
        SyncObjectRequest request = exchange.request();
        Admission.Writing writing =
                admission.toSync(
                        exchange, request.getChain(), request.getDurable() && !request.getDigest());
        long staged = request.getShip().getStaged();
        if (staged == 0) {
            return begun(exchange, writing, request)
                    .thenCompose(begun -> goOn(exchange, writing, begun));
        }
        return local.claim(
                        exchange.peer(),
                        writing.key(),
                        staged,
                        replica -> begin(exchange, replica, writing, request))
                .thenCompose(claimed ->
                        goOn(exchange, writing, claimed.result())
                                .thenApply(outcome ->
                                        outcome.toBuilder().setLocal(claimed.grant()).build())
                                .exceptionallyCompose(failure ->
                                        local.end(claimed.grant().getLease()) // nobody hears of it
                                                .thenCompose(_ ->
                                                        CompletableFuture.failedFuture(failure))));
    }

    /**
     * What a first turn of the object has come to.
     *
     * @param done all of it, but for what the others will say; null: it is not done
     * @param left what is still to be done then
     * @param sent to the others, of what was written locally
     */
    private record Begun(
            @Nullable Here done,
            SyncObjectRequest left,
            List<CompletableFuture<ChainOutcome>> sent) {}

    private CompletableFuture<Begun> begun(
            Exchange<?, ?> exchange, Admission.Writing writing, SyncObjectRequest request) {
        // Where nothing is here the others may have it all, and nothing must not take its place.
        boolean brings = request.getShip().getAll() && request.getChain().getRestCount() > 0;
        return store.change(
                writing.key(),
                brings ? IfAbsent.FAIL : ifAbsent(request.getChain()),
                replica -> begin(exchange, replica, writing, request));
    }

    /** A short file is done in this turn: the others get all at once, and answer meanwhile. */
    private Begun begin(
            Exchange<?, ?> exchange,
            Replica replica,
            Admission.Writing writing,
            SyncObjectRequest request)
            throws IOException {
        if (request.hasFill()) return new Begun(null, request, List.of());
        admission.stillWanted(exchange);
        fences.admit(replica.key(), Fences.Turn.of(request.getChain(), writing.client()));
        LocalShipping.Turn turn = shipping.first(replica, request);
        if (turn.next() >= 0) {
            SyncObjectRequest.Builder left = request.toBuilder();
            left.getShipBuilder().setFromBlock(turn.next());
            return new Begun(null, left.build(), turn.sent());
        }
        return new Begun(syncMeanwhile(replica, request), request, turn.sent());
    }

    /** Here while the others do it. */
    private Here syncMeanwhile(Replica replica, SyncObjectRequest request) throws IOException {
        CompletableFuture<ChainOutcome> behind =
                queues.of(replica.key())
                        .send(
                                request.getChain().getRestList(),
                                forwards.sync(request, modified(replica)));
        ChainOutcome.Builder outcome = ChainOutcome.newBuilder();
        syncHere(request, replica, outcome);
        return new Here(outcome, behind);
    }

    private CompletableFuture<ChainOutcome> goOn(
            Exchange<SyncObjectRequest, ChainOutcome> exchange,
            Admission.Writing writing,
            Begun begun) {
        Here done = begun.done;
        if (done != null) {
            return LocalShipping.failures(begun.sent)
                    .thenCombine(
                            done.rest,
                            (failures, behind) ->
                                    shipping.withFailures(
                                            together(done.outcome, behind), failures));
        }
        SyncObjectRequest request = begun.left;
        return shipping.ship(writing.key(), request, begun.sent)
                .thenCompose(shipped ->
                        shipped.next() >= 0
                                ? partly(writing.key(), shipped)
                                : synced(exchange, writing, request)
                                        .thenApply(outcome ->
                                                shipping.withFailures(
                                                        outcome, shipped.failures())));
    }

    private CompletableFuture<ChainOutcome> synced(
            Exchange<?, ?> exchange, Admission.Writing writing, SyncObjectRequest request) {
        ChainHeader chain = request.getChain();
        return store.change(
                        writing.key(),
                        ifAbsent(chain),
                        replica -> {
                            admission.stillWanted(exchange);
                            fences.admit(replica.key(), Fences.Turn.of(chain, writing.client()));
                            return syncMeanwhile(replica, request);
                        })
                .thenCompose(this::answer);
    }

    /** More is to be shipped in another call. */
    private CompletableFuture<ChainOutcome> partly(ObjectKey key, LocalShipping.Shipped shipped) {
        return store.read(
                        key,
                        replica -> {
                            ChainOutcome.Builder outcome = ChainOutcome.newBuilder();
                            describe(replica, outcome);
                            return outcome.setShipFrom(shipped.next()).build();
                        })
                .thenApply(outcome -> shipping.withFailures(outcome, shipped.failures()));
    }

    private static void syncHere(
            SyncObjectRequest request, Replica replica, ChainOutcome.Builder outcome)
            throws IOException {
        // Whoever is the first of the chain next tells when the file was changed, not copied. Who
        // may store into it here by a mapping shows that by its time.
        if (request.getModified() != 0 && !replica.hasLocalWriters()) {
            Files.setLastModifiedTime(
                    replica.path(), FileTime.from(request.getModified(), TimeUnit.NANOSECONDS));
        }
        boolean dataAlone = replica.isLocallyChanged() && LocalShipping.sumsCanWait(request);
        if (request.getDurable() && dataAlone) {
            replica.syncData();
        } else if (request.getDurable()) {
            replica.sync();
        } else if (!dataAlone) {
            replica.checkpoint();
        }
        if (request.getDigest()) {
            outcome.setDigest(ByteString.copyFrom(replica.digest()));
        }
        describe(replica, outcome);
    }

    private static void describe(Replica replica, ChainOutcome.Builder outcome) throws IOException {
        outcome.setSize(replica.size())
                .setMtime(modified(replica))
                .setAllocated(replica.allocated());
    }

    // ---- reading
    // ------------------------------------------------------------------------------------------------------------------

    private CompletableFuture<ChainOutcome> stat(
            Exchange<StatObjectRequest, ChainOutcome> exchange) {
        StatObjectRequest request = exchange.request();
        if (request.hasAppend()) {
            return statAppend(exchange, request);
        }
        ObjectKey key =
                admission.toSee(
                        exchange, request.getObject(), request.getTicket(), Doorkeeper.Right.STAT);
        CompletableFuture<ChainOutcome> made = statReplica(key);
        if (request.getStaged() == 0) return made;
        return made.handle(
                        (outcome, thrown) -> {
                            // An empty one may be what an earlier opening left, and yields then
                            // to what has bytes. Which of two empty ones counts nobody knows here,
                            // and the staged file's time is that of its making.
                            boolean absent = thrown != null && ObjectReads.isAbsent(thrown);
                            boolean yields = absent || (thrown == null && isEmpty(outcome));
                            return yields
                                    ? statStaged(key, request.getStaged())
                                            .thenApply(of -> absent || !isEmpty(of) ? of : outcome)
                                    : made;
                        })
                .thenCompose(found -> found);
    }

    private static boolean isEmpty(ChainOutcome outcome) {
        return outcome.getSize() == 0 && outcome.getAllocated() == 0;
    }

    private CompletableFuture<ChainOutcome> statReplica(ObjectKey key) {
        return store.read(
                key,
                replica -> {
                    ChainOutcome.Builder outcome = ChainOutcome.newBuilder();
                    describe(replica, outcome);
                    return outcome.build();
                });
    }

    /** Only its writer's own. A local writer appended without this node. */
    private CompletableFuture<ChainOutcome> statAppend(
            Exchange<?, ?> exchange, StatObjectRequest request) {
        Admission.Writing own =
                admission.toSeeOwn(exchange, request.getObject(), request.getTicket());
        return store.read(
                own.key(),
                replica -> {
                    ChainOutcome.Builder outcome = ChainOutcome.newBuilder();
                    describe(replica, outcome);
                    Fences.Found found =
                            fences.find(own.key(), request.getAppend(), own.client(), age(replica));
                    if (found.seen() == AppendSeen.APPEND_NOT_DONE && replica.isLocallyChanged()) {
                        return outcome.build();
                    }
                    return outcome.setAppendSeen(found.seen())
                            .setOffset(Math.max(0, found.place()))
                            .build();
                });
    }

    /** Of the file that the replica will be made of; again of the replica where it is by now. */
    private CompletableFuture<ChainOutcome> statStaged(ObjectKey key, long shown) {
        StagedState staged;
        try {
            staged = store.staged(shown);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(FarmException.of(e, "stat", key.toString()));
        }
        if (staged != null) {
            return CompletableFuture.completedFuture(
                    ChainOutcome.newBuilder()
                            .setSize(staged.size())
                            .setAllocated(staged.allocated())
                            .setMtime(staged.mtime())
                            .build());
        }
        return statReplica(key);
    }

    private CompletableFuture<SeekObjectReply> seek(
            Exchange<SeekObjectRequest, SeekObjectReply> exchange) {
        SeekObjectRequest request = exchange.request();
        ObjectKey key =
                admission.toSee(
                        exchange, request.getObject(), request.getTicket(), Doorkeeper.Right.READ);
        return store.read(
                key,
                replica -> {
                    long offset = request.getOffset();
                    if (offset < 0 || offset >= replica.size()) {
                        return SeekObjectReply.newBuilder().setNone(true).build();
                    }
                    long at =
                            request.getHole() ? replica.nextHole(offset) : replica.nextData(offset);
                    return at < 0
                            ? SeekObjectReply.newBuilder().setNone(true).build()
                            : SeekObjectReply.newBuilder().setOffset(at).build();
                });
    }
}
