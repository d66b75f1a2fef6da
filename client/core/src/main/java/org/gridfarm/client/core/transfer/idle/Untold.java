package org.gridfarm.client.core.transfer.idle;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Files that this client has opened for reading by a decision of its own, and the leader has not
 * heard of.
 *
 * <pre>
 *   untold --tell--> being told --answered--> told: a handle as any other
 *   untold --closed--> nothing
 * </pre>
 *
 * The leader is told before anybody else can come to the file, before the file loses its last name
 * or is opened for writing here, and before anything is asked of it in the name of the handle. Most
 * are closed before that, and cost no call. Thread-safe.
 */
public final class Untold {
    /** A file that is open for reading. */
    public interface Reader {
        long inode();

        long id();

        /** Completes when the leader has it open. */
        CompletableFuture<Void> tellLeader();
    }

    private final Releases releases;

    @GuardedBy("this")
    private final Map<Long, Set<Reader>> untold = new HashMap<>(); // by inode

    @GuardedBy("this")
    private final Map<Reader, CompletableFuture<Void>> beingTold = new HashMap<>();

    public Untold(Releases releases) {
        this.releases = releases;
    }

    public synchronized void add(Reader handle) {
        untold.computeIfAbsent(handle.inode(), inode -> new LinkedHashSet<>()).add(handle);
    }

    /** The leader may not know that the file is open here. Waits for nobody. */
    public synchronized boolean has(long inode) {
        return untold.containsKey(inode)
                || (!beingTold.isEmpty()
                        && beingTold.keySet().stream().anyMatch(one -> one.inode() == inode));
    }

    /** Its program has closed it. True: the leader need not be told of that by the caller. */
    public boolean closed(Reader handle) {
        CompletableFuture<Void> soon;
        synchronized (this) {
            if (remove(handle)) return true;
            soon = beingTold.get(handle);
        }
        if (soon == null) return false;
        soon.whenComplete((done, thrown) -> forget(handle));
        return true;
    }

    /** It is closed, and the leader has heard of it, or may have. */
    private void forget(Reader handle) {
        synchronized (this) {
            remove(handle);
        }
        releases.release(handle.id());
    }

    @GuardedBy("this")
    private boolean remove(Reader handle) {
        Set<Reader> ofInode = untold.get(handle.inode());
        if (ofInode == null || !ofInode.remove(handle)) return false;
        if (ofInode.isEmpty()) untold.remove(handle.inode());
        return true;
    }

    /** Completes when the leader knows of the handle; fails when it cannot be told. */
    public CompletableFuture<Void> tell(Reader handle) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        synchronized (this) {
            CompletableFuture<Void> before = beingTold.get(handle);
            if (before != null) return before;
            if (!remove(handle)) return CompletableFuture.completedFuture(null);
            beingTold.put(handle, mine);
        }
        handle.tellLeader()
                .whenComplete((done, thrown) -> {
                    synchronized (this) {
                        beingTold.remove(handle);
                        if (thrown != null) add(handle);
                    }
                    if (thrown == null) mine.complete(null);
                    else mine.completeExceptionally(thrown);
                });
        return mine;
    }

    /** The same of all that are open on these files. */
    public CompletableFuture<Void> tell(Collection<Long> inodes) {
        List<Reader> all = handles(inodes);
        return all.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.allOf(
                        all.stream().map(this::tell).toArray(CompletableFuture<?>[]::new));
    }

    private synchronized List<Reader> handles(Collection<Long> inodes) {
        if (untold.isEmpty() && beingTold.isEmpty()) return List.of();
        Set<Reader> all = new LinkedHashSet<>();
        for (long inode : inodes) {
            all.addAll(untold.getOrDefault(inode, Set.of()));
        }
        beingTold.keySet().stream().filter(one -> inodes.contains(one.inode())).forEach(all::add);
        return List.copyOf(all);
    }

    /** All that is open is brought back at another leader, these too. */
    public synchronized void clear() {
        untold.clear();
    }
}
