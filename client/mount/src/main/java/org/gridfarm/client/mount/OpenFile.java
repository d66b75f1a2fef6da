package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.LocalFile;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One open file of the kernel: the library's handle, how the kernel was told to go about it, and
 * whether it was written since the last commit.
 *
 * @param mode bits of {@code OpenMode}, to be given back when it is released
 * @param local the plain file that the kernel writes behind our back, if any
 */
record OpenFile(FileHandle handle, int mode, @Nullable LocalFile local, AtomicBoolean written) {
    OpenFile(FileHandle handle, int mode, @Nullable LocalFile local) {
        this(handle, mode, local, new AtomicBoolean());
    }

    void noteWrite() {
        written.set(true);
    }

    boolean isWritable() {
        return handle.flags().write();
    }

    boolean kernelWrites() {
        return local != null && local.write();
    }

    /** What close(2) waits for. */
    CompletableFuture<Void> flush() {
        if (!isWritable()) {
            return CompletableFuture.completedFuture(null);
        }
        if (kernelWrites()) {
            handle.wroteLocally();
        }
        return handle.flush();
    }

    CompletableFuture<Void> sync() {
        if (kernelWrites()) {
            handle.wroteLocally();
        }
        return handle.sync();
    }
}
