package org.gridfarm.client.mount;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.protocol.attributes.Nanos;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.StatFsReply;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/**
 * Reading and setting attributes; the size of a file is changed where its data are, the rest at the
 * metaserver.
 */
final class AttributeCalls {
    private static final int BLOCK_BYTES = 4096;
    private static final int NAME_BYTES_MAX = 255;

    private final Mounted mounted;
    private final Metadata metadata;
    private final Files files;

    AttributeCalls(Mounted mounted, Files files) {
        this.mounted = mounted;
        this.metadata = mounted.metadata();
        this.files = files;
    }

    void get(AttributesReply reply, long node, long handle) {
        mounted.seconds().using(reply, node);
        files.lookForReads(node);
        long stamp = mounted.beliefs().stamp();
        Attributes remaining = mounted.remains().of(node);
        if (remaining != null) {
            send(reply, remaining, false, stamp);
            return;
        }
        Attributes cached = metadata.cachedAttributes(node);
        if (cached != null && !cached.getWriting() && !files.isOpenForWriting(node)) {
            send(reply, cached, true, stamp);
            return;
        }
        current(node)
                .whenComplete((attributes, failure) -> {
                    if (failure != null) {
                        if (mounted.remains().areOf(node, failure)) get(reply, node, handle);
                        else failed(reply, node, "stat", failure, stamp);
                    } else {
                        boolean leased =
                                metadata.cachedAttributes(node) != null
                                        && !files.isOpenForWriting(node);
                        send(reply, attributes, leased, stamp);
                    }
                });
    }

    void set(AttributesReply reply, long node, SetAttributes change) {
        mounted.seconds().using(reply, node);
        Credentials who = mounted.who(reply);
        long stamp = mounted.beliefs().stamp();
        if (mounted.remains().of(node) != null && remains(reply, node, change, stamp)) return;
        boolean open = change.has(SetAttributes.HANDLE);
        OpenFile file = open ? files.find(change.handle) : null;
        CompletableFuture<?> sized = CompletableFuture.completedFuture(null);
        if (change.has(SetAttributes.SIZE)) {
            sized =
                    file != null && file.isWritable()
                            ? files.truncate(
                                    reply,
                                    file,
                                    change.size,
                                    change.has(SetAttributes.KILL_SUIDGID))
                            : files.truncate(who, node, change.size);
        }
        sized.thenCompose(
                        _ -> {
                            org.gridfarm.protocol.wire.SetAttributes rest =
                                    rest(node, change, file);
                            return isEmpty(rest)
                                    ? current(node)
                                    : metadata.setAttributes(who, rest)
                                            .thenCompose(_ -> current(node));
                        })
                .whenComplete((attributes, failure) -> {
                    if (failure != null) {
                        boolean told =
                                mounted.remains().areOf(node, failure)
                                        && remains(reply, node, change, stamp);
                        if (!told) failed(reply, node, "setattr", failure, stamp);
                    } else {
                        if (change.has(SetAttributes.MODE)
                                && (change.mode & (Flags.SET_UID | Flags.SET_GID)) != 0) {
                            files.taking().given(node);
                        }
                        send(reply, attributes, false, stamp);
                    }
                });
    }

    /** Changes what the kernel still refers to, and answers. False: it does not any more. */
    private boolean remains(AttributesReply reply, long node, SetAttributes change, long stamp) {
        if (change.has(SetAttributes.SIZE)) return false;
        Attributes remaining = mounted.remains().change(node, rest(node, change, null));
        if (remaining != null) send(reply, remaining, false, stamp);
        return remaining != null;
    }

    /**
     * What is changed of a file that is gone nobody sees: the change came just before its end, as
     * in a local file system.
     */
    private void failed(
            AttributesReply reply, long node, String operation, Throwable thrown, long stamp) {
        FarmException failure = FarmException.of(thrown, operation, Long.toHexString(node));
        Attributes last =
                failure.kind() == ErrorKind.STALE ? mounted.seconds().lastKnown(reply, node) : null;
        if (last != null) {
            send(reply, last, false, stamp);
        } else {
            mounted.failByPath(reply, node, operation, failure, OpenFlags.READ);
        }
    }

    void statfs(StatfsReply reply, long node) {
        metadata.statFs(node)
                .whenComplete((StatFsReply s, Throwable failure) -> {
                    if (failure != null && mounted.remains().areOf(node, failure)) {
                        statfs(reply, FuseOperations.ROOT);
                    } else if (failure != null) {
                        mounted.fail(reply, node, "statfs", failure);
                    } else {
                        reply.statfs(
                                s.getTotal() / BLOCK_BYTES,
                                s.getFree() / BLOCK_BYTES,
                                s.getAvailable() / BLOCK_BYTES,
                                s.getInodes(),
                                s.getInodesFree(),
                                BLOCK_BYTES,
                                NAME_BYTES_MAX);
                    }
                });
    }

    private CompletableFuture<Attributes> current(long node) {
        return metadata.attributes(node)
                .thenApply(found -> found.require("stat", Long.toHexString(node)));
    }

    private org.gridfarm.protocol.wire.SetAttributes rest(
            long node, SetAttributes change, @Nullable OpenFile file) {
        org.gridfarm.protocol.wire.SetAttributes.Builder to =
                org.gridfarm.protocol.wire.SetAttributes.newBuilder().setInode(node);
        if (change.has(SetAttributes.MODE)) {
            to.setMode(change.mode & Flags.PERMISSIONS);
        }
        if (change.has(SetAttributes.UID)) {
            to.setUid(mounted.identities().farmUid(change.uid));
        }
        if (change.has(SetAttributes.GID)) {
            to.setGid(mounted.identities().farmGid(change.gid));
        }
        if (change.has(SetAttributes.ATIME_NOW) || change.has(SetAttributes.ATIME)) {
            files.accessTimeSet(node);
        }
        if (change.has(SetAttributes.ATIME_NOW)) {
            to.setAtimeNow(true);
        } else if (change.has(SetAttributes.ATIME)) {
            to.setAtime(Nanos.of(change.atime, change.atimeNanos));
        }
        if (change.has(SetAttributes.MTIME_NOW)) {
            to.setMtimeNow(true);
        } else if (change.has(SetAttributes.MTIME)) {
            to.setMtime(Nanos.of(change.mtime, change.mtimeNanos));
        }
        // chown(-1, -1), and before other changes by a caller who may not keep the bits, the kernel
        // asks for nothing but that they go.
        if (change.has(SetAttributes.KILL_SUIDGID) || change.isOfNothing()) {
            to.setClearSuidSgid(true);
        }
        if (file != null) {
            to.setHandle(file.handle().id());
        }
        return to.build();
    }

    private static boolean isEmpty(org.gridfarm.protocol.wire.SetAttributes change) {
        return !change.hasMode()
                && !change.hasUid()
                && !change.hasGid()
                && !change.hasAtime()
                && !change.hasMtime()
                && !change.getAtimeNow()
                && !change.getMtimeNow()
                && !change.getClearSuidSgid();
    }

    private void send(AttributesReply reply, Attributes attributes, boolean leased, long stamp) {
        mounted.fill(reply.attributes(), attributes);
        reply.send(mounted.beliefs().nanos(leased && !attributes.getWriting(), stamp));
    }
}
