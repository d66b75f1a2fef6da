package org.gridfarm.client.core.metadata;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.client.core.session.Turns;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.wire.HeldLocksRequest;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Advisory locks of this session at the leader. */
final class Locks {
    private static final Logger log = LoggerFactory.getLogger(Locks.class);

    private static final int RECLAIMED_AT_ONCE = 64;

    private final FarmSession session;
    private final HeldLocks held = new HeldLocks();

    /** False as long as a former process may have locks that are not among {@link #held}. */
    private volatile boolean known;

    Locks(FarmSession session) {
        this.session = session;
        this.known = session.inheritance().session() == 0;
    }

    CompletableFuture<LockReply> lock(LockRequest request) {
        // A request that waits has no deadline: it ends by its grant, its cancellation or the
        // session.
        Duration deadline = request.getWait() ? Duration.ZERO : session.deadline();
        CompletableFuture<LockReply> result = new CompletableFuture<>();
        CompletableFuture<LockReply> call =
                session.leader(
                        MetadataMethods.LOCK,
                        () -> request.toBuilder().setSession(session.id()).build(),
                        deadline);
        result.whenComplete((reply, thrown) -> {
            if (result.isCancelled()) {
                call.cancel(false);
                giveBack(request);
            }
        });
        call.whenComplete((reply, thrown) -> {
            if (thrown != null) {
                result.completeExceptionally(
                        Failures.about(thrown, "lock", Failures.subject(request.getInode())));
                return;
            }
            if (reply.getGranted()) {
                held.granted(request);
            }
            if (!result.complete(reply) && reply.getGranted()) {
                giveBack(request);
            }
        });
        return result;
    }

    /** A cancelled request may have been granted as the cancellation went out. */
    private void giveBack(LockRequest request) {
        if (request.getKind() == LockKind.UNLOCK) {
            return;
        }
        LockRequest unlock = request.toBuilder().setKind(LockKind.UNLOCK).setWait(false).build();
        lock(unlock)
                .whenComplete((reply, thrown) -> {
                    if (thrown != null) {
                        log.warn(
                                "a lock that nobody waited for any more was not given back: {}",
                                thrown.getMessage());
                    }
                });
    }

    int ranges(long inode, long owner, boolean flock) {
        return held.ranges(inode, owner, flock);
    }

    CompletableFuture<LockReply> test(LockRequest request) {
        return session.leader(
                MetadataMethods.TEST_LOCK, request.toBuilder().setSession(session.id()).build());
    }

    CompletionStage<Void> reopened(LeaderCalls calls, boolean lost) {
        if (lost) {
            if (!held.all().isEmpty()) {
                log.warn("{} locks were lost with the session", held.all().size());
            }
            held.clear();
            known = true; // whatever it was
            return CompletableFuture.completedFuture(null);
        }
        return known ? reclaimed(calls) : learned(calls).thenCompose(done -> reclaimed(calls));
    }

    /**
     * What a former process was granted the leader alone knows, and only as long as it leads. Once
     * this client makes requests of its own, what it is told is no longer the former one's.
     */
    private CompletableFuture<Void> learned(LeaderCalls calls) {
        return learned(calls, LockRequest.getDefaultInstance())
                .handle((done, thrown) -> {
                    if (thrown != null && calls.isOpen()) {
                        log.warn(
                                "locks of a former process will be lost with the leader: {}",
                                thrown.getMessage());
                    }
                    known = thrown == null || calls.isOpen();
                    return null;
                });
    }

    private CompletableFuture<Void> learned(LeaderCalls calls, LockRequest after) {
        HeldLocksRequest request = HeldLocksRequest.newBuilder().setAfter(after).build();
        return calls.call(MetadataMethods.HELD_LOCKS, request)
                .thenCompose(reply -> {
                    List<CompletableFuture<?>> ends = new ArrayList<>();
                    for (LockRequest lock : reply.getLocksList()) {
                        if (lock.getAppend()) {
                            ends.add(appendEnds(calls, lock));
                        } else {
                            held.granted(lock);
                        }
                    }
                    if (reply.getMore()) {
                        ends.add(learned(calls, reply.getLocks(reply.getLocksCount() - 1)));
                    }
                    return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
                });
    }

    /** Who appended is gone, and nobody but him would say that he is done. */
    private CompletableFuture<?> appendEnds(LeaderCalls calls, LockRequest lock) {
        return calls.call(
                MetadataMethods.LOCK,
                lock.toBuilder().setSession(session.id()).setKind(LockKind.UNLOCK).build());
    }

    private CompletableFuture<Void> reclaimed(LeaderCalls calls) {
        Turns turns = new Turns(RECLAIMED_AT_ONCE);
        return CompletableFuture.allOf(
                held.all().stream()
                        .map(lock -> turns.take(() -> reclaimed(calls, lock)))
                        .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> reclaimed(LeaderCalls calls, LockRequest lock) {
        return calls.call(
                        MetadataMethods.LOCK,
                        lock.toBuilder().setSession(session.id()).setReclaim(true).build())
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        notReclaimed(calls, lock, FarmException.of(thrown, "lock", ""));
                    } else if (!reply.getGranted()) {
                        log.warn(
                                "a lock on inode {} went to somebody else",
                                Long.toHexString(lock.getInode()));
                    }
                    return null;
                });
    }

    /**
     * A file that was removed and closed as the leader was lost is gone at the next one: its close
     * or unlock may have been carried out without an answer, and nobody can lock it any more.
     */
    private void notReclaimed(LeaderCalls calls, LockRequest lock, FarmException failure) {
        if (failure.kind() == ErrorKind.STALE) {
            held.forget(lock.getInode());
        } else if (calls.isOpen() || failure.kind().retry() == Retry.NEVER) {
            log.warn(
                    "a lock on inode {} could not be claimed again: {}",
                    Long.toHexString(lock.getInode()),
                    failure.getMessage());
        }
    }
}
