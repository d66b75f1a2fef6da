package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.OpenReply;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * How far a file may grow before the metaserver is asked again, where a quota applies. Thread-safe.
 */
public final class GrowthLimit {
    /** A refresh under way may have asked for less: it is waited for, then this one is made. */
    private static final int ATTEMPTS = 3;

    private volatile long most = Long.MAX_VALUE;

    public void take(OpenReply reply) {
        most = reply.hasSizeLimit() ? reply.getSizeLimit() : Long.MAX_VALUE;
    }

    public boolean applies() {
        return most != Long.MAX_VALUE;
    }

    /**
     * Completes when the file may be that long; QUOTA_EXCEEDED if it may not.
     *
     * @param ask asks the metaserver for a size; its answer has come to {@link #take}
     */
    public CompletableFuture<Void> room(long size, LongFunction<CompletableFuture<Void>> ask) {
        return room(size, ask, ATTEMPTS);
    }

    private CompletableFuture<Void> room(
            long size, LongFunction<CompletableFuture<Void>> ask, int attempts) {
        if (size <= most) {
            return CompletableFuture.completedFuture(null);
        }
        if (attempts == 0) {
            return CompletableFuture.failedFuture(
                    new FarmException(ErrorKind.QUOTA_EXCEEDED, "write", ""));
        }
        return ask.apply(size)
                .handle((done, thrown) -> {
                    FarmException failure =
                            thrown == null ? null : FarmException.of(thrown, "write", "");
                    boolean another = failure == null || failure.kind() == ErrorKind.QUOTA_EXCEEDED;
                    return another && (failure == null || attempts > 1)
                            ? room(size, ask, attempts - 1)
                            : CompletableFuture.<Void>failedFuture(failure);
                })
                .thenCompose(done -> done);
    }
}
