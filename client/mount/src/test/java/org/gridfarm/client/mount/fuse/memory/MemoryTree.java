package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.BytesReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.NodeTable;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.time.Clock;
import java.time.Instant;
import java.util.function.LongConsumer;

/// The names of a file system in memory, and what is known of each file: the tree, attributes,
/// extended attributes.
///
/// One lock guards everything; answers are given under it, which is safe because an answer never
/// waits.
abstract class MemoryTree implements FuseOperations {

    static final RawName CAPABILITY = RawName.of("security.capability");

    private static final int NAME_MAX = 255;
    private static final int LINKS_MAX = 65000;

    final NodeTable<MemoryNode> nodes = new NodeTable<>();
    private final Clock clock;
    final long keepNanos;
    private long nextNumber = ROOT + 1;
    private long created = 1;

    /// @param keepNanos how long the kernel may keep names and attributes
    MemoryTree(Clock clock, long keepNanos, int uid, int gid) {
        this.clock = clock;
        this.keepNanos = keepNanos;
        MemoryNode root = new MemoryNode(ROOT, Flags.DIRECTORY | 0x1ED, uid, gid, now());
        root.parent = root;
        nodes.hold(ROOT, number -> root);
    }

    /// Nodes the kernel holds.
    public long held() {
        return nodes.size();
    }

    long now() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    @Nullable MemoryNode node(Request reply, long number) {
        MemoryNode node = nodes.get(number);
        if (node == null) {
            reply.fail(Errno.ESTALE);
        }
        return node;
    }

    /// The kernel is about to be told where a directory is.
    protected void tell(
            Request caller, long directory, long parent, RawName name, LongConsumer answer) {
        answer.accept(directory);
    }

    private void answer(EntryReply reply, MemoryNode node) {
        answer(reply, node, node.number);
    }

    private synchronized void answer(EntryReply reply, MemoryNode node, long called) {
        node.describe(reply.attributes());
        nodes.hold(node.number, number -> node);
        long nanos = called == node.number ? keepNanos : 0;
        if (!reply.entry(called, 0, nanos, nanos)) {
            nodes.forget(node.number, 1);
        }
    }

    private void answer(AttributesReply reply, MemoryNode node) {
        node.describe(reply.attributes());
        reply.send(keepNanos);
    }

    // ---- names

    @Override
    public synchronized void lookup(EntryReply reply, long parent, RawName name) {
        MemoryNode directory = node(reply, parent);
        if (directory == null) {
            return;
        }
        MemoryNode above = directory.parent;
        if (name.isDot() && directory.links > 0) {
            answer(reply, directory);
            return;
        }
        if (name.isDotDot() && above != null) {
            answer(reply, above);
            return;
        }
        MemoryNode child = directory.child(name);
        if (child != null && child.directory()) {
            tell(reply, child.number, parent, name, number -> answer(reply, child, number));
        } else if (child != null) {
            answer(reply, child);
        } else if (name.length() > NAME_MAX) {
            reply.fail(Errno.ENAMETOOLONG);
        } else if (keepNanos > 0) {
            reply.absent(keepNanos);
        } else {
            reply.fail(Errno.ENOENT);
        }
    }

    @Override
    public void forget(long node, long lookups) {
        nodes.forget(node, lookups);
    }

    /// A new node under a new name, or null when that was refused.
    @Nullable MemoryNode make(Request reply, long parent, RawName name, int mode, int umask) {
        MemoryNode directory = node(reply, parent);
        if (directory == null) {
            return null;
        }
        if (name.length() > NAME_MAX) {
            reply.fail(Errno.ENAMETOOLONG);
            return null;
        }
        if (directory.child(name) != null) {
            reply.fail(Errno.EEXIST);
            return null;
        }
        if (directory.links == 0) {
            reply.fail(Errno.ENOENT);
            return null;
        }
        MemoryNode child = fresh(reply, directory, mode, umask);
        directory.add(name, child);
        directory.touch(now());
        return child;
    }

    MemoryNode fresh(Request reply, MemoryNode directory, int mode, int umask) {
        int effective = mode & ~umask;
        int gid = reply.gid();
        if ((directory.mode & Flags.SET_GID) != 0) {
            gid = directory.gid;
            if ((mode & Flags.FORMAT_MASK) == Flags.DIRECTORY) {
                effective |= Flags.SET_GID;
            }
        }
        created++;
        return new MemoryNode(nextNumber++, effective, reply.uid(), gid, now());
    }

