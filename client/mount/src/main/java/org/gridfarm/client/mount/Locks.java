package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.Shares;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * fcntl(2) and flock(2) locks, held at the metaserver across all mounts. A request that must wait
 * is parked there and costs no thread here; a signal withdraws it.
 */
final class Locks {
    private static final Logger log = LoggerFactory.getLogger(Locks.class);

    /**
     * How long after a close(2) the kernel may still say that it was the last of the open file. It
     * says so when close(2) is over already, and then waits for a processor like everybody else.
     */
    private static final Duration LAST_CLOSE_MAX = Duration.ofMillis(500);

    private final Metadata metadata;
    private final Mounted mounted;

    /** Ranges that programs on this mount may hold: some 200 bytes each, here and at the leader. */
    private static final int RANGES_MAX = 1 << 16;

    /** Who may hold something here: closing a file of nobody else need not ask the server. */
    private final Map<Owner, Holding> owners = new ConcurrentHashMap<>();

    private final Shares shares = new Shares(RANGES_MAX);

    private record Owner(long node, long owner, boolean flock) {}

    /** What an owner has, in whose share. */
    private static final class Holding {
        final int user;
        int ranges; // guarded by this

        Holding(int user) {
            this.user = user;
        }
    }

    /**
     * What was locked through one open file. When the kernel gives that up, it says nothing of the
     * locks that belong to the open file itself (F_OFD_SETLK): they are those left of owners that
     * have not closed it.
     */
    private static final class Holder {
        final long node;
        final Set<Owner> owners = ConcurrentHashMap.newKeySet();
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        volatile Phase phase = new Phase.Held();

        Holder(long node) {
            this.node = node;
        }

        /** What whoever finds its lock in the way waits for; null: it is there to stay. */
        @Nullable CompletableFuture<Void> end() {
            return switch (phase) {
                case Phase.Held() -> null;
                case Phase.Closed(long at) -> {
                    long rest = LAST_CLOSE_MAX.toNanos() - (System.nanoTime() - at);
                    yield rest <= 0
                            ? null
                            : ended.copy().completeOnTimeout(null, rest, TimeUnit.NANOSECONDS);
                }
                case Phase.Ending() -> ended;
            };
        }
    }

    private sealed interface Phase {
        record Held() implements Phase {}

        /**
         * Somebody has closed it since a lock was taken; others may have it open.
         *
         * @param at {@link System#nanoTime}
         */
        record Closed(long at) implements Phase {}

        /** Nobody has it open, and its locks are being given back. */
        record Ending() implements Phase {}
    }

    private final Map<Long, Holder> holders = new ConcurrentHashMap<>(); // by number of the file

    /** Files that a former process had open: who holds what on them only the server knows. */
    private final Set<Long> inherited = ConcurrentHashMap.newKeySet();

    /**
     * Unlocks under way, by inode. They would take away what is locked after them, should the
     * leader hear of that first: calls that wait for a leader reach it in any order.
     */
    private final Map<Long, CompletableFuture<Void>> unlocking = new ConcurrentHashMap<>();

    private static final CompletableFuture<Void> NOTHING_TO_DO =
            CompletableFuture.completedFuture(null);

    Locks(Mounted mounted) {
        this.mounted = mounted;
        this.metadata = mounted.metadata();
    }

