package org.gridfarm.client.mount;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.mount.fuse.BytesReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.Places;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.MutateReply;
import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Finding, making, moving and removing names. */
final class Names {
    private static final int NO_GENERATION = 0; // inode numbers are never used again

    private final Mounted mounted;
    private final Metadata metadata;
    private final Places places;

    Names(Mounted mounted, Places places) {
        this.places = places;
        this.mounted = mounted;
        this.metadata = mounted.metadata();
    }

    void lookup(EntryReply reply, long parent, RawName raw) {
        int pid = reply.pid();
        if (mounted.seconds().isOne(reply)) {
            places.again(pid);
        }
        places.lookup(
                pid,
                parent,
                raw,
                () -> mounted.seconds().begins(reply),
                () -> lookUp(reply, parent, raw));
    }

    private void lookUp(EntryReply reply, long parent, RawName raw) {
        long stamp = mounted.beliefs().stamp();
        Name name = name(reply, raw);
        if (name == null) {
            return;
        }
        Attributes cached =
                mounted.seconds().isOne(reply) ? null : metadata.cachedLookup(parent, name);
        if (cached == Metadata.ABSENT) {
            absent(reply, parent, raw, true, stamp);
        } else if (cached != null && !cached.getWriting()) {
            entry(reply, parent, raw, cached, true, true, stamp);
        } else {
            mounted.seconds()
                    .lookup(reply, mounted.who(reply), parent, name)
                    .whenComplete((found, failure) -> {
                        if (failure != null) {
                            mounted.failLooking(reply, parent, "lookup " + name, failure);
                        } else if (found.attributes() == null) {
                            absent(reply, parent, raw, found.entryLeased(), stamp);
                        } else {
                            entry(
                                    reply,
                                    parent,
                                    raw,
                                    found.attributes(),
                                    found.entryLeased(),
                                    found.attributesLeased(),
                                    stamp);
                        }
                    });
        }
    }

    void readlink(BytesReply reply, long node) {
        CompletableFuture<?> followed = mounted.times().followed(node);
        metadata.readLink(node)
                .thenCombine(followed, (target, _) -> target)
                .whenComplete((target, failure) -> {
                    if (failure != null) {
                        mounted.failByPath(reply, node, "readlink", failure, OpenFlags.READ);
                    } else {
                        reply.bytes(target.toByteArray());
                    }
                });
    }

    void symlink(EntryReply reply, long parent, RawName raw, byte[] target) {
        Name name = name(reply, raw);
        if (name != null) {
            made(
                    reply,
                    parent,
                    name,
                    "symlink",
                    () ->
                            metadata.symlink(
                                    mounted.who(reply), parent, name, ByteString.copyFrom(target)));
        }
    }

    void mknod(EntryReply reply, long parent, RawName raw, int mode, int device, int umask) {
        Name name = name(reply, raw);
        if (name != null) {
            made(
                    reply,
                    parent,
                    name,
                    "mknod",
                    () ->
                            metadata.mknod(
                                    mounted.who(reply),
                                    parent,
                                    name,
                                    mode & Flags.PERMISSIONS,
                                    umask,
                                    Translate.type(mode),
                                    device));
        }
    }

    void mkdir(EntryReply reply, long parent, RawName raw, int mode, int umask) {
        Name name = name(reply, raw);
        if (name != null) {
            made(
                    reply,
                    parent,
                    name,
                    "mkdir",
                    () ->
                            metadata.mkdir(
                                    mounted.who(reply),
                                    parent,
                                    name,
                                    mode & Flags.PERMISSIONS,
                                    umask));
        }
    }

    void link(EntryReply reply, long node, long parent, RawName raw) {
        Name name = name(reply, raw);
        if (name != null) {
            made(
                    reply,
                    parent,
                    name,
                    "link",
                    () ->
                            metadata.link(mounted.who(reply), node, parent, name)
                                    .thenCompose(answer -> asItIsWritten(node, answer)));
        }
    }

