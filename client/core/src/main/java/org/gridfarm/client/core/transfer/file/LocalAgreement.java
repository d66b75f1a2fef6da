package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.chain.ObjectChain;
import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Rounds;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.SyncObjectRequest;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the chain of a file that the kernel writes agree. As long as the attached node heads the
 * chain, it ships what was written, a second's worth at a call. When it is gone, this process reads
 * the file itself and writes it to the nodes that are left, or to others. Where another node headed
 * the chain from the start the file is compared with that node's.
 */
final class LocalAgreement {
    private final Wiring wiring;
    private final OpenInode open;
    private final LocalWriting writing;
    private final FileWrites writes;
    private final boolean durable;
    private final boolean digest;
    private volatile long goodAt; // when it last went on

    LocalAgreement(
            Wiring wiring,
            OpenInode open,
            LocalWriting writing,
            FileWrites writes,
            boolean durable,
            boolean digest) {
        this.wiring = wiring;
        this.open = open;
        this.writing = writing;
        this.writes = writes;
        this.durable = durable;
        this.digest = digest;
        this.goodAt = wiring.clock().nanoTime();
    }

    CompletableFuture<Void> reach() {
        return attempt()
                .handle((done, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return afterFailure(FarmException.of(thrown, "write", ""));
                })
                .thenCompose(done -> done);
    }

    private CompletableFuture<Void> attempt() {
        CompletableFuture<Void> known =
                open.wasShared() ? open.refresh(0) : CompletableFuture.completedFuture(null);
        return known.thenCompose(done -> open.layout())
                .thenCompose(layout -> {
                    ObjectLocation location = layout.getObjects(0);
                    Replica here = Chain.holderAt(location, wiring.attached().name(), false);
                    if (here == null || (!writing.isCompared() && !isHead(location))) {
                        writing.lose();
                    }
                    if (isHead(location) && !writing.isLost()) {
                        return shipped(0, writing.renewals());
                    }
                    return writing.mayBeOvertaken() ? told() : rescued(isHead(location));
                });
    }

    private boolean isHead(ObjectLocation location) {
        return Chain.holderAt(location, wiring.attached().name(), true) != null;
    }

    private CompletableFuture<Void> afterFailure(FarmException failure) {
        long now = wiring.clock().nanoTime();
        boolean lost = failure.kind() == ErrorKind.STALE;
        boolean goesOn = lost || failure.kind() == ErrorKind.CANCELLED;
        boolean untold = writing.isLost() && writing.mayBeOvertaken();
        boolean hopeless = !goesOn && (untold || failure.kind().retry() == Retry.NEVER);
        long left = wiring.session().deadline().toNanos() - (now - goodAt);
        if (hopeless || left <= TransferLimits.RETRY_PAUSE.toNanos()) {
            return CompletableFuture.failedFuture(failure);
        }
        boolean struck = lost || now - goodAt >= TransferLimits.RESCUE_AFTER.toNanos();
        CompletableFuture<Void> next = new CompletableFuture<>();
        CompletableFuture<Void> before =
                struck && !writing.isLost() && !writing.isCompared()
                        ? open.chains.mend(
                                0, Set.of(wiring.attached().name()), false, failure.getMessage())
                        : CompletableFuture.completedFuture(null);
        before.handle((done, thrown) ->
                wiring.clock()
                        .after(
                                TransferLimits.RETRY_PAUSE,
                                () ->
                                        reach().whenComplete((fine, again) -> {
                                            if (again == null) {
                                                next.complete(null);
                                            } else {
                                                next.completeExceptionally(again);
                                            }
                                        })));
        return next;
    }

    // ---- by the node
    // -----------------------------------------------------------------------------------------------------------------------

    private CompletableFuture<Void> shipped(long from, int since) {
        return writes.submit(0, syncing(from, since), TransferLimits.RESCUE_AFTER)
                .thenCompose(outcome -> {
                    goodAt = wiring.clock().nanoTime();
                    if (outcome.getShipFrom() > 0) {
                        return shipped(outcome.getShipFrom(), since);
                    }
                    writing.shipped(since);
                    return CompletableFuture.completedFuture(null);
                });
    }

    private ObjectChain.Command syncing(long from, int since) {
        return new ObjectChain.Command() {
            @Override
            public CompletableFuture<ChainOutcome> send(Peer head, Chain chain, Duration deadline) {
                return sync(head, chain, deadline, from, since);
            }

            @Override
            public boolean claims() {
                return true;
            }
        };
    }

    private CompletableFuture<ChainOutcome> sync(
            Peer head, Chain chain, Duration deadline, long from, int since) {
        if (writing.isLost() || !chain.head().getNode().equals(wiring.attached().name())) {
            return CompletableFuture.failedFuture(
                    LocalWriting.lostFailure(chain.head().getNode() + " heads the chain now"));
        }
        if (!durable && from == 0) {
            // A file that was staged, written and closed: claimed along with its first sync. Not
            // where that may take its time: a grant whose answer comes too late is not given back.
            long staged = writing.replica.file.staged();
            CompletableFuture<ChainOutcome> claimed =
                    writing.claimedBy(
                            head,
                            () ->
                                    head.callPlain(
                                            StorageMethods.SYNC,
                                            shipping(chain, from, staged),
                                            deadline));
            if (claimed != null) {
                return claimed.exceptionallyCompose(thrown ->
                        LocalWriting.isGone(FarmException.of(thrown, "open-local", ""))
                                // what of both was refused shows when they are asked one by one
                                ? syncHeld(head, chain, deadline, from, since)
                                : CompletableFuture.failedFuture(thrown));
            }
        }
        return syncHeld(head, chain, deadline, from, since);
    }

