package org.gridfarm.client.core;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.metadata.Found;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * From a path to an inode, name by name through the leased cache. Where a symbolic link, an ACL or
 * a refusal comes in, the metaserver walks the rest: its answer is the true one.
 */
final class PathWalk {
    private static final int EXECUTE = 1;

    private final Metadata metadata;

    PathWalk(Metadata metadata) {
        this.metadata = metadata;
    }

    /**
     * Attributes of what the path leads to; null: the last name does not exist (its directory
     * does).
     */
    CompletableFuture<@Nullable Attributes> find(FarmPath path, boolean followLast) {
        return step(metadata.root(), path.names(), 0, followLast);
    }

    CompletableFuture<Attributes> require(FarmPath path, boolean followLast, String operation) {
        return find(path, followLast)
                .thenApply(found -> {
                    if (found == null) {
                        throw new FarmException(ErrorKind.NOT_FOUND, operation, path.toString());
                    }
                    return found;
                });
    }

    /** The directory that holds the last name. */
    CompletableFuture<Attributes> parent(FarmPath path, String operation) {
        return require(path.parent(), true, operation);
    }

    private CompletableFuture<@Nullable Attributes> step(
            long from, List<Name> names, int next, boolean followLast) {
        return metadata.attributes(from)
                .thenCompose(found -> {
                    Attributes here = found.require("walk", "");
                    if (next == names.size()) {
                        return CompletableFuture.completedFuture(here);
                    }
                    boolean plain =
                            here.getType() == FileType.DIRECTORY
                                    && !here.getHasAcl()
                                    && maySearch(here);
                    return plain
                            ? metadata.lookup(metadata.self(), from, names.get(next))
                                    .thenCompose(
                                            entry -> entered(from, entry, names, next, followLast))
                            : ask(from, names, next, followLast);
                });
    }

    private CompletableFuture<@Nullable Attributes> entered(
            long from, Found entry, List<Name> names, int next, boolean followLast) {
        Attributes child = entry.attributes();
        boolean last = next == names.size() - 1;
        if (child == null) {
            return last
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(
                            new FarmException(ErrorKind.NOT_FOUND, "walk", ""));
        }
        if (child.getType() == FileType.SYMLINK && !(last && !followLast)) {
            return ask(from, names, next, followLast);
        }
        if (last) {
            return CompletableFuture.completedFuture(child);
        }
        if (child.getType() != FileType.DIRECTORY) {
            return CompletableFuture.failedFuture(
                    new FarmException(ErrorKind.NOT_A_DIRECTORY, "walk", ""));
        }
        return step(child.getInode(), names, next + 1, followLast);
    }

    private CompletableFuture<@Nullable Attributes> ask(
            long from, List<Name> names, int next, boolean followLast) {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        for (int i = next; i < names.size(); i++) {
            if (i > next) {
                rest.write('/');
            }
            rest.writeBytes(names.get(i).bytes());
        }
        return metadata.resolve(
                        metadata.self(), from, ByteString.copyFrom(rest.toByteArray()), followLast)
                .thenApply(reply -> reply.getFound() ? reply.getAttributes() : null);
    }

    private boolean maySearch(Attributes directory) {
        Credentials self = metadata.self();
        int shift =
                self.getUid() == directory.getUid()
                        ? 6
                        : isOfGroup(self, directory.getGid()) ? 3 : 0;
        return self.getUid() == 0 || ((directory.getMode() >> shift) & EXECUTE) != 0;
    }

    private static boolean isOfGroup(Credentials self, int gid) {
        return self.getGid() == gid || self.getGroupsList().contains(gid);
    }
}
