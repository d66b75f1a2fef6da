package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What is done unasked to replicas that have rested: after a moment their sums are written beside
 * them, so that the death of this process costs no checksum; some seconds later they are made
 * durable, few ones each by itself, many ones by one sync of the disk. After that their headers say
 * clean, and a crash finds nothing to compare. Thread-safe.
 */
final class Settler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Settler.class);

    /** From so many on, one sync of the whole disk is cheaper than three per replica. */
    private static final int TOGETHER_MIN = 16;

    private final ReplicaStore store;
    private final Rested unsummed;
    private final Rested undurable;

    Settler(ReplicaStore store, Clock clock, StoreLimits limits) {
        this.store = store;
        this.unsummed = new Rested(clock, store.io(), limits.sumAfter(), this::sum);
        this.undurable = new Rested(clock, store.io(), limits.settleAfter(), this::settle);
    }

    /**
     * Those that are due later do not wait for one of these whose disk is slow: damage that comes
     * before the sums is not noticed.
     */
    private CompletableFuture<Void> sum(List<ObjectKey> keys) {
        keys.forEach(key -> quietly(key, Settler::sum));
        return CompletableFuture.completedFuture(null);
    }

    /** What somebody writes behind our back is summed when it is shipped: not before, unseen. */
    private static void sum(Replica replica) throws IOException {
        replica.rest();
        if (!replica.isLocallyChanged()) {
            replica.checkpoint();
        }
    }

    void changed(ObjectKey key) {
        unsummed.changed(key);
        undurable.changed(key);
    }

    void forget(ObjectKey key) {
        unsummed.forget(key);
        undurable.forget(key);
    }

    /** Completes when all of them are durable or have been found wanting. */
    private CompletableFuture<Void> settle(List<ObjectKey> keys) {
        if (keys.size() < TOGETHER_MIN) {
            return settleEach(keys);
        }
        Map<ObjectKey, Long> before = new HashMap<>();
        CompletableFuture<?>[] written =
                keys.stream()
                        .map(key ->
                                quietly(
                                        key,
                                        replica -> {
                                            replica.takeOver();
                                            sum(replica);
                                            synchronized (before) {
                                                before.put(key, replica.changes());
                                            }
                                        }))
                        .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(written)
                .thenCompose(_ -> syncDisks() ? marked(before) : settleEach(keys));
    }

    private boolean syncDisks() {
        for (DataDirectory disk : store.disks()) {
            if (disk.isFailed()) {
                continue;
            }
            try {
                if (!disk.calls().forceAll(disk.root())) {
                    return false;
                }
            } catch (IOException e) {
                disk.erred("sync", disk, e);
                return false;
            }
        }
        return true;
    }

    private CompletableFuture<Void> marked(Map<ObjectKey, Long> before) {
        return CompletableFuture.allOf(
                before.entrySet().stream()
                        .map(entry ->
                                quietly(
                                        entry.getKey(),
                                        replica -> {
                                            if (replica.changes() == entry.getValue()) {
                                                replica.wasMadeDurable();
                                            }
                                        }))
                        .toArray(CompletableFuture[]::new));
    }

    /** One after the other: nobody waits for it, and others need the threads of the disk. */
    private CompletableFuture<Void> settleEach(List<ObjectKey> keys) {
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        for (ObjectKey key : keys) {
            done = done.thenCompose(_ -> quietly(key, Replica::settle)).thenApply(_ -> null);
        }
        return done;
    }

    private interface Step {
        void run(Replica replica) throws IOException;
    }

    /**
     * An object that went away or fails meanwhile is no concern of this round: the store has noted
     * it.
     */
    private CompletableFuture<Boolean> quietly(ObjectKey key, Step step) {
        return store.changeUnsettled(
                        key,
                        replica -> {
                            step.run(replica);
                            return true;
                        })
                .exceptionally(failure -> {
                    LOG.debug("settle {}: {}", key, failure.toString());
                    return false;
                });
    }

    /** Makes everything durable now. */
    @Override
    public void close() {
        unsummed.end();
        settle(undurable.end()).join();
    }
}
