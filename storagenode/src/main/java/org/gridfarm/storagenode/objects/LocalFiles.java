package org.gridfarm.storagenode.objects;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.CloseLocalRequest;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.StageReply;
import org.gridfarm.protocol.wire.StageRequest;
import org.gridfarm.protocol.wire.StagedFile;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.Replica;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.gridfarm.storagenode.replica.ReplicaStore.IfAbsent;
import org.gridfarm.storagenode.replica.Verifier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The plain file for a client on this host. Reading: when all blocks were compared with their sums
 * not too long ago, else they are now. Writing: the replica counts as changed behind our back until
 * the client closes it or has been away for a while, and its sums are then taken anew. Thread-safe.
 */
public final class LocalFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LocalFiles.class);

    /**
     * A mount whose process died goes on in another within seconds, and the kernel writes on
     * meanwhile: sums taken at once would soon be wrong.
     */
    private static final Duration WRITER_MISSED_FOR = Duration.ofSeconds(30);

    /**
     * Longer files that were changed where they lie have their sums taken later: who closes one may
     * open it again at once.
     */
    private static final long SUMMED_AT_CLOSE_MAX = 256 << 10;

    /** For one request. */
    private static final int STAGED_AT_ONCE_MAX = 64;

    private final ReplicaStore store;
    private final Verifier verifier;
    private final Doorkeeper doorkeeper;
    private final NodeLease lease;
    private final NodeCounters counters;
    private final Clock clock;
    private final Entropy entropy;
    private final Duration verifyAge;
    private final Grants grants;
    private final Intake intake;

    /**
     * @param grantedMax replicas that may be granted for writing at once
     */
    public LocalFiles(
            ReplicaStore store,
            Verifier verifier,
            Doorkeeper doorkeeper,
            NodeLease lease,
            NodeCounters counters,
            Clock clock,
            Entropy entropy,
            Duration verifyAge,
            int grantedMax,
            Intake intake) {
        this.store = store;
        this.verifier = verifier;
        this.doorkeeper = doorkeeper;
        this.lease = lease;
        this.counters = counters;
        this.clock = clock;
        this.entropy = entropy;
        this.verifyAge = verifyAge;
        this.intake = intake;
        this.grants = new Grants(grantedMax);
    }

    public void register(Services.Builder services) {
        services.onAsync(StorageMethods.OPEN_LOCAL, intake.bounded(this::open))
                .onAsync(StorageMethods.CLOSE_LOCAL, intake.bounded(this::close))
                .onAsync(StorageMethods.STAGE, intake.bounded(this::stage));
    }

    /** Whose staged files and grants they are: the same for every process of this client. */
    private static String owner(Peer client) {
        return client.identity().dn();
    }

    private CompletableFuture<StageReply> stage(Exchange<StageRequest, StageReply> exchange) {
        StageRequest request = exchange.request();
        String owner = owner(exchange.peer());
        lease.require("stage");
        StagedFor given = StagedFor.of(exchange.peer(), numbers -> discardUnused(numbers, owner));
        return CompletableFuture.supplyAsync(
                () -> {
                    List<Long> unused = request.getUnusedList();
                    int again = Math.min(unused.size(), STAGED_AT_ONCE_MAX);
                    List<ReplicaStore.Place> places =
                            store.stageAgain(unused.subList(0, again), owner);
                    store.unstage(request.getDiscardList(), owner);
                    int wanted = Math.min(request.getCount(), STAGED_AT_ONCE_MAX);
                    places.addAll(store.stage(Math.min(wanted, grants.room()), owner));
                    given.add(places.stream().map(ReplicaStore.Place::number).toList());
                    StageReply.Builder reply = StageReply.newBuilder();
                    for (ReplicaStore.Place place : places) {
                        reply.addFiles(
                                StagedFile.newBuilder()
                                        .setNumber(place.number())
                                        .setPath(place.path().toAbsolutePath().toString()));
                    }
                    return reply.build();
                },
                store.io());
    }

    /** A process that went on for the client's has claimed by then what is open there. */
    private void discardUnused(List<Long> numbers, String owner) {
        clock.after(
                WRITER_MISSED_FOR,
                () -> store.io().execute(() -> store.unstageUnused(numbers, owner)));
    }

    private CompletableFuture<OpenLocalReply> open(
            Exchange<OpenLocalRequest, OpenLocalReply> exchange) {
        OpenLocalRequest request = exchange.request();
        lease.require("open-local");
        ObjectKey key = ObjectKey.of(request.getObject());
        doorkeeper.admit(
                exchange.peer(),
                key,
                request.getTicket(),
                request.getWrite() ? Doorkeeper.Right.WRITE_LOCALLY : Doorkeeper.Right.READ);
        (request.getWrite() ? counters.localWrites : counters.localReads).increment();
        if (!request.getWrite()) return openForReading(key);
        if (request.getStaged() != 0) {
            return claim(exchange.peer(), key, request.getStaged(), Replica::size)
                    .thenApply(Claimed::grant);
        }
        store.requireRoomForLocalWriter("open-local");
        return openForWriting(exchange.peer(), key, request.getCreate(), false);
    }

    /** For a task of this node, while no program of this host writes into it. */
    public CompletableFuture<Path> plainFile(Peer caller, ObjectId object, ByteString ticket) {
        ObjectKey key = ObjectKey.of(object);
        lease.require("show plain file");
        doorkeeper.admit(caller, key, ticket, Doorkeeper.Right.READ);
        counters.localReads.increment();
        return store.read(key, Replica::isLocallyChanged)
                .thenCompose(isChanging -> {
                    if (isChanging) {
                        throw new FarmException(
                                ErrorKind.BUSY, "show plain file", key.toString(), "it is written");
                    }
                    return openForReading(key);
                })
                .thenApply(granted -> Path.of(granted.getPath()));
    }

    /** All sums are taken anew when he has written, which must not bless damage. */
    private CompletableFuture<OpenLocalReply> openForWriting(
            Peer client, ObjectKey key, boolean create, boolean verified) {
        long number = newLease();
        return store.change(
                        key,
                        create ? IfAbsent.CREATE : IfAbsent.FAIL,
                        replica ->
                                verified || isSound(replica)
                                        ? Optional.of(beginWriting(client, replica, number, 0))
                                        : Optional.<OpenLocalReply>empty())
                .thenCompose(begun ->
                        begun.isPresent()
                                ? CompletableFuture.completedFuture(begun.get())
                                : verifyNow(key)
                                        .thenCompose(
                                                _ -> openForWriting(client, key, false, true)));
    }

    private boolean isSound(Replica replica) {
        return replica.isLocallyChanged() || isFresh(replica.verifiedAt());
    }

    private CompletableFuture<OpenLocalReply> openForReading(ObjectKey key) {
        return store.read(
                        key,
                        replica ->
                                isSound(replica)
                                        ? Optional.of(granted(replica, 0))
                                        : Optional.<OpenLocalReply>empty())
                .thenCompose(fresh ->
                        fresh.isPresent()
                                ? CompletableFuture.completedFuture(fresh.get())
                                : verifyNow(key)
                                        .thenCompose(_ ->
                                                store.read(key, replica -> granted(replica, 0))));
    }

    /**
     * @param lease 0: for reading
     */
    private OpenLocalReply granted(Replica replica, long lease) throws IOException {
        return OpenLocalReply.newBuilder()
                .setPath(replica.path().toAbsolutePath().toString())
                .setSize(replica.size())
                .setLease(lease)
                .setFreshSeconds(freshSeconds(replica, lease != 0))
                .build();
    }

    /** Of what is written here all sums are taken when its writer is done. */
    private long freshSeconds(Replica replica, boolean written) {
        return written || replica.isLocallyChanged()
                ? verifyAge.toSeconds()
                : Math.max(0, freshSeconds(replica.verifiedAt()));
    }

    private boolean isFresh(long verifiedAt) {
        return freshSeconds(verifiedAt) >= 0;
    }

    /** Negative: no more, or the clock was set back. */
    private long freshSeconds(long verifiedAt) {
        long age = clock.now().getEpochSecond() - verifiedAt;
        return age < 0 ? age : verifyAge.toSeconds() - age;
    }

    private CompletableFuture<Boolean> verifyNow(ObjectKey key) {
        return verifier.verify(key, Verifier.UNTHROTTLED)
                .thenApply(result -> {
                    if (!result.badBlocks().isEmpty()) {
                        throw new FarmException(
                                ErrorKind.CORRUPT,
                                "open-local",
                                key.toString(),
                                "block "
                                        + result.badBlocks().get(0)
                                        + " does not match its checksum");
                    }
                    return true;
                });
    }

    /** What was granted, and what was done in the same turn of the object. */
    record Claimed<T>(OpenLocalReply grant, T result) {}

    /**
     * For a client that was admitted to write: the replica is made of its staged file, and what is
     * to follow is done with it. Where that fails nothing stays granted. Who claims again has not
     * heard of the grant before, which ends.
     */
    <T> CompletableFuture<Claimed<T>> claim(
            Peer client, ObjectKey key, long staged, ReplicaStore.Work<T> next) {
        long number = newLease();
        return store.changeStaged(
                        key,
                        staged,
                        owner(client),
                        () -> grants.of(key).forEach(this::forget),
                        replica -> {
                            OpenLocalReply grant = beginWriting(client, replica, number, staged);
                            Long before = grants.claimed(staged, number);
                            if (before != null && forget(before) != null) {
                                replica.endLocalWriting(true);
                            }
                            return new Claimed<>(grant, next.run(replica));
                        })
                .exceptionallyCompose(failure ->
                        end(number).thenCompose(_ -> CompletableFuture.failedFuture(failure)));
    }

    private long newLease() {
        return entropy.nextLong() | 1; // never 0, which stands for reading
    }

    private OpenLocalReply beginWriting(Peer client, Replica replica, long number, long staged)
            throws IOException {
        Runnable forget = endWith(client, number);
        try {
            grants.add(number, new Grants.Grant(replica.key(), owner(client), staged, forget));
        } catch (FarmException e) {
            forget.run();
            throw e;
        }
        try {
            replica.beginLocalWriting();
        } catch (IOException | RuntimeException e) {
            Object unused = forget(number); // it has not begun
            throw e;
        }
        return granted(replica, number);
    }

    private Runnable endWith(Peer client, long number) {
        return client.whenClosed(() -> clock.after(WRITER_MISSED_FOR, () -> end(number)));
    }

    private CompletableFuture<Empty> close(Exchange<CloseLocalRequest, Empty> exchange) {
        CloseLocalRequest request = exchange.request();
        String owner = owner(exchange.peer());
        List<CompletableFuture<Boolean>> ended = new ArrayList<>();
        request.getLeasesList().forEach(number -> ended.add(end(number, true, owner)));
        request.getUnchangedList().forEach(number -> ended.add(end(number, false, owner)));
        return CompletableFuture.allOf(ended.toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> Empty.getDefaultInstance());
    }

    /** Null: it has ended before. */
    private Grants.@Nullable Grant forget(long number) {
        Grants.Grant grant = grants.remove(number);
        if (grant != null) {
            grant.forget().run();
        }
        return grant;
    }

    /** Of a client that may have written. */
    CompletableFuture<Boolean> end(long number) {
        return end(number, true);
    }

    /**
     * Of a new file every byte was written, so taking its sums costs no more than that; and until
     * they are taken no damage is noticed.
     */
    private boolean sumsLater(Replica replica, Grants.Grant ended) throws IOException {
        return replica.isLocallyChanged()
                && ended.staged() == 0
                && replica.size() > SUMMED_AT_CLOSE_MAX
                && store.sumLater(replica.key());
    }

    /** Nothing happens to what was granted to somebody else. */
    private CompletableFuture<Boolean> end(long number, boolean wrote, String owner) {
        return grants.isOf(number, owner)
                ? end(number, wrote)
                : CompletableFuture.completedFuture(false);
    }

    /** Completes when the sums are right again or are left to a later pass, or cannot be right. */
    private CompletableFuture<Boolean> end(long number, boolean wrote) {
        Grants.Grant ended = forget(number);
        if (ended == null) {
            return CompletableFuture.completedFuture(false);
        }
        ObjectKey key = ended.key();
        return store.change(
                        key,
                        IfAbsent.FAIL,
                        replica -> {
                            if (replica.hasLocalWriters()) {
                                replica.endLocalWriting(wrote);
                            }
                            return replica.hasLocalWriters() || sumsLater(replica, ended)
                                    ? -1
                                    : Verifier.sumSome(replica, 0);
                        })
                .thenCompose(next ->
                        next < 0
                                ? CompletableFuture.completedFuture(true)
                                : verifier.sumAnew(key, next))
                .exceptionally(thrown -> {
                    FarmException failure = FarmException.of(thrown, "sum", key.toString());
                    boolean isGone = // removed, or emptied, since: every short-lived file is
                            failure.kind() == ErrorKind.OBJECT_ABSENT
                                    || failure.kind() == ErrorKind.WRONG_GENERATION;
                    LOG.atLevel(isGone ? Level.DEBUG : Level.INFO)
                            .log("after local writing of {}: {}", key, failure.getMessage());
                    return false;
                });
    }
}
