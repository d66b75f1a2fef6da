package org.gridfarm.storagenode.control;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.HeldObject;
import org.gridfarm.protocol.wire.InventoryReply;
import org.gridfarm.protocol.wire.InventoryRequest;
import org.gridfarm.storagenode.replica.Inventory;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.ReplicaStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends the whole holding in pages and does what each answer says. A new registration makes an
 * older report stop. Thread-safe.
 */
final class InventoryReport {
    private static final int PAGE_OBJECTS = 1000;
    private static final Duration PAGE_DEADLINE = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(InventoryReport.class);

    private final NodeFacts facts;
    private final ReplicaStore store;
    private final Executor background;
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicLong objects = new AtomicLong();

    InventoryReport(NodeFacts facts, ReplicaStore store, Executor background) {
        this.facts = facts;
        this.store = store;
        this.background = background;
    }

    /** Replicas counted at the last report. */
    long objects() {
        return objects.get();
    }

    void start(Peer peer) {
        int mine = turn.incrementAndGet();
        background.execute(() -> {
            try {
                new Pages(peer, mine).run();
            } catch (IOException | RuntimeException e) {
                FarmException why = FarmException.of(e, "report inventory", peer.address());
                LOG.warn("{}", why.getMessage());
                if (mine == turn.get()) {
                    peer.close(); // the next registration begins it anew
                }
            }
        });
    }

    /** One report, on the background thread. */
    private final class Pages {
        private final Peer peer;
        private final int mine;
        private InventoryRequest.Builder page = blank();
        private long count;

        Pages(Peer peer, int mine) {
            this.peer = peer;
            this.mine = mine;
        }

        private InventoryRequest.Builder blank() {
            return InventoryRequest.newBuilder()
                    .setName(facts.name())
                    .setIncarnation(facts.incarnation());
        }

        void run() throws IOException {
            new Inventory(store)
                    .walk((key, size, dirty) -> {
                        page.addObjects(
                                HeldObject.newBuilder()
                                        .setObject(key.id())
                                        .setSize(size)
                                        .setDirty(dirty));
                        count++;
                        if (page.getObjectsCount() >= PAGE_OBJECTS) {
                            send(false);
                        }
                        return mine == turn.get();
                    });
            if (mine == turn.get()) {
                send(true);
                objects.set(count);
                LOG.info("reported {} replicas", count);
            }
        }

        private void send(boolean end) {
            InventoryReply reply;
            try {
                reply =
                        peer.callPlain(
                                        MetadataMethods.INVENTORY,
                                        page.setEnd(end).build(),
                                        PAGE_DEADLINE)
                                .join();
            } catch (CompletionException e) {
                throw FarmException.of(e, "report inventory", peer.address());
            }
            page = blank();
            reply.getQuarantineList()
                    .forEach(id -> store.moveToLostAndFound(ObjectKey.of(id)).join());
            count -= reply.getQuarantineCount();
        }
    }
}
