package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.session.LeaderCalls;
import org.gridfarm.client.core.session.Turns;
import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.OpenInode;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Brings open files back at a leader that does not know of them: after a fail-over, and those of a
 * former process. Thread-safe.
 */
public final class Reclaims {
    private static final Logger log = LoggerFactory.getLogger(Reclaims.class);

    /** A file of a former process that was not brought back yet. */
    private record Awaited(CompletableFuture<Void> ready, boolean leaving) {}

    private final Wiring wiring;
    private final OpenSizes sizes;
    private final Map<FarmFileHandle, Awaited> restored = new ConcurrentHashMap<>();

    Reclaims(Wiring wiring, OpenSizes sizes) {
        this.wiring = wiring;
        this.sizes = sizes;
    }

    /**
     * @param leaving the file is only to be closed, and may have been already
     */
    CompletableFuture<Void> restored(FarmFileHandle handle, boolean leaving) {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        restored.put(handle, new Awaited(ready, leaving));
        return ready;
    }

    /**
     * @param lost the session began anew: what was being written is lost with the former one
     */
    public CompletableFuture<Void> all(List<OpenInode> inodes, LeaderCalls calls, boolean lost) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        Turns turns = new Turns(TransferLimits.RECLAIMED_AT_ONCE);
        int broken = 0;
        for (OpenInode shared : inodes) {
            if (lost && shared.hasWriter()) {
                FarmException failure =
                        new FarmException(
                                ErrorKind.SESSION_ENDED,
                                "use",
                                "",
                                "what was not synced may be lost; open it again");
                shared.fail(failure);
                shared.handles().forEach(handle -> settled(handle, failure));
                broken++;
                continue;
            }
            for (FarmFileHandle handle : shared.handles()) {
                if (isOnlyToBeClosed(handle)) {
                    settled(handle, null);
                } else {
                    all.add(turns.take(() -> reclaim(calls, shared, handle)));
                }
            }
        }
        if (broken > 0) {
            log.warn("{} files open for writing were lost with the session", broken);
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /** Nothing was written through it: the leader that knows of it is told to close it. */
    private boolean isOnlyToBeClosed(FarmFileHandle handle) {
        Awaited awaited = restored.get(handle);
        return awaited != null && awaited.leaving() && !handle.flags().write();
    }

    private CompletableFuture<Void> reclaim(
            LeaderCalls calls, OpenInode shared, FarmFileHandle handle) {
        Awaited awaited = restored.get(handle);
        boolean fromBefore = awaited != null;
        long until = wiring.clock().nanoTime() + wiring.session().deadline().toNanos();
        return again(
                        wiring.clock(),
                        until,
                        calls::isOpen,
                        () -> asked(calls, shared, handle, fromBefore))
                .handle((done, thrown) -> {
                    if (thrown == null) {
                        settled(handle, null);
                        return null;
                    }
                    FarmException failure = FarmException.of(thrown, "reopen", "");
                    if (!calls.isOpen() && failure.kind().retry() != Retry.NEVER) {
                        return null; // asked again at the next leader
                    }
                    if (awaited != null && awaited.leaving()) {
                        settled(handle, failure); // it had been closed
                        return null;
                    }
                    if (fromBefore || failure.kind().retry() == Retry.NEVER) {
                        shared.fail(failure);
                    }
                    settled(handle, failure);
                    log.warn(
                            "inode {} could not be reopened at the leader: {}",
                            Long.toHexString(shared.inode),
                            failure.getMessage());
                    return null;
                });
    }

    private CompletableFuture<Void> asked(
            LeaderCalls calls, OpenInode shared, FarmFileHandle handle, boolean fromBefore) {
        return calls.call(
                        MetadataMethods.REFRESH, handle.refreshRequest(0).setReclaim(true).build())
                .thenCompose(reply -> {
                    handle.reclaimed(reply);
                    return fromBefore && handle.flags().write()
                            ? sizes.ask(reply.getLayout()).thenAccept(shared::restored)
                            : CompletableFuture.<Void>completedFuture(null);
                });
    }

    /**
     * A leader that is busy is asked until the time of a call is over, and so is one that names a
     * chain of which no node answers: before long it has another one.
     */
    static CompletableFuture<Void> again(
            Clock clock,
            long until,
            BooleanSupplier isWorthIt,
            Supplier<CompletableFuture<Void>> question) {
        return question.get()
                .exceptionallyCompose(thrown -> {
                    ErrorKind kind = FarmException.of(thrown, "reopen", "").kind();
                    boolean passes =
                            kind == ErrorKind.TIMED_OUT
                                    || kind == ErrorKind.OVERLOADED
                                    || kind == ErrorKind.NOT_READY
                                    || kind == ErrorKind.DATA_UNAVAILABLE;
                    if (!passes || !isWorthIt.getAsBoolean() || clock.nanoTime() - until >= 0) {
                        return CompletableFuture.failedFuture(thrown);
                    }
                    CompletableFuture<Void> later = new CompletableFuture<>();
                    clock.after(TransferLimits.RETRY_PAUSE, () -> later.complete(null));
                    return later.thenCompose(done -> again(clock, until, isWorthIt, question));
                });
    }

    private void settled(FarmFileHandle handle, @Nullable FarmException failure) {
        Awaited awaited = restored.remove(handle);
        if (awaited != null && failure == null) {
            awaited.ready().complete(null);
        } else if (awaited != null) {
            awaited.ready().completeExceptionally(failure);
        }
    }
}
