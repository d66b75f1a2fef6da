package org.gridfarm.client.core;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Calls by path that nobody waits for. Thread-safe. Futures fail with a {@link FarmException} about
 * the path, and complete on network threads: what is chained to them must not block.
 */
public final class AsyncCalls {
    private final Gridfarm farm;
    private final PathWalk walk;

    public AsyncCalls(Gridfarm farm) {
        this.farm = farm;
        walk = new PathWalk(farm.metadata());
    }

    /**
     * @param follow a symbolic link at the end
     */
    public CompletableFuture<FileInfo> stat(FarmPath path, boolean follow) {
        return told(
                walk.require(path, follow, "stat").thenApply(found -> new FileInfo(path, found)),
                "stat",
                path);
    }

    /** A file that is there. */
    public CompletableFuture<FarmFile> open(FarmPath path, OpenFlags flags) {
        long until = System.nanoTime() + farm.config().timeout().toNanos();
        return told(byPath(path, until, found -> opened(path, found, flags)), "open", path);
    }

    private CompletableFuture<FarmFile> opened(FarmPath path, Attributes found, OpenFlags flags) {
        Gridfarm.requireFile(found, path);
        return farm.transfer()
                .open(farm.metadata().self(), found.getInode(), flags)
                .thenApply(handle -> new FarmFile(path, handle));
    }

    /** Again while what the path led to goes before it is used, as {@link Blocking#byPath}. */
    private <T> CompletableFuture<T> byPath(
            FarmPath path, long until, Function<Attributes, CompletableFuture<T>> call) {
        return walk.require(path, true, "open")
                .thenCompose(call)
                .exceptionallyCompose(thrown -> {
                    FarmException failure = FarmException.of(thrown, "open", path.toString());
                    return failure.kind() == ErrorKind.STALE && System.nanoTime() - until < 0
                            ? byPath(path, until, call)
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private static <T> CompletableFuture<T> told(
            CompletableFuture<T> call, String operation, FarmPath path) {
        return call.exceptionallyCompose(thrown ->
                CompletableFuture.failedFuture(
                        FarmException.of(thrown, operation, path.toString())
                                .about(operation, path.toString())));
    }
}
