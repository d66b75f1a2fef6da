package org.gridfarm.client.core.transfer.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.session.Turns;
import org.gridfarm.client.core.transfer.grant.WriteGrant;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Effect;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Ended;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.Ask;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.Claim;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.Disconnected;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.Granted;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.LastWriterClosed;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.Refused;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.Shipped;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event.StruckOff;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Held;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Shipping;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Staged;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Step;
import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The grant to write into the attached node's replica, from its first use to the last close of a
 * writer: calls the node as the steps of {@link WriteGrant} say. A node that was away has forgotten
 * the grant: it is asked for anew at once, and from then on every block counts as changed until a
 * sync has shipped them all. The grant is <em>lost</em> when the file is no replica any more, since
 * the node was struck off; the bytes are still to be had from the file.
 *
 * <p>A staged file is claimed for its object when anything has to be done about that, and unasked
 * soon: until then its node does not know of the object. Thread-safe.
 */
public final class LocalWriting {
    private static final Logger log = LoggerFactory.getLogger(LocalWriting.class);

    /** Who writes. */
    public enum By {
        /** Programs, behind this process's back; its ledger tells the next one of them. */
        KERNEL,
        /**
         * The same, but only through mappings: another node headed the chain when it was granted,
         * and what others write comes to the file, too.
         */
        MAPPINGS,
        /** Threads of this process. */
        THREADS,
        /** The same, into a file that had no content when it was opened. */
        THREADS_ANEW
    }

    public final LocalReplica replica;
    private final AttachedNode attached;
    private final GrantOwner owner;
    private final By by;

    @GuardedBy("this")
    private WriteGrant<Peer> grant;

    @GuardedBy("this")
    private Runnable watching = () -> {}; // takes back

    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> underWay; // of the call to the node

    private final long claimLatest; // of a staged file
    private final Turns changes = new Turns(1);
    private final ReadWriteLock onTheSpot = new ReentrantReadWriteLock();
    private volatile int syncedAt = -1; // after so many renewals; -1: never
    private volatile long sizeTold = -1; // to the leader, since it was granted; -1: none

    /**
     * @param begun by a former process: what its node has shipped is not known
     */
    public LocalWriting(
            AttachedNode attached, GrantOwner owner, LocalReplica replica, boolean begun, By by) {
        this.by = by;
        this.attached = attached;
        this.owner = owner;
        this.replica = replica;
        this.claimLatest =
                attached.clock().nanoTime() + TransferLimits.CLAIM_UNTOUCHED_AFTER.toNanos();
        Peer node = replica.node();
        Shipping shipping = new Shipping(begun || isCompared() ? 1 : 0, 0);
        this.grant = node == null ? new Staged<>(shipping) : new Held<>(node, shipping);
        if (node != null) {
            watch(node);
        } else {
            claimLater();
        }
    }

    private void claimLater() {
        attached.clock()
                .after(
                        TransferLimits.CLAIM_AFTER,
                        () -> {
                            if (!isOver() && !replica.isClaimed()) {
                                attached.disk().run(this::claimUnasked);
                            }
                        });
    }

    /** Nothing has been written yet, and nobody else knows of it. */
    public boolean isUntouched() {
        return !isLost() && replica.isUntouched();
    }

    /** The replica is what it was before this process was given it. */
    public boolean isUnchanged() {
        return !isLost() && replica.isUnchanged();
    }

    /** The kernel writes a replica that its node has given, not one made of a staged file. */
    public boolean isInPlace() {
        return by == By.KERNEL && replica.file.staged() == 0 && !isLost();
    }

    /**
     * It had no content when it was opened, though it is made of no staged file: people expect its
     * sums to be right from the close on.
     */
    public boolean isAnew() {
        return by == By.THREADS_ANEW;
    }

