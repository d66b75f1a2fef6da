package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Makes replicas durable some seconds after their last change, unasked: few ones each by itself,
 * many ones by one sync of the disk. After that their headers say clean, and a crash finds nothing
 * to compare. Thread-safe.
 */
final class Settler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Settler.class);

    /** From so many on, one sync of the whole disk is cheaper than three per replica. */
    private static final int TOGETHER_MIN = 16;

    private final ReplicaStore store;
    private final Clock clock;
    private final Duration after;

    /** Key to the time of its last change, oldest first. */
    @GuardedBy("this")
    private final Map<ObjectKey, Long> changed = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean scheduled;

    @GuardedBy("this")
    private boolean closed;

    Settler(ReplicaStore store, Clock clock, Duration after) {
        this.store = store;
        this.clock = clock;
        this.after = after;
    }

    void changed(ObjectKey key) {
        synchronized (this) {
            changed.remove(key);
            changed.put(key, clock.nanoTime());
            schedule();
        }
    }

    @GuardedBy("this")
    private void schedule() {
        if (!scheduled && !closed && !changed.isEmpty()) {
            scheduled = true;
            clock.after(after.dividedBy(4), this::begin);
        }
    }

    private synchronized void begin() {
        if (!closed) {
            store.io().execute(this::round);
        }
    }

    synchronized void forget(ObjectKey key) {
        changed.remove(key);
    }

    private void round() {
        List<ObjectKey> due = new ArrayList<>();
        synchronized (this) {
            long now = clock.nanoTime();
            var oldest = changed.entrySet().iterator();
            while (oldest.hasNext()) {
                var next = oldest.next();
                if (now - next.getValue() < after.toNanos()) {
                    break;
                }
                due.add(next.getKey());
                oldest.remove();
            }
        }
        settle(due)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        LOG.warn("making replicas durable: {}", failure.toString());
                    }
                    synchronized (this) {
                        scheduled = false;
                        schedule();
                    }
                });
    }

    /** Completes when all of them are durable or have been found wanting. */
    private CompletableFuture<Void> settle(List<ObjectKey> keys) {
        if (keys.size() < TOGETHER_MIN) {
            return each(keys);
        }
        Map<ObjectKey, Long> before = new HashMap<>();
        CompletableFuture<?>[] written =
                keys.stream()
                        .map(key ->
                                quietly(
                                        key,
                                        replica -> {
                                            replica.takeOver();
                                            replica.checkpoint();
                                            synchronized (before) {
                                                before.put(key, replica.changes());
                                            }
                                        }))
                        .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(written)
                .thenCompose(_ -> syncDisks() ? marked(before) : each(keys));
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

    private CompletableFuture<Void> each(List<ObjectKey> keys) {
        return CompletableFuture.allOf(
                keys.stream()
                        .map(key -> quietly(key, Replica::settle))
                        .toArray(CompletableFuture[]::new));
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
        List<ObjectKey> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(changed.keySet());
            changed.clear();
        }
        settle(all).join();
    }
}
