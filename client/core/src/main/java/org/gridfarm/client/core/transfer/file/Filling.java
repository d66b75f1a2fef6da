package org.gridfarm.client.core.transfer.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.SyncObjectRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Gives nodes that join the chain of an open file what was there before: the head sends it down the
 * chain between the writes, a second's worth at a call; a commit then makes them members. Goes on
 * as long as there is a writer; begins again where the chain changes meanwhile. Thread-safe.
 */
public final class Filling {
    private static final Logger LOG = LoggerFactory.getLogger(Filling.class);

    /** Before a fill that did not come to its end is begun again. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final OpenInode open;
    private final Wiring wiring;

    @GuardedBy("this")
    private final Set<Integer> running = new HashSet<>();

    @GuardedBy("this")
    private boolean looksAtChain;

    Filling(OpenInode open, Wiring wiring) {
        this.open = open;
        this.wiring = wiring;
    }

    /**
     * The metaserver has another chain, or misses a member: whoever joins is not kept waiting for a
     * write, and whoever is gone is found so.
     */
    public void chainChanged() {
        if (!open.hasWriter() || open.plain.areNone()) {
            return;
        }
        synchronized (this) {
            if (looksAtChain) {
                return;
            }
            looksAtChain = true;
        }
        FileWrites.aside(wiring, open)
                .agree(false, false)
                .whenComplete((done, thrown) -> {
                    synchronized (this) {
                        looksAtChain = false;
                    }
                    if (thrown != null) { // whoever syncs is told so
                        LOG.debug(
                                "chain of {}: {}", Long.toHexString(open.inode), thrown.toString());
                    }
                });
    }

    /** A layout was taken. */
    public void look() {
        for (Map.Entry<Integer, Set<String>> lacking : open.lacking().entrySet()) {
            begin(lacking.getKey(), lacking.getValue());
        }
    }

    private void begin(int stripe, Set<String> nodes) {
        synchronized (this) {
            if (!running.add(stripe)) {
                return;
            }
        }
        new Fill(stripe, nodes)
                .from(0)
                .thenCompose(done -> commit(stripe, nodes))
                .whenComplete((done, thrown) -> {
                    synchronized (this) {
                        running.remove(stripe);
                    }
                    if (thrown == null) {
                        look();
                    } else {
                        LOG.info(
                                "stripe {} of {} is not at {} yet: {}",
                                stripe,
                                Long.toHexString(open.inode),
                                nodes,
                                FarmException.of(thrown, "write", "").getMessage());
                        wiring.clock().after(PAUSE, this::look);
                    }
                });
    }

    /** What they hold is told, and with the answer they are members like the others. */
    private CompletableFuture<Void> commit(int stripe, Set<String> nodes) {
        open.filled(stripe, nodes);
        FarmFileHandle writer = FarmFileHandle.strongest(open.handles());
        if (writer == null || !writer.flags().write()) {
            return CompletableFuture.completedFuture(null); // closed meanwhile
        }
        return writer.committed().thenCompose(done -> open.refresh(0));
    }

    /** One object on its way to the nodes that join. */
    private final class Fill {
        private final int stripe;
        private final Set<String> nodes;
        private volatile String head = "";

        Fill(int stripe, Set<String> nodes) {
            this.stripe = stripe;
            this.nodes = nodes;
        }

        CompletableFuture<Void> from(long block) {
            if (!open.hasWriter()) {
                return CompletableFuture.failedFuture(changed("the file was closed"));
            }
            return open.chains
                    .of(stripe)
                    .submitAside(
                            (peer, chain, deadline) -> send(peer, chain, deadline, block),
                            wiring.session().deadline())
                    .thenCompose(outcome -> {
                        for (MemberFailure failure : outcome.getFailuresList()) {
                            if (nodes.contains(failure.getNode())) {
                                return CompletableFuture.failedFuture(changed(failure.getDetail()));
                            }
                        }
                        return outcome.getShipFrom() > 0
                                ? from(outcome.getShipFrom())
                                : CompletableFuture.completedFuture(null);
                    });
        }

        private CompletableFuture<ChainOutcome> send(
                Peer peer, Chain chain, Duration deadline, long block) {
            String now = chain.head().getNode();
            boolean other = block > 0 && !now.equals(head);
            if (other || !chain.joining().equals(nodes)) {
                return CompletableFuture.failedFuture(changed("the chain has changed"));
            }
            head = now;
            return peer.callPlain(
                    StorageMethods.SYNC,
                    SyncObjectRequest.newBuilder()
                            .setChain(chain.header())
                            .setFill(SyncObjectRequest.Fill.newBuilder().setFromBlock(block))
                            .setDurable(true)
                            .build(),
                    deadline);
        }

        private static FarmException changed(String why) {
            return new FarmException(ErrorKind.CANCELLED, "fill", "", why);
        }
    }
}
