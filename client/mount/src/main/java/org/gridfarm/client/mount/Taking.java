package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.SetAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Takes set-user and set-group bits and capabilities from a file before its content changes:
 * afterwards somebody might run what is new with them. The kernel leaves that to the file system
 * (FUSE_HANDLE_KILLPRIV_V2), but where it writes the file itself. Thread-safe.
 */
final class Taking {
    private static final Logger log = LoggerFactory.getLogger(Taking.class);
    private static final CompletableFuture<Void> NOTHING_TO_DO =
            CompletableFuture.completedFuture(null);

    private final Mounted mounted;
    private final OpenTable open;
    private @Nullable KernelCache cache;

    Taking(Mounted mounted, OpenTable open) {
        this.mounted = mounted;
        this.open = open;
    }

    void started(KernelCache kernel) {
        cache = kernel;
    }

    /**
     * @param bits of the mode, too: the caller may not keep them
     */
    CompletableFuture<Void> take(Request request, OpenFile file, boolean bits) {
        Privileges privileges = file.privileges();
        if (!privileges.mayGo(bits)) {
            return NOTHING_TO_DO;
        }
        int before = privileges.gifts();
        return take(mounted.who(request), file.handle(), bits)
                .thenRun(() -> privileges.gone(bits, before));
    }

    /** The kernel may believe that the file has some. */
    boolean mayBeBelieved(long node) {
        Attributes known = mounted.metadata().leasedAttributes(node);
        return known == null || Privileges.of(known).mayGo(true);
    }

    /**
     * An open that empties the file takes its privileges away at the metaserver; the kernel is told
     * before it goes on.
     *
     * @param loses it may have had some
     * @param kill also of the superuser, where that is one in name only
     */
    CompletableFuture<Void> emptied(
            Request request, FileHandle handle, boolean loses, boolean kill) {
        boolean left = kill && Privileges.of(handle.attributes()).mayGo(true);
        return left
                ? take(mounted.who(request), handle, true)
                : loses ? forgotten(handle.inode()) : NOTHING_TO_DO;
    }

    /** A program of this machine has given them to the file. */
    void given(long node) {
        open.privilegesGiven(node);
    }

    /**
     * One of another machine has. Of that the kernel knows nothing, and if it writes the file
     * itself, it will not ask again whether there is something to take away: so that goes at once,
     * but for the bits that a write of the superuser leaves.
     */
    void givenElsewhere(long node) {
        open.privilegesGiven(node);
        List<OpenFile> writers =
                open.writers(node).stream().filter(OpenFile::kernelWrites).toList();
        if (writers.isEmpty()) {
            return;
        }
        boolean bits = writers.stream().anyMatch(file -> file.user() != 0);
        take(mounted.callers().self(), writers.getFirst().handle(), bits)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        log.warn(
                                "inode {} keeps privileges while it is written: {}",
                                Long.toHexString(node),
                                failure.getMessage());
                    }
                });
    }

    private CompletableFuture<Void> take(Credentials who, FileHandle handle, boolean bits) {
        SetAttributes change =
                SetAttributes.newBuilder()
                        .setInode(handle.inode())
                        .setHandle(handle.id())
                        .setClearSuidSgid(bits)
                        .setClearCapability(true)
                        .build();
        return mounted.metadata()
                .setAttributes(who, change)
                .thenCompose(_ -> forgotten(handle.inode()));
    }

    /** The kernel believes its own attributes, of which a write tells it nothing. */
    private CompletableFuture<Void> forgotten(long node) {
        CompletableFuture<Void> forgotten = new CompletableFuture<>();
        Objects.requireNonNull(cache).forgetAttributes(node, _ -> forgotten.complete(null));
        return forgotten;
    }
}
