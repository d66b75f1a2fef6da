package org.gridfarm.client.core.metadata;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Advisory locks of this session at the leader. */
final class Locks {
    private static final Logger log = LoggerFactory.getLogger(Locks.class);

    private final FarmSession session;
    private final HeldLocks held = new HeldLocks();

    Locks(FarmSession session) {
        this.session = session;
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
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.allOf(
                held.all().stream()
                        .map(lock ->
                                calls.call(
                                                MetadataMethods.LOCK,
                                                lock.toBuilder()
                                                        .setSession(session.id())
                                                        .setReclaim(true)
                                                        .build())
                                        .thenAccept(reply -> {
                                            if (!reply.getGranted()) {
                                                log.warn(
                                                        "a lock on inode {} went to somebody else",
                                                        Long.toHexString(lock.getInode()));
                                            }
                                        }))
                        .toArray(CompletableFuture<?>[]::new));
    }
}
