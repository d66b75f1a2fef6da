package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;

import java.util.concurrent.CompletableFuture;

/**
 * Finding what the kernel knows by its number alone: a program or an NFS client kept a handle of
 * it, over restarts of the mount or from another one. Numbers are the farm's own and never used
 * again, so they need no generation, and a handle is good at every mount.
 */
final class Numbered {
    private static final int NO_GENERATION = 0;

    private final Mounted mounted;
    private final Metadata metadata;

    Numbered(Mounted mounted) {
        this.mounted = mounted;
        this.metadata = mounted.metadata();
    }

    void itself(EntryReply reply, long node) {
        answer(reply, node, attributes(node));
    }

    /** The directory above, which the kernel asks for to connect a directory with the root. */
    void above(EntryReply reply, long node) {
        answer(
                reply,
                node,
                node == FuseOperations.ROOT
                        ? attributes(node)
                        : attributes(node).thenCompose(child -> attributes(above(child))));
    }

    private static long above(Attributes child) {
        if (child.getType() != FileType.DIRECTORY || child.getParent() == 0) {
            throw gone(child.getInode());
        }
        return child.getParent();
    }

    /** STALE: it has no name any more. Who has it open still does not ask by number. */
    private CompletableFuture<Attributes> attributes(long node) {
        return metadata.attributesByNumber(node)
                .thenApply(found -> {
                    Attributes attributes = found.attributes();
                    if (attributes == null || attributes.getNlink() == 0) {
                        throw gone(node);
                    }
                    return attributes;
                });
    }

    private static FarmException gone(long node) {
        return new FarmException(ErrorKind.STALE, "look up by number", Long.toHexString(node));
    }

    private void answer(EntryReply reply, long node, CompletableFuture<Attributes> found) {
        found.whenComplete((attributes, failure) -> {
            if (failure != null) {
                mounted.failByNumber(reply, node, failure);
            } else {
                mounted.fill(reply.attributes(), attributes);
                reply.entry(attributes.getInode(), NO_GENERATION, 0, 0);
            }
        });
    }
}