    /** It was made of a staged file, and its node reads all of it in one turn. */
    public boolean isNewAndShort() {
        return replica.file.staged() != 0
                && !isCompared()
                && !isLost()
                && replica.size() <= TransferLimits.CLOSED_LATER_MAX;
    }

    /** To see whether its last sync still holds takes no time. */
    public boolean isShort() {
        return !isLost() && replica.size() <= TransferLimits.COMPARED_BYTES_MAX;
    }

    public synchronized boolean isLost() {
        return grant.isLost();
    }

    /** What was changed in the file is found by comparing it with what the chain has. */
    public boolean isCompared() {
        return by == By.MAPPINGS;
    }

    /** The node is no member of the chain any more. */
    public void lose() {
        step(new StruckOff<>());
    }

    /**
     * The chain may have what is not in our file: to bring that there as it is might undo what
     * others were told is written.
     */
    public boolean mayBeOvertaken() {
        return isCompared() || (isLost() && owner.haveOthersWritten());
    }

    public synchronized void end() {
        step(new LastWriterClosed<>());
        watching.run();
    }

    private synchronized List<Effect> step(Event<Peer> event) {
        Step<Peer> step = grant.step(event);
        grant = step.next();
        return step.effects();
    }

    /** So often the grant was renewed: syncs with the same number saw the same node. */
    public synchronized int renewals() {
        return grant.shipping().renewals();
    }

    /** True while the rest of the chain may lack any block. */
    public synchronized boolean mustShipAll() {
        return grant.shipping().mustShipAll();
    }

    /** Its node, asked after so many renewals, has made all of it durable: bytes and name. */
    public void synced(int since) {
        syncedAt = since;
    }

    /** What has come since to be durable is bytes alone, which whoever has the file can force. */
    public boolean isDurableButBytes() {
        return isSynced() && replica.size() == sizeTold;
    }

    private synchronized boolean isSynced() {
        return !isCompared() && grant instanceof Held && syncedAt == grant.shipping().renewals();
    }

    /** The leader knows that the file has that size; who has it alone has told it. */
    public void told(long size) {
        sizeTold = size;
    }

    /** A sync that began after so many renewals has shipped everything. */
    public void shipped(int since) {
        step(new Shipped<>(since));
    }

    /**
     * The file holds the very bytes that its chain has agreed on, and nobody has written them again
     * since: its node tells when. False also where to look would take longer than to ask, and where
     * it cannot be read.
     */
    public boolean isAsAgreed(ChainOutcome agreed) {
        try {
            return holds(agreed);
        } catch (FarmException e) {
            log.debug("{} is not compared: {}", replica.file.path(), e.getMessage());
            return false;
        }
    }

    private boolean holds(ChainOutcome agreed) {
        int length = (int) Math.min(agreed.getSize(), TransferLimits.COMPARED_BYTES_MAX + 1);
        if (isLost()
                || mustShipAll()
                || agreed.getDigest().isEmpty()
                || length > TransferLimits.COMPARED_BYTES_MAX
                || replica.size() != length
                || replica.modified() > agreed.getMtime()) {
            return false;
        }
        ByteBuf bytes = replica.readThere(0, length);
        try {
            byte[] now = ContentDigest.of(bytes.nioBuffers());
            return replica.size() == length && agreed.getDigest().equals(ByteString.copyFrom(now));
        } finally {
            bytes.release();
        }
    }

    // ---- coming back to a node that was away
    // ---------------------------------------------------------------------------------------

    private void watch(Peer node) {
        Runnable unwatch = node.whenClosed(() -> disconnected(node));
        boolean over;
        synchronized (this) {
            over = grant instanceof Ended;
            if (!over) {
                watching.run();
                watching = unwatch;
            }
        }
        if (over) {
            unwatch.run();
        }
    }

    private void disconnected(Peer node) {
        if (step(new Disconnected<>(node)).contains(Effect.RENEW_SOON)) {
            renewSoon();
        }
    }

    private void renewSoon() {
        attached.clock().after(TransferLimits.RETRY_PAUSE, this::renewUnasked);
    }

