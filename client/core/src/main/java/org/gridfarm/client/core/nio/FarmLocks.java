package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The locks that this JVM holds through one file system. To the farm they all have one owner, as
 * POSIX has it for a process; what overlaps here is refused before the farm is asked, which is why
 * one owner is enough. Thread-safe.
 */
final class FarmLocks {
    private static final Logger log = LoggerFactory.getLogger(FarmLocks.class);

    private static final long OWNER = 1;

    private final Gridfarm farm;
    private final Map<FarmFileLock, CompletableFuture<LockReply>> locks =
            new HashMap<>(); // held or waited for; guarded by this

    FarmLocks(Gridfarm farm) {
        this.farm = farm;
    }

    /** Waits until it is granted; an interrupt ends the wait and leaves the channel open. */
    FarmFileLock lock(FarmFileChannel channel, long from, long size, boolean shared)
            throws IOException {
        FarmFileLock lock = new FarmFileLock(this, channel, from, size, shared);
        if (Thread.interrupted()) {
            Thread.currentThread().interrupt();
            throw new FileLockInterruptionException();
        }
        CompletableFuture<LockReply> asked = ask(lock, true);
        try {
            asked.get();
            return granted(lock);
        } catch (InterruptedException e) {
            asked.cancel(false);
            forget(lock);
            Thread.currentThread().interrupt();
            throw new FileLockInterruptionException();
        } catch (CancellationException e) {
            throw new AsynchronousCloseException();
        } catch (ExecutionException e) {
            forget(lock);
            throw failure(e, "lock", channel).toIoException();
        }
    }

    /** Null: somebody else has it. */
    @Nullable FarmFileLock tryLock(FarmFileChannel channel, long from, long size, boolean shared)
            throws IOException {
        FarmFileLock lock = new FarmFileLock(this, channel, from, size, shared);
        CompletableFuture<LockReply> asked = ask(lock, false);
        try {
            if (answer(asked, "lock", channel).getGranted()) {
                return granted(lock);
            }
        } catch (CancellationException e) {
            throw new AsynchronousCloseException();
        } catch (FarmException e) {
            forget(lock);
            throw e.toIoException();
        }
        forget(lock);
        return null;
    }

    void release(FarmFileLock lock) throws IOException {
        if (!lock.giveUp()) {
            return;
        }
        try {
            answer(farm.metadata().lock(unlock(lock)), "unlock", lock.holder());
        } catch (FarmException e) {
            throw e.toIoException();
        } finally {
            forget(lock); // not before: what is locked next in its place is not to be unlocked
        }
    }

    /** Of a channel that is being closed: who waits for a lock of it hears of that. */
    void releaseAll(FarmFileChannel channel) throws IOException {
        for (CompletableFuture<LockReply> unlocked : unlockAll(channel)) {
            answer(unlocked, "unlock", channel);
        }
    }

    /** The same without waiting. */
    void abandon(FarmFileChannel channel) {
        for (CompletableFuture<LockReply> unlocked : unlockAll(channel)) {
            unlocked.whenComplete((reply, thrown) -> {
                if (thrown != null) {
                    log.warn("unlock {} after an interrupt", channel.file().path(), thrown);
                }
            });
        }
    }

    private List<CompletableFuture<LockReply>> unlockAll(FarmFileChannel channel) {
        Map<FarmFileLock, CompletableFuture<LockReply>> its = new HashMap<>();
        synchronized (this) {
            locks.forEach((lock, asked) -> {
                if (lock.holder() == channel) {
                    its.put(lock, asked);
                }
            });
        }
        List<CompletableFuture<LockReply>> unlocked = new ArrayList<>();
        its.forEach((lock, asked) -> {
            if (asked.cancel(false)) { // the farm is told that nobody waits any more
                forget(lock);
            } else if (lock.giveUp()) {
                unlocked.add(
                        farm.metadata()
                                .lock(unlock(lock))
                                .whenComplete((reply, thrown) -> forget(lock)));
            }
        });
        return unlocked;
    }

    // ---- the table

    private synchronized CompletableFuture<LockReply> ask(FarmFileLock lock, boolean wait) {
        for (FarmFileLock other : locks.keySet()) {
            if (other.inode() == lock.inode() && other.overlaps(lock.position(), lock.size())) {
                throw new OverlappingFileLockException();
            }
        }
        LockKind kind = lock.isShared() ? LockKind.SHARED : LockKind.EXCLUSIVE_LOCK;
        CompletableFuture<LockReply> asked =
                farm.metadata().lock(request(lock, kind).setWait(wait).build());
        locks.put(lock, asked);
        return asked;
    }

    private FarmFileLock granted(FarmFileLock lock) throws IOException {
        lock.granted();
        if (!lock.isValid()) { // its channel was closed meanwhile, which did not see it granted
            release(lock);
            throw new AsynchronousCloseException();
        }
        return lock;
    }

    private synchronized void forget(FarmFileLock lock) {
        locks.remove(lock);
    }

    // ---- the farm

    private static LockRequest unlock(FarmFileLock lock) {
        return request(lock, LockKind.UNLOCK).build();
    }

    private static LockRequest.Builder request(FarmFileLock lock, LockKind kind) {
        boolean toEnd = lock.size() == 0 || lock.size() > Long.MAX_VALUE - lock.position();
        return LockRequest.newBuilder()
                .setInode(lock.inode())
                .setOwner(OWNER)
                .setPid((int) ProcessHandle.current().pid())
                .setKind(kind)
                .setStart(lock.position())
                .setEnd(toEnd ? Long.MAX_VALUE : lock.position() + lock.size() - 1);
    }

    /** Waits through interrupts: the answer comes within the client's time-out. */
    private static LockReply answer(
            CompletableFuture<LockReply> asked, String operation, FarmFileChannel channel) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return asked.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw failure(e, operation, channel);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static FarmException failure(
            Throwable thrown, String operation, FarmFileChannel channel) {
        String path = channel.file().path().toString();
        return FarmException.of(thrown, operation, path).about(operation, path);
    }
}
