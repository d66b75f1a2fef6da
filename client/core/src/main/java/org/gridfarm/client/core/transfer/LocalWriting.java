package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.gridfarm.protocol.wire.Replica;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CompletableFuture;

/**
 * The grant to write into the attached node's replica, from its first use to the last close of a
 * writer. A node that was away has forgotten the grant: it is asked for anew at once, and from then
 * on every block counts as changed until a sync has shipped them all. The grant is <em>lost</em>
 * when the file is no replica any more, since the node was struck off; the bytes are still to be
 * had from the file. Thread-safe.
 */
final class LocalWriting {
    private static final Logger log = LoggerFactory.getLogger(LocalWriting.class);

    final LocalReplica replica;
    private final Wiring wiring;
    private final OpenInode open;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private boolean lost;

    @GuardedBy("this")
    private int renewals;

    @GuardedBy("this")
    private int shippedSince; // all of them

    /**
     * @param begun by a former process: what its node has shipped is not known
     */
    LocalWriting(Wiring wiring, OpenInode open, LocalReplica replica, boolean begun) {
        this.renewals = begun ? 1 : 0;
        this.wiring = wiring;
        this.open = open;
        this.replica = replica;
        watch(replica.node());
    }

    synchronized boolean isLost() {
        return lost;
    }

    /** The node is no member of the chain any more. */
    synchronized void lose() {
        lost = true;
    }

    synchronized void end() {
        ended = true;
    }

    /** So often the grant was renewed: syncs with the same number saw the same node. */
    synchronized int renewals() {
        return renewals;
    }

    /** True while the rest of the chain may lack any block. */
    synchronized boolean mustShipAll() {
        return renewals > shippedSince;
    }

    /** A sync that began after so many renewals has shipped everything. */
    synchronized void shipped(int since) {
        shippedSince = Math.max(shippedSince, since);
    }

    // ---- coming back to a node that was away
    // ---------------------------------------------------------------------------------------

    private void watch(Peer node) {
        node.closed().thenRun(this::renewSoon);
    }

    private void renewSoon() {
        wiring.clock().after(TransferLimits.RETRY_PAUSE, this::renewUnasked);
    }

    private synchronized boolean isOver() {
        return ended || lost;
    }

    private void renewUnasked() {
        if (isOver() || replica.node().isOpen()) {
            return;
        }
        open.layout()
                .thenCompose(layout -> {
                    ObjectLocation location = layout.getObjects(0);
                    Replica head = location.getReplicas(0);
                    if (!head.getNode().equals(wiring.attached())) {
                        lose();
                        return CompletableFuture.completedFuture(null);
                    }
                    return wiring.nodes()
                            .connect(head)
                            .thenCompose(peer -> heldAt(peer, location.getObject(), head));
                })
                .whenComplete((done, thrown) -> {
                    if (thrown != null && !isOver()) {
                        log.debug("local writing is not granted again: {}", thrown.getMessage());
                        renewSoon();
                    }
                });
    }

    /** Completes when the node at this end knows of the writing; STALE when it is lost. */
    CompletableFuture<Void> heldAt(Peer peer, ObjectId object, Replica head) {
        if (isLost()) {
            return CompletableFuture.failedFuture(lostFailure("the node was struck off"));
        }
        if (peer == replica.node()) {
            return CompletableFuture.completedFuture(null);
        }
        OpenLocalRequest request =
                OpenLocalRequest.newBuilder()
                        .setObject(object)
                        .setTicket(head.getTicket())
                        .setWrite(true)
                        .build();
        return peer.callPlain(StorageMethods.OPEN_LOCAL, request, TransferLimits.HEDGE_AFTER)
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        FarmException failure = FarmException.of(thrown, "open-local", "");
                        boolean gone =
                                failure.kind() == ErrorKind.OBJECT_ABSENT
                                        || failure.kind() == ErrorKind.CORRUPT
                                        || failure.kind() == ErrorKind.DISK_FAILED
                                        || failure.kind().retry() == Retry.NEVER;
                        throw gone ? lostFailure(failure.getMessage()) : failure;
                    }
                    if (!replica.renewed(reply, peer)) {
                        throw lostFailure("the replica is another file by now");
                    }
                    synchronized (this) {
                        renewals++;
                    }
                    watch(peer);
                    return null;
                });
    }

    static FarmException lostFailure(String why) {
        return new FarmException(
                ErrorKind.STALE, "write", "", "its node lost what was written locally: " + why);
    }
}
