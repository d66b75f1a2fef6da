package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Hands over objects that nobody has changed for a while, those that are due together in one round;
 * one round at a time. Thread-safe.
 */
final class Rested {
    private static final Logger LOG = LoggerFactory.getLogger(Rested.class);

    private final Clock clock;
    private final Executor executor;
    private final Duration after;
    private final Function<List<ObjectKey>, CompletableFuture<Void>> round;

    /** Key to the time of its last change, oldest first. */
    @GuardedBy("this")
    private final Map<ObjectKey, Long> changed = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean scheduled;

    @GuardedBy("this")
    private boolean ended;

    Rested(
            Clock clock,
            Executor executor,
            Duration after,
            Function<List<ObjectKey>, CompletableFuture<Void>> round) {
        this.clock = clock;
        this.executor = executor;
        this.after = after;
        this.round = round;
    }

    synchronized void changed(ObjectKey key) {
        changed.remove(key);
        changed.put(key, clock.nanoTime());
        schedule();
    }

    synchronized void forget(ObjectKey key) {
        changed.remove(key);
    }

    /** Those that a round is still to come for. */
    synchronized List<ObjectKey> all() {
        return List.copyOf(changed.keySet());
    }

    /** No round begins any more; what would still have come. */
    synchronized List<ObjectKey> end() {
        ended = true;
        List<ObjectKey> left = List.copyOf(changed.keySet());
        changed.clear();
        return left;
    }

    @GuardedBy("this")
    private void schedule() {
        if (!scheduled && !ended && !changed.isEmpty()) {
            scheduled = true;
            clock.after(after.dividedBy(4), this::begin);
        }
    }

    private synchronized void begin() {
        if (!ended) {
            executor.execute(() -> round.apply(due()).whenComplete((_, failure) -> over(failure)));
        }
    }

    private synchronized List<ObjectKey> due() {
        List<ObjectKey> due = new ArrayList<>();
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
        return due;
    }

    private synchronized void over(Throwable failure) {
        if (failure != null) {
            LOG.warn("after changes of replicas: {}", failure.toString());
        }
        scheduled = false;
        schedule();
    }
}
