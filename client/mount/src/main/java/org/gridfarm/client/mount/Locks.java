package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.LockReply;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * fcntl(2) and flock(2) locks, held at the metaserver across all mounts. A request that must wait
 * is parked there and costs no thread here; a signal withdraws it.
 */
final class Locks {
    private final Metadata metadata;
    private final Mounted mounted;

    /** Who may hold something here: closing a file of nobody else need not ask the server. */
    private final Set<Owner> owners = ConcurrentHashMap.newKeySet();

    private record Owner(long node, long owner, boolean flock) {}

    /** Files that a former process had open: who holds what on them only the server knows. */
    private final Set<Long> inherited = ConcurrentHashMap.newKeySet();

    Locks(Mounted mounted) {
        this.mounted = mounted;
        this.metadata = mounted.metadata();
    }

    void test(LockReply reply, long node, long owner, LockRange lock) {
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

    void set(EmptyReply reply, long node, long owner, LockRange lock, boolean flock, boolean wait) {
        if (lock.type() != LockRange.UNLOCK) {
            owners.add(new Owner(node, owner, flock));
        }
        if (wait) {
            reply.deadline(0);
        }
        CompletableFuture<?> set =
                metadata.lock(request(node, owner, lock, flock, wait))
                        .whenComplete((answer, failure) -> {
                            if (failure != null) {
                                mounted.fail(reply, node, "lock", failure);
                            } else if (answer.getGranted()) {
                                reply.done();
                            } else {
                                reply.fail(Errno.EAGAIN);
                            }
                        });
        if (wait) {
            reply.onInterrupt(() -> {
                if (reply.fail(Errno.EINTR)) {
                    set.cancel(false);
                }
            });
        }
    }

    void inherited(long node) {
        inherited.add(node);
    }

    /** Everything the owner holds on the file goes; done at once when it never took anything. */
    CompletableFuture<Void> releaseOwner(long node, long owner, boolean flock) {
        if (!owners.remove(new Owner(node, owner, flock)) && !inherited.contains(node)) {
            return CompletableFuture.completedFuture(null);
        }
        LockRange all = new LockRange(0, Long.MAX_VALUE, LockRange.UNLOCK, 0);
        return metadata.lock(request(node, owner, all, flock, false)).thenApply(_ -> null);
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