    private synchronized boolean isOver() {
        return !grant.isWanted();
    }

    /**
     * One into which nothing was written is left: it may be closed so, and no replica is needed.
     */
    private void claimUnasked() {
        if (isOver() || replica.isClaimed()) {
            return;
        }
        if (mayWait()) {
            claimLater();
        } else {
            renewUnasked();
        }
    }

    private boolean mayWait() {
        try {
            return replica.isUntouched() && attached.clock().nanoTime() - claimLatest < 0;
        } catch (FarmException e) {
            if (isOver()) {
                return false; // its last writer closes it at this moment
            }
            throw e;
        }
    }

    private void renewUnasked() {
        synchronized (this) {
            if (!grant.isWanted() || grant instanceof Held) {
                return;
            }
        }
        owner.layout()
                .thenCompose(layout -> {
                    ObjectLocation location = layout.getObjects(0);
                    Replica here = Chain.holderAt(location, attached.name(), !isCompared());
                    if (here == null) {
                        lose();
                        return CompletableFuture.completedFuture(null);
                    }
                    return attached.nodes()
                            .connect(here)
                            .thenCompose(peer -> heldAt(peer, location.getObject(), here));
                })
                .whenComplete((done, thrown) -> {
                    if (thrown != null && !isOver()) {
                        log.debug("local writing is not granted again: {}", thrown.getMessage());
                        renewSoon();
                    }
                });
    }

    /**
     * Before anything is asked of the chain its head makes the replica of the staged file, if there
     * is one: it would know nothing of the object, or begin an empty one. Where it cannot be
     * reached nothing else will be, either.
     */
    public CompletableFuture<Void> claimed(Layout layout) {
        boolean there = layout.getObjectsCount() > 0 && layout.getObjects(0).getReplicasCount() > 0;
        if (replica.isClaimed() || isLost() || !there) {
            return CompletableFuture.completedFuture(null);
        }
        ObjectLocation location = layout.getObjects(0);
        if (!location.getReplicas(0).getNode().equals(attached.name())) {
            return CompletableFuture.completedFuture(null);
        }
        Replica head = location.getReplicas(0);
        return attached.nodes()
                .connect(head)
                .handle((peer, thrown) ->
                        thrown == null
                                ? heldAt(peer, location.getObject(), head)
                                : CompletableFuture.<Void>completedFuture(null))
                .thenCompose(done -> done);
    }

