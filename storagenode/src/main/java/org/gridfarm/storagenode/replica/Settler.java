package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Rounds;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What is done unasked to replicas that have rested: after a moment their sums are written beside
 * them, so that the death of this process costs no checksum; some seconds later they are made
 * durable, few ones each by itself, many ones by one sync of the disk. After that their headers say
 * clean, and a crash finds nothing to compare. Thread-safe.
 *
 * <p>What a local writer has left changed is read as a whole to take its sums: one replica after
 * the other, at {@link #BYTES_PER_SECOND} at most, so that nobody else's work on the disks waits
 * for it.
 */
final class Settler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Settler.class);

    /** From so many on, one sync of the whole disk is cheaper than three per replica. */
    private static final int TOGETHER_MIN = 16;

    /** Of replicas whose sums are taken anew: a fraction of what memory or a fast disk gives. */
    static final long BYTES_PER_SECOND = 256 << 20;

    /**
     * Who opens, changes and closes a file again and again has it read once, afterwards; and what
     * is damaged in this time is not noticed.
     */
    private static final int LEFT_CHANGED_REST = 4; // times as long as before sums are written

    private final ReplicaStore store;
    private final Clock clock;
    private final Rested unsummed;
    private final Rested leftChanged;
    private final Rested undurable;

    @GuardedBy("this")
    private CompletableFuture<Void> forced = CompletableFuture.completedFuture(null);

    /** Has not begun. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> nextForced;

    Settler(ReplicaStore store, Clock clock, StoreLimits limits) {
        this.store = store;
        this.clock = clock;
        this.unsummed = new Rested(clock, store.io(), limits.sumAfter(), this::sum);
        this.leftChanged =
                new Rested(
                        clock,
                        store.io(),
                        limits.sumAfter().multipliedBy(LEFT_CHANGED_REST),
                        this::sumAnew);
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

    /** The last of its local writers has gone and leaves it changed. */
    void leftChanged(ObjectKey key) {
        leftChanged.changed(key);
    }

    void forget(ObjectKey key) {
        unsummed.forget(key);
        leftChanged.forget(key);
        undurable.forget(key);
    }

    private CompletableFuture<Void> sumAnew(List<ObjectKey> keys) {
        return inTurn(keys, this::sumAnew);
    }

    private CompletableFuture<Void> sumAnew(ObjectKey key) {
        AtomicLong next = new AtomicLong();
        return Rounds.of(() -> sumSome(key, next))
                .thenRun(() -> undurable.changed(key))
                .exceptionally(failure -> {
                    LOG.debug("sums of {}: {}", key, failure.toString());
                    return null;
                });
    }

    /** False: nothing is left to be done, or somebody writes again and leaves it changed later. */
    private CompletableFuture<Boolean> sumSome(ObjectKey key, AtomicLong next) {
        long from = next.get();
        return store.changeUnsettled(
                        key,
                        replica -> {
                            boolean left = replica.isLeftChanged();
                            next.set(left ? Verifier.sumSome(replica, from) : -1);
                            return next.get() >= 0;
                        })
                .thenCompose(more -> more ? paused() : CompletableFuture.completedFuture(false));
    }

    private CompletableFuture<Boolean> paused() {
        CompletableFuture<Boolean> goesOn = new CompletableFuture<>();
        Duration pause =
                Duration.ofNanos(SummedData.RESCAN_BYTES * 1_000_000_000L / BYTES_PER_SECOND);
        clock.after(pause, () -> goesOn.complete(true));
        return goesOn;
    }

    /** Completes when all of them are durable or have been found wanting. */
    private CompletableFuture<Void> settle(List<ObjectKey> rested) {
        // By a writer who has not come back, though he may have outlived a process of this node.
        rested.stream().filter(this::isLeftChanged).forEach(leftChanged::changed);
        List<ObjectKey> keys = rested.stream().filter(key -> !isLeftChanged(key)).toList();
        if (keys.size() < TOGETHER_MIN) {
            return settleEach(keys);
        }
        return summed(keys).thenCompose(before -> syncDisks() ? marked(before) : settleEach(keys));
    }

    /** Writes their sums; how often each had been changed by then. */
    private CompletableFuture<Map<ObjectKey, Long>> summed(List<ObjectKey> keys) {
        Map<ObjectKey, Long> changes = new ConcurrentHashMap<>();
        CompletableFuture<?>[] written =
                keys.stream()
                        .map(key ->
                                quietly(
                                        key,
                                        replica -> {
                                            sum(replica);
                                            changes.put(key, replica.changes());
                                        }))
                        .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(written).thenApply(_ -> changes);
    }

    /** What it holds is on stable storage then; sums of what a local writer changes come later. */
    CompletableFuture<Void> force(ObjectKey key) {
        return store.changeUnsettled(
                        key,
                        replica -> {
                            if (replica.isLocallyChanged()) replica.syncData();
                            else replica.sync();
                            return true;
                        })
                .thenAccept(_ -> {});
    }

    /**
     * Everything that was changed until now is on stable storage then. One sync of the disks serves
     * all who ask before it begins.
     */
    synchronized CompletableFuture<Void> forceAll() {
        CompletableFuture<Void> waiting = nextForced;
        if (waiting == null) {
            waiting =
                    forced.exceptionally(failure -> null)
                            .thenComposeAsync(_ -> forceNow(), store.io());
            nextForced = waiting;
        }
        return waiting;
    }

    private CompletableFuture<Void> forceNow() {
        synchronized (this) {
            forced = Objects.requireNonNull(nextForced);
            nextForced = null;
        }
        List<ObjectKey> changed = undurable.all();
        return summed(changed.stream().filter(key -> !isLeftChanged(key)).toList())
                .thenCompose(
                        before -> forceDisks() ? marked(before) : inTurn(changed, this::force));
    }

    /** False: the system has no call for that. */
    private boolean forceDisks() {
        for (DataDirectory disk : store.disks()) {
            if (disk.isFailed()) {
                continue; // what lay there is lost, as everybody knows
            }
            try {
                if (!disk.calls().forceAll(disk.root())) {
                    return false;
                }
            } catch (IOException e) {
                throw disk.erred("sync", disk, e);
            }
        }
        return true;
    }

    /** One after the other, each to its end before the next: others need the disk's threads. */
    private static CompletableFuture<Void> inTurn(
            List<ObjectKey> keys, Function<ObjectKey, CompletableFuture<?>> step) {
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        for (ObjectKey key : keys) {
            done = done.thenCompose(_ -> step.apply(key)).thenApply(_ -> null);
        }
        return done;
    }

    private boolean isLeftChanged(ObjectKey key) {
        Replica open = store.peek(key);
        return open != null && open.isLeftChanged();
    }

    /** The same for what nobody waits for: the disk has noted its failure. */
    private boolean syncDisks() {
        try {
            return forceDisks();
        } catch (FarmException e) {
            return false;
        }
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

    private CompletableFuture<Void> settleEach(List<ObjectKey> keys) {
        return inTurn(keys, key -> quietly(key, Replica::settle));
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

    /** Makes everything durable now; takes the sums of what was left changed before. */
    @Override
    public void close() {
        unsummed.end();
        List<ObjectKey> keys = undurable.end();
        CompletableFuture.allOf(
                        Stream.concat(leftChanged.end().stream(), keys.stream())
                                .filter(this::isLeftChanged)
                                .map(key -> quietly(key, Replica::rescanAll))
                                .toArray(CompletableFuture[]::new))
                .thenCompose(_ -> settle(keys))
                .join();
    }
}