    @Override
    public synchronized void symlink(EntryReply reply, long parent, RawName name, byte[] target) {
        MemoryNode made = make(reply, parent, name, Flags.SYMLINK | 0x1FF, 0);
        if (made != null) {
            made.target = target;
            answer(reply, made);
        }
    }

    @Override
    public synchronized void mknod(
            EntryReply reply, long parent, RawName name, int mode, int device, int umask) {
        MemoryNode made = make(reply, parent, name, mode, umask);
        if (made != null) {
            made.device = device;
            answer(reply, made);
        }
    }

    @Override
    public synchronized void mkdir(
            EntryReply reply, long parent, RawName name, int mode, int umask) {
        MemoryNode directory = nodes.get(parent);
        if (directory != null && directory.links >= LINKS_MAX) {
            reply.fail(Errno.EMLINK);
            return;
        }
        MemoryNode made = make(reply, parent, name, Flags.DIRECTORY | mode, umask);
        if (made != null) {
            tell(reply, made.number, parent, name, number -> answer(reply, made, number));
        }
    }

    @Override
    public synchronized void unlink(EmptyReply reply, long parent, RawName name) {
        remove(reply, parent, name, false);
    }

    @Override
    public synchronized void rmdir(EmptyReply reply, long parent, RawName name) {
        remove(reply, parent, name, true);
    }

    private void remove(EmptyReply reply, long parent, RawName name, boolean wantDirectory) {
        MemoryNode directory = node(reply, parent);
        if (directory == null) {
            return;
        }
        MemoryNode child = directory.child(name);
        int errno =
                child == null
                        ? name.length() > NAME_MAX ? Errno.ENAMETOOLONG : Errno.ENOENT
                        : child.directory() != wantDirectory
                                ? wantDirectory ? Errno.ENOTDIR : Errno.EISDIR
                                : child.children.isEmpty() ? 0 : Errno.ENOTEMPTY;
        if (errno != 0 || child == null) {
            reply.fail(errno);
            return;
        }
        long now = now();
        directory.remove(name);
        directory.touch(now);
        drop(child, now);
        reply.done();
    }

    private void drop(MemoryNode child, long now) {
        child.links -= child.directory() ? 2 : 1;
        child.ctime = now;
        if (child.links <= 0) {
            created--;
        }
    }

    @Override
    public synchronized void rename(
            EmptyReply reply,
            long parent,
            RawName name,
            long newParent,
            RawName newName,
            int flags) {
        MemoryNode from = node(reply, parent);
        if (from == null) {
            return;
        }
        MemoryNode to = node(reply, newParent);
        if (to == null) {
            return;
        }
        MemoryNode moved = from.child(name);
        MemoryNode there = to.child(newName);
        int errno = renameRefused(moved, there, newName, flags);
        if (errno != 0 || moved == null) {
            reply.fail(errno);
            return;
        }
        if (moved != there) {
            move(from, name, moved, to, newName, there, flags, reply);
        }
        reply.done();
    }

    private static int renameRefused(
            @Nullable MemoryNode moved, @Nullable MemoryNode there, RawName newName, int flags) {
        if (moved == null) {
            return Errno.ENOENT;
        }
        if (newName.length() > NAME_MAX) {
            return Errno.ENAMETOOLONG;
        }
        if ((flags & Flags.RENAME_EXCHANGE) != 0) {
            return there == null ? Errno.ENOENT : 0;
        }
        if (there == null) {
            return 0;
        }
        if ((flags & Flags.RENAME_NOREPLACE) != 0) {
            return Errno.EEXIST;
        }
        if (there.directory() != moved.directory()) {
            return moved.directory() ? Errno.ENOTDIR : Errno.EISDIR;
        }
        return there.children.isEmpty() ? 0 : Errno.ENOTEMPTY;
    }

    private void move(
            MemoryNode from,
            RawName name,
            MemoryNode moved,
            MemoryNode to,
            RawName newName,
            @Nullable MemoryNode there,
            int flags,
            Request reply) {
        long now = now();
        from.remove(name);
        if (there != null) {
            to.remove(newName);
            if ((flags & Flags.RENAME_EXCHANGE) != 0) {
                from.add(name, there);
                there.ctime = now;
            } else {
                drop(there, now);
            }
        }
        to.add(newName, moved);
        if ((flags & Flags.RENAME_WHITEOUT) != 0) {
            from.add(name, fresh(reply, from, Flags.CHARACTER_DEVICE, 0));
        }
        moved.ctime = now;
        from.touch(now);
        to.touch(now);
    }

