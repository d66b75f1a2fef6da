package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.OpenFiles;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * Which way an open goes: through the kernel to a local replica, or through this process.
 * Thread-safe.
 */
final class OpenWays {
    private static final Logger log = LoggerFactory.getLogger(OpenWays.class);

    private final OpenFiles ways;
    private final PassedReads passed;
    private volatile @Nullable Passthrough passthrough;

    OpenWays(OpenFiles ways, PassedReads passed) {
        this.ways = ways;
        this.passed = passed;
    }

    /** From now on replicas are passed through by this; null: never. */
    void started(@Nullable Passthrough engine) {
        passthrough = engine;
    }

    /**
     * @param fresh made by this very open
     */
    CompletableFuture<Going> find(FileHandle handle, boolean fresh) {
        return localFor(handle, fresh).thenCompose(this::goingItsWay);
    }

    /** The kernel may write a file that is about to be made. */
    boolean mayWriteNew(OpenFlags wanted, int mode) {
        return isAvailable() && wanted.write() && !wanted.append() && !isSetId(mode);
    }

    private boolean isAvailable() {
        Passthrough engine = passthrough;
        return engine != null && engine.available();
    }

    /** Which a write may have to take away: that is left to the file system. */
    private static boolean isSetId(int mode) {
        return (mode & (Flags.SET_UID | Flags.SET_GID)) != 0;
    }

    private record Opened(FileHandle handle, @Nullable LocalFile local) {}

    /** With the local file where it may be passed through. */
    private CompletableFuture<Opened> localFor(FileHandle handle, boolean fresh) {
        boolean write = handle.flags().write();
        boolean maybe =
                isAvailable()
                        && (write
                                ? handle.mode() == DataMode.EXCLUSIVE
                                        && !Privileges.of(handle.attributes()).mayGo(true)
                                        && (fresh || ways.mayPassWriter(handle.inode()))
                                : handle.mode() != DataMode.WRITE_SHARED)
                        && !handle.flags().append();
        if (!maybe) {
            return CompletableFuture.completedFuture(new Opened(handle, null));
        }
        return (write && !fresh ? handle.openLocalToChange() : handle.openLocal(write))
                .handle((local, failure) -> {
                    if (failure != null) {
                        log.debug(
                                "inode {} is not local: {}",
                                Long.toHexString(handle.inode()),
                                failure.getMessage());
                    }
                    return new Opened(handle, failure == null ? local : null);
                });
    }

    /**
     * An open that has found its way.
     *
     * @param local where the kernel has it, or may map it
     */
    record Going(FileHandle handle, @Nullable LocalFile local, OpenFiles.Way way) {}

    /**
     * Beside readers whom the kernel serves from the replica it also gives writers' mappings to it:
     * their changes have to be looked for.
     */
    private CompletableFuture<Going> goingItsWay(Opened opened) {
        FileHandle handle = opened.handle();
        long node = handle.inode();
        OpenFiles.Way way = way(node, opened);
        boolean mappable = handle.flags().read() && handle.flags().write();
        if (!way.passthrough() || !mappable || opened.local() != null) {
            return CompletableFuture.completedFuture(new Going(handle, opened.local(), way));
        }
        return handle.openLocalForMappings()
                .handle((local, failure) -> {
                    if (failure != null && isForWantOfDescriptors(failure)) {
                        ways.released(node, way.mode());
                        return handle.<Going>closedFor(failure);
                    }
                    if (local == null) {
                        log.warn(
                                "inode {}: what is mapped of it and changed here may be lost: {}",
                                Long.toHexString(node),
                                failure == null
                                        ? "the copy here is in no chain"
                                        : failure.getMessage());
                    }
                    return CompletableFuture.completedFuture(new Going(handle, local, way));
                })
                .thenCompose(going -> going);
    }

    private static boolean isForWantOfDescriptors(Throwable failure) {
        return FarmException.of(failure, "open", "").kind() == ErrorKind.TOO_MANY_OPEN;
    }

    private OpenFiles.Way way(long node, Opened opened) {
        LocalFile local = opened.local();
        Passthrough engine = passthrough;
        if (local == null || engine == null) {
            return ways.open(node);
        }
        Path replica = Path.of(local.path());
        OpenFiles.Way way =
                ways.openThrough(node, local.write(), local.identity(), () -> engine.open(replica));
        boolean mayBeRead =
                opened.handle().flags().read()
                        && (!local.write() || local.size() > 0); // not where it was just made
        if (way.passthrough() && mayBeRead) {
            passed.opened(opened.handle().attributes(), replica, engine);
        }
        return way;
    }
}
