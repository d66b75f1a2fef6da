package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One open file of the kernel: the library's handle, how the kernel was told to go about it, and
 * whether it was written since the last commit.
 *
 * @param mode bits of {@code OpenMode}, to be given back when it is released
 * @param kernelWrites the kernel writes into the plain file behind our back
 * @param privileges what a write takes away first
 * @param ready completes when the file may be used: at once, but for one of a former process
 * @param user in whose share of open files it counts
 */
record OpenFile(
        FileHandle handle,
        int mode,
        boolean kernelWrites,
        AtomicBoolean written,
        Privileges privileges,
        CompletableFuture<Void> ready,
        int user) {
    private static final CompletableFuture<Void> AT_ONCE = CompletableFuture.completedFuture(null);

    OpenFile(FileHandle handle, int mode, boolean kernelWrites, int user) {
        this(
                handle,
                mode,
                kernelWrites,
                new AtomicBoolean(),
                Privileges.of(handle.attributes()),
                AT_ONCE,
                user);
    }

    void noteWrite() {
        written.set(true);
    }

    boolean isWritable() {
        return handle.flags().write();
    }

    /** Why it can never be used; null: it can, once it is ready. */
    @Nullable FarmException obstacle() {
        return ready.isCompletedExceptionally()
                ? FarmException.of(ready.exceptionNow(), "use", "")
                : null;
    }

    /** What close(2) waits for. */
    CompletableFuture<Void> flush() {
        if (!isWritable()) {
            return CompletableFuture.completedFuture(null);
        }
        return noted().thenCompose(_ -> handle.flush());
    }

    /** What the kernel has written shows at its file. */
    private CompletableFuture<Void> noted() {
        return kernelWrites() ? handle.wroteLocally() : CompletableFuture.completedFuture(null);
    }

    CompletableFuture<Void> sync() {
        return sync(false);
    }

    /**
     * @param dataOnly fdatasync(2)
     */
    CompletableFuture<Void> sync(boolean dataOnly) {
        return noted().thenCompose(_ -> dataOnly ? handle.syncData() : handle.sync());
    }

    /** Commits what was written and gives the file up, once it has been brought back. */
    CompletableFuture<Void> close() {
        return ready.handle((_, _) -> noted())
                .thenCompose(noted -> noted)
                .handle((_, failure) ->
                        failure == null ? handle.close() : handle.<Void>closedFor(failure))
                .thenCompose(closed -> closed);
    }
}
