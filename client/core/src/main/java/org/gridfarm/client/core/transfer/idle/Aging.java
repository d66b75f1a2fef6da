package org.gridfarm.client.core.transfer.idle;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;

/**
 * One thing for each inode, until its time is over or somebody takes it away. What is over is shown
 * to its end by the clock, under no lock and still in its place: the end takes it away, under
 * whatever lock its owner has. Thread-safe.
 */
final class Aging<V> {
    private static final Duration GRAIN = Duration.ofMillis(10);

    private final Clock clock;
    private final ToLongFunction<V> until;
    private final BiConsumer<Long, V> end;

    @GuardedBy("this")
    private final Map<Long, V> byInode = new LinkedHashMap<>();

    @GuardedBy("this")
    private Clock.@Nullable Timer next;

    @GuardedBy("this")
    private long nextAt; // on the clock, while there is a next

    /**
     * @param until on the clock
     */
    Aging(Clock clock, ToLongFunction<V> until, BiConsumer<Long, V> end) {
        this.clock = clock;
        this.until = until;
        this.end = end;
    }

    synchronized int size() {
        return byInode.size();
    }

    /** False: there is one. */
    synchronized boolean addIfAbsent(long inode, V value) {
        boolean added = byInode.putIfAbsent(inode, value) == null;
        if (added) {
            lookBy(until.applyAsLong(value));
        }
        return added;
    }

    synchronized @Nullable V get(long inode) {
        return byInode.get(inode);
    }

    synchronized @Nullable V remove(long inode) {
        return byInode.remove(inode);
    }

    /** False: somebody else has taken it away. */
    synchronized boolean remove(long inode, V value) {
        return byInode.remove(inode, value);
    }

    /** The one that was added first; null: there is none. */
    synchronized @Nullable V removeEldest() {
        Iterator<V> all = byInode.values().iterator();
        if (!all.hasNext()) {
            return null;
        }
        V eldest = all.next();
        all.remove();
        return eldest;
    }

    synchronized List<V> removeAll() {
        List<V> all = List.copyOf(byInode.values());
        byInode.clear();
        return all;
    }

    @GuardedBy("this")
    private void lookBy(long at) {
        if (next != null && nextAt - at <= 0) {
            return;
        }
        if (next != null) {
            next.cancel();
        }
        nextAt = at;
        Duration left = Duration.ofNanos(at - clock.nanoTime());
        next = clock.after(left.compareTo(GRAIN) < 0 ? GRAIN : left, this::look);
    }

    private void look() {
        Map<Long, V> over = new LinkedHashMap<>();
        synchronized (this) {
            next = null;
            long now = clock.nanoTime();
            byInode.forEach((inode, value) -> {
                if (isOver(value, now)) {
                    over.put(inode, value);
                }
            });
            OptionalLong least =
                    byInode.values().stream()
                            .filter(value -> !isOver(value, now))
                            .mapToLong(value -> until.applyAsLong(value) - now)
                            .min();
            if (least.isPresent()) {
                lookBy(now + least.getAsLong());
            }
        }
        over.forEach(end);
    }

    private boolean isOver(V value, long now) {
        return now - until.applyAsLong(value) >= 0;
    }
}