    @Override
    public synchronized void link(EntryReply reply, long number, long newParent, RawName newName) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        MemoryNode to = node(reply, newParent);
        if (to == null) {
            return;
        }
        int errno =
                newName.length() > NAME_MAX
                        ? Errno.ENAMETOOLONG
                        : to.child(newName) != null
                                ? Errno.EEXIST
                                : node.directory()
                                        ? Errno.EPERM
                                        : node.links >= LINKS_MAX ? Errno.EMLINK : 0;
        if (errno != 0) {
            reply.fail(errno);
            return;
        }
        long now = now();
        node.links++;
        node.ctime = now;
        to.add(newName, node);
        to.touch(now);
        answer(reply, node);
    }

    @Override
    public synchronized void readlink(BytesReply reply, long number) {
        MemoryNode node = node(reply, number);
        if (node != null) {
            reply.bytes(node.target);
        }
    }

    // ---- attributes

    @Override
    public synchronized void getattr(AttributesReply reply, long number, long handle) {
        MemoryNode node = node(reply, number);
        if (node != null) {
            answer(reply, node);
        }
    }

    @Override
    public synchronized void setattr(AttributesReply reply, long number, SetAttributes change) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        long now = now();
        if (change.has(SetAttributes.UID | SetAttributes.GID | SetAttributes.KILL_SUIDGID)) {
            node.killSuidGid();
        }
        if (change.has(SetAttributes.MODE)) {
            node.mode = (node.mode & Flags.FORMAT_MASK) | (change.mode & Flags.PERMISSIONS);
        }
        if (change.has(SetAttributes.UID)) {
            node.uid = change.uid;
        }
        if (change.has(SetAttributes.GID)) {
            node.gid = change.gid;
        }
        if (change.has(SetAttributes.SIZE)) {
            if (change.size > (long) Integer.MAX_VALUE * 16) {
                reply.fail(Errno.EFBIG);
                return;
            }
            node.content.truncate(change.size);
            node.mtime = now;
        }
        if (change.has(SetAttributes.ATIME)) {
            node.atime =
                    change.has(SetAttributes.ATIME_NOW)
                            ? now
                            : change.atime * 1_000_000_000L + change.atimeNanos;
        }
        if (change.has(SetAttributes.MTIME)) {
            node.mtime =
                    change.has(SetAttributes.MTIME_NOW)
                            ? now
                            : change.mtime * 1_000_000_000L + change.mtimeNanos;
        }
        node.ctime = now;
        answer(reply, node);
    }

    @Override
    public synchronized void access(EmptyReply reply, long number, int mask) {
        reply.fail(Errno.ENOSYS);
    }

    @Override
    public synchronized void statfs(StatfsReply reply, long node) {
        long blocks = 1L << 24;
        reply.statfs(
                blocks,
                blocks - created,
                blocks - created,
                1L << 24,
                (1L << 24) - created,
                4096,
                NAME_MAX);
    }

    // ---- extended attributes

    @Override
    public synchronized void setxattr(
            EmptyReply reply,
            long number,
            RawName name,
            byte[] value,
            int flags,
            boolean killSgid) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        boolean known = node.xattrs.containsKey(name);
        if (flags == Flags.XATTR_CREATE && known) {
            reply.fail(Errno.EEXIST);
        } else if (flags == Flags.XATTR_REPLACE && !known) {
            reply.fail(Errno.ENODATA);
        } else {
            node.xattrs.put(name, value);
            node.ctime = now();
            if (killSgid) {
                node.mode &= ~Flags.SET_GID;
            }
            reply.done();
        }
    }

    @Override
    public synchronized void getxattr(XattrReply reply, long number, RawName name, int size) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        byte[] value = node.xattrs.get(name);
        if (value == null) {
            reply.fail(Errno.ENODATA);
        } else {
            reply.value(value);
        }
    }

    @Override
    public synchronized void listxattr(XattrReply reply, long number, int size) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        ByteArrayOutputStream names = new ByteArrayOutputStream();
        for (RawName name : node.xattrs.keySet()) {
            names.writeBytes(name.bytes());
            names.write(0);
        }
        reply.value(names.toByteArray());
    }

    @Override
    public synchronized void removexattr(EmptyReply reply, long number, RawName name) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        if (node.xattrs.remove(name) == null) {
            reply.fail(Errno.ENODATA);
        } else {
            node.ctime = now();
            reply.done();
        }
    }
}