    private CompletableFuture<ChainOutcome> syncHeld(
            Peer head, Chain chain, Duration deadline, long from, int since) {
        return writing.heldAt(head, chain.object(), chain.head())
                .thenCompose(held -> {
                    if (writing.renewals() != since) {
                        // It has forgotten what it had shipped: begin again.
                        return CompletableFuture.failedFuture(
                                new FarmException(
                                        ErrorKind.CANCELLED, "write", "", "the node was away"));
                    }
                    return head.callPlain(StorageMethods.SYNC, shipping(chain, from, 0), deadline);
                });
    }

    /**
     * @param staged the file to claim before; 0: none
     */
    private SyncObjectRequest shipping(Chain chain, long from, long staged) {
        return request(chain, durable, digest && !sumsLater(chain))
                .setShip(
                        SyncObjectRequest.Ship.newBuilder()
                                .setFromBlock(from)
                                .setAll(writing.mustShipAll())
                                .setStaged(staged))
                .build();
    }

    /**
     * A replica that was changed where it lies and is nowhere else is not read to be closed: its
     * node takes the sums when it rests, and the file has no digest until somebody asks for it.
     */
    private boolean sumsLater(Chain chain) {
        return chain.rest().isEmpty()
                && !writing.isAnew()
                && writing.replica.file.staged() == 0
                && writing.replica.size() > TransferLimits.COMPARED_BYTES_MAX;
    }

    private static SyncObjectRequest.Builder request(
            Chain chain, boolean onDisk, boolean withDigest) {
        return SyncObjectRequest.newBuilder()
                .setChain(chain.header())
                .setDurable(onDisk)
                .setDigest(withDigest);
    }

    // ---- by this process
    // -------------------------------------------------------------------------------------------------------------------

    private CompletableFuture<Void> rescued(boolean isHead) {
        if (isHead) {
            Set<String> here = Set.of(wiring.attached().name());
            return open.chains
                    .mend(0, here, false, "the node lost what was written locally")
                    .thenCompose(done -> attempt());
        }
        LocalReplica file = writing.replica;
        long size = file.size();
        return pieces(file, size)
                .thenCompose(done -> writes.resizeObject(size))
                .thenCompose(done -> synced(0, durable, digest));
    }

    /** What is the chain's and what is ours is to be told apart. */
    private CompletableFuture<Void> told() {
        return new MappedChanges(wiring, open, writing, writes, () -> synced(0, false, false))
                .sent()
                .thenCompose(done -> synced(0, durable, digest));
    }

    /** What a local writer at the head wrote is shipped before, in as many calls as it takes. */
    private CompletableFuture<Void> synced(long from, boolean onDisk, boolean withDigest) {
        return writes.submit(
                        0,
                        (peer, chain, deadline) ->
                                peer.callPlain(
                                        StorageMethods.SYNC,
                                        request(chain, onDisk, withDigest)
                                                .setShip(
                                                        SyncObjectRequest.Ship.newBuilder()
                                                                .setFromBlock(from))
                                                .build(),
                                        deadline),
                        wiring.session().deadline())
                .thenCompose(outcome -> {
                    goodAt = wiring.clock().nanoTime();
                    return outcome.getShipFrom() > 0
                            ? synced(outcome.getShipFrom(), onDisk, withDigest)
                            : CompletableFuture.completedFuture(null);
                });
    }

    /** One piece after the other, each with the time of an operation; a hole is one piece. */
    private CompletableFuture<Void> pieces(LocalReplica file, long size) {
        AtomicLong next = new AtomicLong();
        return Rounds.of(() -> wiring.attached().disk().call(() -> piece(file, next, size)));
    }

    private CompletableFuture<Boolean> piece(LocalReplica file, AtomicLong next, long size) {
        long from = next.get();
        if (from >= size) {
            return CompletableFuture.completedFuture(false);
        }
        long data = file.nextData(wiring.attached().localCalls(), from, size);
        if (data > from) {
            return gone(writes.punchObject(from, data - from), next, data);
        }
        int length = (int) Math.min(TransferLimits.RESCUE_BYTES, size - from);
        ByteBuf bytes = file.readThere(from, length);
        int got = bytes.readableBytes();
        if (got == 0) {
            bytes.release();
            return CompletableFuture.completedFuture(false); // it has been cut meanwhile
        }
        if (isZeros(bytes)) {
            bytes.release();
            return gone(writes.punchObject(from, got), next, from + got);
        }
        return gone(writes.writeObject(from, bytes), next, from + got);
    }

    private static CompletableFuture<Boolean> gone(
            CompletableFuture<?> piece, AtomicLong next, long end) {
        return piece.thenApply(done -> {
            next.set(end);
            return true;
        });
    }

    private static boolean isZeros(ByteBuf bytes) {
        return bytes.forEachByte(value -> value == 0) < 0;
    }
}