    /**
     * The kernel takes the size from every answer that tells one; of a file that somebody writes,
     * the metaserver knows what was last committed, and an own decision as much.
     */
    private CompletableFuture<MutateReply> asItIsWritten(long node, MutateReply linked) {
        boolean written = mounted.transfer().openAttributes(node) != null;
        if (!written && !linked.getAttributes().getWriting()) {
            return CompletableFuture.completedFuture(linked);
        }
        return metadata.attributes(node)
                .thenApply(found ->
                        linked.toBuilder()
                                .setAttributes(found.require("link", Long.toHexString(node)))
                                .build());
    }

    void unlink(EmptyReply reply, long parent, RawName raw) {
        Name name = name(reply, raw);
        if (name != null) {
            boolean second = mounted.seconds().over(reply);
            done(
                    reply,
                    parent,
                    "unlink",
                    second,
                    metadata.unlink(mounted.who(reply), parent, name));
        }
    }

    void rmdir(EmptyReply reply, long parent, RawName raw) {
        Name name = name(reply, raw);
        if (name != null) {
            boolean second = mounted.seconds().over(reply);
            CompletableFuture<MutateReply> removed =
                    metadata.rmdir(mounted.who(reply), parent, name)
                            .whenComplete((answer, failure) -> {
                                if (failure == null) {
                                    places.removed(parent, raw);
                                }
                            });
            done(reply, parent, "rmdir", second, removed);
        }
    }

    void rename(
            EmptyReply reply, long parent, RawName raw, long newParent, RawName newRaw, int flags) {
        Set<RenameFlag> wishes = wishes(flags);
        if (wishes == null) {
            reply.fail(Errno.EINVAL);
            return;
        }
        Name name = name(reply, raw);
        Name newName = name == null ? null : name(reply, newRaw);
        if (name != null && newName != null) {
            places.renaming(reply.pid());
            boolean second = mounted.seconds().over(reply);
            boolean exchange = wishes.contains(RenameFlag.EXCHANGE);
            boolean stays = exchange || wishes.contains(RenameFlag.WHITEOUT); // the old name
            long source = places.at(parent, raw);
            long target = exchange ? places.at(newParent, newRaw) : 0;
            CompletableFuture<MutateReply> renamed =
                    metadata.rename(mounted.who(reply), parent, name, newParent, newName, wishes);
            renamed.whenComplete((answer, failure) -> {
                if (failure != null) {
                    mounted.failInDirectory(reply, parent, "rename", failure, second);
                    return;
                }
                removed(answer);
                if (source != 0) {
                    places.moved(source, parent, raw, newParent, newRaw);
                } else if (answer.getAttributes().getType() == FileType.DIRECTORY) {
                    places.listed(answer.getAttributes().getInode(), newParent, newRaw);
                }
                if (target != 0) {
                    places.moved(target, newParent, newRaw, parent, raw);
                }
                boolean told =
                        metadata.isTold(newParent, newName)
                                && (!stays || metadata.isTold(parent, name));
                if (told || !mounted.beliefs().areRecalled()) {
                    reply.done();
                } else {
                    reply.doneUnbelieved();
                }
            });
        }
    }

    /** Null: there is a flag that nobody knows. */
    private static @Nullable Set<RenameFlag> wishes(int flags) {
        Set<RenameFlag> wishes = EnumSet.noneOf(RenameFlag.class);
        int known = 0;
        for (RenameFlag flag : RenameFlag.values()) {
            int bit =
                    switch (flag) {
                        case NO_REPLACE -> Flags.RENAME_NOREPLACE;
                        case EXCHANGE -> Flags.RENAME_EXCHANGE;
                        case WHITEOUT -> Flags.RENAME_WHITEOUT;
                    };
            known |= bit;
            if ((flags & bit) != 0) {
                wishes.add(flag);
            }
        }
        return (flags & ~known) == 0 ? wishes : null;
    }