    void test(
            org.gridfarm.client.mount.fuse.LockReply reply, long node, long owner, LockRange lock) {
        metadata.testLock(request(node, owner, lock, false, false))
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        mounted.fail(reply, node, "lock", failure);
                    } else if (answer.getGranted() || !answer.hasConflict()) {
                        reply.lock(new LockRange(0, 0, LockRange.UNLOCK, 0));
                    } else {
                        LockRequest other = answer.getConflict();
                        int type =
                                other.getKind() == LockKind.SHARED
                                        ? LockRange.READ
                                        : LockRange.WRITE;
                        reply.lock(
                                new LockRange(
                                        other.getStart(), other.getEnd(), type, other.getPid()));
                    }
                });
    }

    /**
     * @param number of the open file
     */
    void set(
            EmptyReply reply,
            long node,
            long number,
            long owner,
            LockRange lock,
            boolean flock,
            boolean wait) {
        Owner who = new Owner(node, owner, flock);
        if (lock.type() != LockRange.UNLOCK) {
            int user = mounted.user(reply);
            if (!shares.hasRoom(user)) {
                reply.fail(Errno.ENOLCK);
                return;
            }
            taking(who, user, number);
        }
        if (wait) {
            reply.deadline(0);
        }
        LockRequest request = request(node, owner, lock, flock, wait);
        CompletableFuture<CompletableFuture<LockReply>> asked =
                unlocking
                        .getOrDefault(node, NOTHING_TO_DO)
                        .thenApply(_ -> wait ? metadata.lock(request) : lockAtOnce(request));
        asked.thenCompose(call -> call)
                .whenComplete((answer, failure) -> {
                    count(who, owners.get(who));
                    if (isWithdrawn(failure)) {
                        return; // and answered
                    }
                    if (failure != null) {
                        mounted.fail(reply, node, "lock", failure);
                    } else if (!answer.getGranted()) {
                        reply.fail(Errno.EAGAIN);
                    } else if (!reply.done() && lock.type() != LockRange.UNLOCK) {
                        givenToNobody(request);
                    }
                });
        if (wait) {
            reply.onInterrupt(() -> {
                if (reply.fail(Errno.EINTR)) {
                    withdraw(asked);
                }
            });
            reply.afterAnswer(() -> {
                if (reply.callerKilled()) {
                    withdraw(asked);
                }
            });
        }
    }

    /** The request itself, not a stage after it: that would leave it waiting at the leader. */
    private static void withdraw(CompletableFuture<CompletableFuture<LockReply>> asked) {
        asked.thenAccept(call -> call.cancel(false));
    }

    private static boolean isWithdrawn(@Nullable Throwable failure) {
        return failure instanceof CancellationException
                || (failure != null && failure.getCause() instanceof CancellationException);
    }

    /** Whoever asked for it has been told something else meanwhile. */
    private void givenToNobody(LockRequest lock) {
        unlocked(lock.toBuilder().setKind(LockKind.UNLOCK).setWait(false).build())
                .exceptionally(failure -> notUnlocked(lock.getInode(), failure));
    }

    private void taking(Owner owner, int user, long number) {
        owners.computeIfAbsent(owner, _ -> new Holding(user));
        Holder holder = holders.computeIfAbsent(number, _ -> new Holder(owner.node));
        holder.phase = new Phase.Held();
        holder.owners.add(owner);
    }

    private void count(Owner owner, @Nullable Holding holding) {
        if (holding == null) {
            return; // its file was closed meanwhile
        }
        synchronized (holding) {
            int now = metadata.lockedRanges(owner.node, owner.owner, owner.flock);
            for (; holding.ranges < now; holding.ranges++) {
                shares.takeAnyway(holding.user);
            }
            for (; holding.ranges > now; holding.ranges--) {
                shares.giveBack(holding.user);
            }
        }
    }

    /** A lock in the way of a file that is closed for the last time is waited for. */
    private CompletableFuture<LockReply> lockAtOnce(LockRequest request) {
        return metadata.lock(request)
                .thenCompose(answer -> {
                    CompletableFuture<?>[] ends =
                            answer.getGranted() ? new CompletableFuture<?>[0] : ends(request);
                    return ends.length == 0
                            ? CompletableFuture.completedFuture(answer)
                            : CompletableFuture.allOf(ends).thenCompose(_ -> lockAtOnce(request));
                });
    }

    private CompletableFuture<?>[] ends(LockRequest request) {
        return holders.values().stream()
                .filter(holder -> holder.node == request.getInode())
                .map(Holder::end)
                .filter(Objects::nonNull)
                .toArray(CompletableFuture<?>[]::new);
    }

    void inherited(long node) {
        inherited.add(node);
    }

    boolean isInherited(long node) {
        return !inherited.isEmpty() && inherited.contains(node);
    }

    /**
     * Nobody has the file open any more that a former process had open.
     *
     * @return completes when nothing is locked, or that could not be had
     */
    CompletableFuture<Void> inheritedEnds(long node) {
        inherited.remove(node);
        LockRequest all = unlock(new Owner(node, 0, false)).toBuilder().setAllOwners(true).build();
        return unlocked(all).exceptionally(failure -> notUnlocked(node, failure));
    }

    /** A process closes the file: its locks on it go, through whatever descriptor they came. */
    CompletableFuture<Void> closed(long node, long number, long process) {
        Owner owner = new Owner(node, process, false);
        Holder holder = holders.isEmpty() ? null : holders.get(number);
        if (holder != null) {
            holder.owners.remove(owner);
            holder.phase = new Phase.Closed(System.nanoTime());
        }
        return release(owner);
    }

    /**
     * The last descriptor of the open file is gone.
     *
     * @param flock owner of its lock by flock(2); null: it has none
     * @param user who opened it
     * @return completes when nothing is locked through it, or that could not be had
     */
    CompletableFuture<Void> ended(long node, long number, @Nullable Long flock, int user) {
        if (flock != null) {
            taking(new Owner(node, flock, true), user, number); // perhaps by a former process
        }
        Holder holder = holders.isEmpty() ? null : holders.get(number);
        if (holder == null) {
            return NOTHING_TO_DO;
        }
        holder.phase = new Phase.Ending();
        CompletableFuture<?>[] all =
                holder.owners.stream().map(this::release).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(all)
                .exceptionally(failure -> notUnlocked(node, failure))
                .thenRun(() -> {
                    holders.remove(number);
                    holder.ended.complete(null);
                });
    }

    private static <T> @Nullable T notUnlocked(long node, Throwable failure) {
        log.warn("locks of inode {}: {}", Long.toHexString(node), failure.getMessage());
        return null;
    }

    /** Everything the owner holds on the file goes; done at once when it never took anything. */
    private CompletableFuture<Void> release(Owner owner) {
        Holding holding = owners.remove(owner);
        if (holding == null && !isInherited(owner.node)) {
            return NOTHING_TO_DO;
        }
        return unlocked(unlock(owner)).whenComplete((_, _) -> count(owner, holding));
    }

    private CompletableFuture<Void> unlocked(LockRequest unlock) {
        long node = unlock.getInode();
        CompletableFuture<Void> done = metadata.lock(unlock).thenApply(_ -> null);
        CompletableFuture<Void> over = done.exceptionally(_ -> null);
        CompletableFuture<Void> all =
                unlocking.merge(node, over, (one, two) -> CompletableFuture.allOf(one, two));
        all.thenRun(() -> unlocking.remove(node, all));
        return done;
    }

    private static LockRequest unlock(Owner owner) {
        LockRange all = new LockRange(0, Long.MAX_VALUE, LockRange.UNLOCK, 0);
        return request(owner.node, owner.owner, all, owner.flock, false);
    }

    private static LockRequest request(
            long node, long owner, LockRange lock, boolean flock, boolean wait) {
        LockKind kind =
                switch (lock.type()) {
                    case LockRange.READ -> LockKind.SHARED;
                    case LockRange.WRITE -> LockKind.EXCLUSIVE_LOCK;
                    default -> LockKind.UNLOCK;
                };
        return LockRequest.newBuilder()
                .setInode(node)
                .setOwner(owner)
                .setPid(lock.pid())
                .setFlock(flock)
                .setKind(kind)
                .setStart(lock.start())
                .setEnd(lock.end())
                .setWait(wait)
                .build();
    }
}
