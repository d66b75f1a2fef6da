package org.gridfarm.client.core.transfer;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.DataMode;

import java.util.concurrent.CompletableFuture;

/** What makes a written file's size, times and holders known: fsync and close. */
final class FileCommit {
    private final Wiring wiring;
    private final OpenInode open;
    private final FarmFileHandle handle;
    private final FileWrites writes;

    FileCommit(Wiring wiring, OpenInode open, FarmFileHandle handle) {
        this.wiring = wiring;
        this.open = open;
        this.handle = handle;
        this.writes = new FileWrites(wiring, open);
    }

    CompletableFuture<Void> sync() {
        if (open.isUntouched()) {
            return CompletableFuture.completedFuture(null); // that there is the file is durable
        }
        if (!handle.flags().write() || !open.isDirty()) {
            // What another handle or an earlier commit left may not be on stable storage yet.
            return handle.flags().write()
                    ? writes.agree(true, false)
                    : CompletableFuture.completedFuture(null);
        }
        open.takeUnsure();
        // Sums of what the kernel wrote are taken at close: an fsync does not read the file.
        return agreed(true, false)
                .thenCompose(done -> sizeOfAll())
                .thenCompose(done -> commit(false, true));
    }

    /**
     * What was written behind our back reaches the chain, and is known by its size; done at once
     * when nothing was.
     */
    CompletableFuture<Void> settle() {
        if (!handle.flags().write() || !open.isWrittenLocally() || !open.mayBeWrittenByKernel()) {
            return CompletableFuture.completedFuture(null);
        }
        return agreed(false, true).thenCompose(done -> commit(false, false));
    }

    /** The handle is given up whatever happens. */
    CompletableFuture<Void> close() {
        if (!handle.flags().write() || !open.isDirty()) {
            handle.release();
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> agreed =
                open.takeUnsure() ? agreed(false, true) : CompletableFuture.completedFuture(null);
        return agreed.thenCompose(done -> sizeOfAll())
                .thenCompose(done -> {
                    if (open.isCommitted()) {
                        handle.release();
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return commit(true, false);
                })
                .exceptionallyCompose(thrown -> {
                    // Before the caller can open it again: the replicas may differ from what is
                    // known of them, and from one another.
                    return handle.releaseUnsettled()
                            .thenCompose(heard -> CompletableFuture.failedFuture(thrown));
                });
    }

    /** What did not come to agree is still to be made to. */
    private CompletableFuture<Void> agreed(boolean durable, boolean digest) {
        return writes.agree(durable, digest)
                .whenComplete((done, thrown) -> {
                    if (thrown != null) {
                        open.writeFailed();
                    }
                });
    }

    /** With other writers about only the chain's head knows the size. */
    private CompletableFuture<Void> sizeOfAll() {
        return open.mode() == DataMode.WRITE_SHARED
                ? handle.stat().thenApply(now -> null)
                : CompletableFuture.completedFuture(null);
    }

    /** Where the content has moved since to other nodes, those are named instead. */
    private CompletableFuture<Void> commit(boolean close, boolean durable) {
        return commitOnce(close, durable)
                .exceptionallyCompose(thrown -> {
                    FarmException failure = FarmException.of(thrown, "commit", "");
                    return failure.kind() == ErrorKind.STALE
                            ? open.refresh(0).thenCompose(done -> commitOnce(close, durable))
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletableFuture<Void> commitOnce(boolean close, boolean durable) {
        CommitContent commit =
                open.takeCommit(handle.id()).setClose(close).setDurable(durable).build();
        return wiring.metadata()
                .commit(handle.who(), commit)
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        open.commitFailed(commit);
                        throw FarmException.of(thrown, "commit", "");
                    }
                    open.committed(commit, reply.getAttributes());
                    return null;
                });
    }
}