    /**
     * The name, or null after the request was answered: the kernel lets names through that the farm
     * does not have.
     */
    static @Nullable Name name(Request request, RawName raw) {
        try {
            return Name.of(raw.bytes());
        } catch (FarmException e) {
            request.fail(e.kind().errno());
            return null;
        }
    }

    private void made(
            EntryReply reply,
            long parent,
            Name name,
            String operation,
            Supplier<CompletableFuture<MutateReply>> call) {
        long stamp = mounted.beliefs().stamp();
        boolean second = mounted.seconds().over(reply);
        CompletableFuture<MutateReply> future;
        try {
            future = call.get();
        } catch (FarmException e) {
            mounted.fail(reply, parent, operation, e);
            return;
        }
        future.whenComplete((answer, failure) -> {
            if (failure != null) {
                mounted.failInDirectory(reply, parent, operation, failure, second);
            } else {
                // Its own change is not recalled from this mount; what of it is leased, the caches
                // of the library know: the name with the directory, the attributes by themselves.
                Attributes held = metadata.cachedLookup(parent, name);
                boolean named = held != null && held != Metadata.ABSENT;
                // Of a node that it knows the kernel takes attributes with a new name also where
                // they were recalled in between; other answers it then does not believe.
                Attributes attributes = answer.getAttributes();
                boolean isNew =
                        attributes.getType() == FileType.DIRECTORY || attributes.getNlink() == 1;
                boolean described =
                        isNew && metadata.cachedAttributes(attributes.getInode()) != null;
                RawName raw = new RawName(name.bytes());
                entry(reply, parent, raw, attributes, named, described, stamp);
            }
        });
    }

    private void done(
            EmptyReply reply,
            long parent,
            String operation,
            boolean second,
            CompletableFuture<MutateReply> call) {
        call.whenComplete((answer, failure) -> {
            if (failure != null) {
                mounted.failInDirectory(reply, parent, operation, failure, second);
            } else {
                removed(answer);
                reply.done();
            }
        });
    }

    private void removed(MutateReply answer) {
        if (answer.hasGone()) {
            mounted.remains().removed(answer.getGone());
        } else if (answer.hasAttributes() && answer.getAttributes().getNlink() == 0) {
            mounted.remains().unnamed(answer.getAttributes());
        } else if (answer.hasOther() && answer.getOther().getNlink() == 0) {
            mounted.remains().unnamed(answer.getOther());
        }
    }

    private void absent(EntryReply reply, long parent, RawName name, boolean leased, long stamp) {
        places.changed(parent, name);
        long nanos = mounted.beliefs().nanos(leased, stamp);
        if (nanos > 0) {
            reply.absent(nanos);
        } else {
            reply.fail(Errno.ENOENT);
        }
    }

    private void entry(
            EntryReply reply,
            long parent,
            RawName name,
            Attributes attributes,
            boolean entryLeased,
            boolean attributesLeased,
            long stamp) {
        long inode = attributes.getInode();
        if (attributes.getType() == FileType.DIRECTORY) {
            places.tell(
                    reply.pid(),
                    reply::makesName,
                    inode,
                    parent,
                    name,
                    node -> {
                        boolean own = node == inode;
                        entry(
                                reply,
                                node,
                                attributes,
                                own && entryLeased,
                                own && attributesLeased,
                                stamp);
                    });
        } else {
            places.changed(parent, name);
            entry(reply, inode, attributes, entryLeased, attributesLeased, stamp);
        }
    }

    private void entry(
            EntryReply reply,
            long node,
            Attributes attributes,
            boolean entryLeased,
            boolean attributesLeased,
            long stamp) {
        mounted.fill(reply.attributes(), attributes);
        boolean steady = attributesLeased && !attributes.getWriting();
        reply.entry(
                node,
                NO_GENERATION,
                mounted.beliefs().nanos(entryLeased, stamp),
                mounted.beliefs().nanos(steady, stamp));
    }
}
