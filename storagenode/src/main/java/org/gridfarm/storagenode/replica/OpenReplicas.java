package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The lanes and the open files, as many as may be open; those not used for longest are closed
 * first. An entry stays until its file is closed, so that a key never has two. Thread-safe.
 */
final class OpenReplicas {
    private static final Logger LOG = LoggerFactory.getLogger(OpenReplicas.class);

    /** What one key has; the replica is set and cleared in its lane. */
    final class Entry {
        final ObjectKey key;
        final Lane lane;

        private volatile @Nullable Replica
                replica; // volatile: the table looks without waiting for an open in progress

        private int users; // guarded by the table

        private boolean pinned; // as above: it is counted as one that is not to be closed

        private Entry(ObjectKey key) {
            this.key = key;
            this.lane = new Lane(executor);
        }

        /** The open replica, opened by the given action if it is not; readers may come together. */
        synchronized Replica replica(Opener opener) throws IOException {
            Replica open = replica;
            if (open == null) {
                open = opener.open(key);
                replica = open;
            }
            return open;
        }

        @Nullable Replica openOrNull() {
            return replica;
        }

        /** Closes the file, if it is open; alone in the lane. */
        synchronized void close() throws IOException {
            Replica open = replica;
            replica = null;
            if (open != null) {
                open.close();
            }
        }
    }

    interface Opener {
        Replica open(ObjectKey key) throws IOException;
    }

    /** What is done to an entry in its lane. */
    interface Action<T> {
        T run(Entry entry) throws Exception;
    }

    private static final int EVICTED_PART = 16;

    private final Executor executor;
    private final int openMax;

    @GuardedBy("this")
    private int pinned;

    @GuardedBy("this")
    private final Map<ObjectKey, Entry> entries = new LinkedHashMap<>(256, 0.75f, true);

    OpenReplicas(Executor executor, int openMax) {
        this.executor = executor;
        this.openMax = openMax;
    }

    <T> CompletableFuture<T> submit(ObjectKey key, boolean exclusive, Action<T> action) {
        Entry entry = use(key);
        Callable<T> call = () -> action.run(entry);
        CompletableFuture<T> result = entry.lane.submit(exclusive, call);
        // Not chained: the caller's futures must not wait for the table.
        return result.whenComplete((_, _) -> leave(entry));
    }

    private Entry use(ObjectKey key) {
        synchronized (this) {
            Entry entry = entries.computeIfAbsent(key, Entry::new);
            entry.users++;
            return entry;
        }
    }

    private void leave(Entry entry) {
        List<Entry> tooMany = new ArrayList<>();
        synchronized (this) {
            entry.users--;
            count(entry);
            if (entry.users == 0 && entry.openOrNull() == null) {
                entries.remove(entry.key);
            }
            int excess = entries.size() - pinned - openMax;
            if (excess > 0) {
                excess += openMax / EVICTED_PART; // so that the table is seldom looked through
                for (Entry candidate : entries.values()) {
                    if (candidate.users == 0 && evictable(candidate)) {
                        candidate.users++;
                        tooMany.add(candidate);
                        if (tooMany.size() >= excess) {
                            break;
                        }
                    }
                }
            }
        }
        for (Entry eldest : tooMany) {
            close(eldest);
        }
    }

    @GuardedBy("this")
    private void count(Entry entry) {
        boolean now = !evictable(entry);
        if (now != entry.pinned) {
            pinned += now ? 1 : -1;
            entry.pinned = now;
        }
    }

    /** Those that stay open while their local writers are at it. */
    synchronized int pinned() {
        return pinned;
    }

    private static boolean evictable(Entry entry) {
        Replica replica = entry.openOrNull();
        return replica == null || !replica.isLocallyChanged() && !replica.isFailed();
    }

    private void close(Entry entry) {
        entry.lane
                .submit(
                        true,
                        () -> {
                            Replica replica = entry.openOrNull();
                            if (replica != null && !replica.isLocallyChanged()) {
                                entry.close();
                            }
                            return true;
                        })
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        LOG.warn("close {}: {}", entry.key, failure.toString());
                    }
                    leave(entry);
                });
    }

    /** Keys with something open or running. */
    synchronized List<ObjectKey> keys() {
        return List.copyOf(entries.keySet());
    }

    synchronized @Nullable Replica peek(ObjectKey key) {
        Entry entry = entries.get(key);
        return entry == null ? null : entry.openOrNull();
    }

    /** Closes everything; nothing may be submitted any more. */
    void closeAll() {
        List<Entry> all;
        synchronized (this) {
            all = List.copyOf(entries.values());
            all.forEach(entry -> entry.users++);
        }
        CompletableFuture.allOf(
                        all.stream()
                                .map(entry ->
                                        entry.lane.submit(
                                                true,
                                                () -> {
                                                    entry.close();
                                                    return true;
                                                }))
                                .toArray(CompletableFuture[]::new))
                .exceptionally(failure -> {
                    LOG.warn("closing replicas: {}", failure.toString());
                    return null;
                })
                .join();
    }
}