    /**
     * The call claims the staged file, too, and tells of the grant in its outcome. Null: it is no
     * staged file any more, or is being claimed; {@link #heldAt} is to be asked first.
     */
    public @Nullable CompletableFuture<ChainOutcome> claimedBy(
            Peer peer, Supplier<CompletableFuture<ChainOutcome>> call) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        synchronized (this) {
            if (!step(new Claim<>(peer)).contains(Effect.CALL)) {
                return null;
            }
            underWay = mine;
            replica.claimAsked();
        }
        return call.get()
                .handle((outcome, thrown) ->
                        attached.disk()
                                .get(() -> {
                                    FarmException failure =
                                            thrown == null
                                                    ? granted(outcome.getLocal(), peer)
                                                    : FarmException.of(thrown, "sync", "");
                                    answered(peer, mine, failure);
                                    if (failure != null) {
                                        throw failure;
                                    }
                                    return outcome;
                                }))
                .thenCompose(claimed -> claimed);
    }

    /** Completes when the node at this end knows of the writing; STALE when it is lost. */
    public CompletableFuture<Void> heldAt(Peer peer, ObjectId object, Replica head) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        synchronized (this) {
            List<Effect> effects = step(new Ask<>(peer));
            if (effects.contains(Effect.REFUSE)) {
                return CompletableFuture.failedFuture(lostFailure("the node was struck off"));
            }
            if (effects.contains(Effect.KNOWN)) {
                return CompletableFuture.completedFuture(null);
            }
            if (effects.contains(Effect.AWAIT)) {
                return Objects.requireNonNull(underWay);
            }
            underWay = mine;
            replica.claimAsked();
        }
        OpenLocalRequest request = request(object, head, replica.file.staged());
        peer.callPlain(StorageMethods.OPEN_LOCAL, request, TransferLimits.HEDGE_AFTER)
                .whenComplete((reply, thrown) ->
                        attached.disk()
                                .run(() ->
                                        answered(
                                                peer,
                                                mine,
                                                thrown == null
                                                        ? granted(reply, peer)
                                                        : refused(thrown))));
        return mine;
    }

    /**
     * Changes of this process go into the file in the order in which this is called, though they
     * wait for the disk.
     */
    public <T> CompletableFuture<T> inTurn(Supplier<T> change) {
        return changes.take(() -> attached.disk().get(change));
    }

    /**
     * What the caller's thread changes by itself, if it does: whoever waits for quiet waits for it.
     */
    public boolean onTheSpot(BooleanSupplier change) {
        onTheSpot.readLock().lock();
        try {
            return change.getAsBoolean();
        } finally {
            onTheSpot.readLock().unlock();
        }
    }

    /** Completes when the changes of this process that have begun are over. */
    public CompletableFuture<Void> quiet() {
        return inTurn(() -> {
            onTheSpot.writeLock().lock();
            onTheSpot.writeLock().unlock();
            return null;
        });
    }

    /** False while a claim is under way: until its answer nobody knows where the file lies. */
    public synchronized boolean isPlaced() {
        return underWay == null;
    }

    /** After a claim that is under way now: until its answer nobody knows where the file lies. */
    public <T> CompletableFuture<T> whenPlaced(Supplier<CompletableFuture<T>> step) {
        CompletableFuture<Void> now;
        synchronized (this) {
            now = underWay;
        }
        return now == null
                ? step.get()
                : now.handle((done, thrown) -> step.get()).thenCompose(result -> result);
    }

    private void answered(
            Peer peer, CompletableFuture<Void> asked, @Nullable FarmException failure) {
        List<Effect> effects;
        synchronized (this) {
            effects = step(failure == null ? new Granted<>(peer) : new Refused<>(peer));
            underWay = underWay == asked ? null : underWay;
        }
        if (effects.contains(Effect.WATCH)) {
            watch(peer);
        }
        if (effects.contains(Effect.GIVE_BACK)) {
            attached.givenBack().add(peer, replica.lease(), false);
        }
        if (failure == null) {
            asked.complete(null);
        } else {
            asked.completeExceptionally(failure);
        }
    }

    /**
     * To go on writing into what the node has, or into the staged file that it is to be made of.
     */
    public static OpenLocalRequest request(ObjectId object, Replica head, long staged) {
        return OpenLocalRequest.newBuilder()
                .setObject(object)
                .setTicket(head.getTicket())
                .setWrite(true)
                .setStaged(staged)
                .build();
    }

    private @Nullable FarmException granted(OpenLocalReply reply, Peer peer) {
        return replica.renewed(reply, peer)
                ? null
                : lostFailure("the replica is another file by now");
    }

    private static FarmException refused(Throwable thrown) {
        FarmException failure = FarmException.of(thrown, "open-local", "");
        return isGone(failure) ? lostFailure(failure.getMessage()) : failure;
    }

    /** The node has answered that it will not be had again. */
    public static boolean isGone(FarmException failure) {
        return failure.kind() == ErrorKind.OBJECT_ABSENT
                || failure.kind() == ErrorKind.CORRUPT
                || failure.kind() == ErrorKind.DISK_FAILED
                || failure.kind().retry() == Retry.NEVER;
    }

    public static FarmException lostFailure(String why) {
        return new FarmException(
                ErrorKind.STALE, "write", "", "its node lost what was written locally: " + why);
    }
}
