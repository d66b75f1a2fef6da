package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.BytesReply;
import org.gridfarm.client.mount.fuse.CountReply;
import org.gridfarm.client.mount.fuse.CreateReply;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.LockReply;
import org.gridfarm.client.mount.fuse.NodeTable;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenMode;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A POSIX file system in memory. Permissions are checked by the kernel (`default_permissions`);
/// ACLs are kept but not inherited.
///
/// One lock guards everything; answers are given under it, which is safe because an answer never
/// waits.
public class MemoryOperations implements FuseOperations {

    static final RawName CAPABILITY = RawName.of("security.capability");

    private static final int NAME_MAX = 255;
    private static final int LINKS_MAX = 65000;

    private record Open(MemoryNode node, int flags) {}

    private final NodeTable<MemoryNode> nodes = new NodeTable<>();
    private final Map<Long, Open> opens = new HashMap<>();
    private final Clock clock;
    private final long keepNanos;
    private long nextNumber = ROOT + 1;
    private long nextHandle = 1;
    private long created = 1;

    /// @param keepNanos how long the kernel may keep names and attributes
    public MemoryOperations(Clock clock, long keepNanos, int uid, int gid) {
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

    /// Handles that are open.
    public synchronized int open() {
        return opens.size();
    }

    private long now() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private @Nullable MemoryNode node(Request reply, long number) {
        MemoryNode node = nodes.get(number);
        if (node == null) {
            reply.fail(Errno.ESTALE);
        }
        return node;
    }

    private void answer(EntryReply reply, MemoryNode node) {
        node.describe(reply.attributes());
        nodes.hold(node.number, number -> node);
        if (!reply.entry(node.number, 0, keepNanos, keepNanos)) {
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
        MemoryNode child = directory.child(name);
        if (child != null) {
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
    private @Nullable MemoryNode make(
            Request reply, long parent, RawName name, int mode, int umask) {
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

    private MemoryNode fresh(Request reply, MemoryNode directory, int mode, int umask) {
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
            answer(reply, made);
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

    // ---- files

    private long handle(MemoryNode node, int flags) {
        long handle = nextHandle++;
        opens.put(handle, new Open(node, flags));
        return handle;
    }

    @Override
    public synchronized void open(OpenReply reply, long number, int flags, boolean killSuidGid) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        if ((flags & Flags.O_TRUNC) != 0) {
            node.content.truncate(0);
            node.touch(now());
            if (killSuidGid) {
                node.killSuidGid();
            }
        }
        long handle = handle(node, flags);
        if (!reply.opened(handle, OpenMode.KEEP_CACHE, 0)) {
            opens.remove(handle);
        }
    }

    @Override
    public synchronized void create(
            CreateReply reply, long parent, RawName name, int flags, int mode, int umask) {
        MemoryNode directory = node(reply, parent);
        if (directory == null) {
            return;
        }
        MemoryNode there = directory.child(name);
        if (there == null) {
            there = make(reply, parent, name, Flags.REGULAR | mode, umask);
            if (there == null) {
                return;
            }
        } else if ((flags & Flags.O_EXCL) != 0) {
            reply.fail(Errno.EEXIST);
            return;
        } else if ((flags & Flags.O_TRUNC) != 0) {
            there.content.truncate(0);
            there.touch(now());
        }
        answer(reply, there, flags);
    }

    @Override
    public synchronized void tmpfile(
            CreateReply reply, long parent, int flags, int mode, int umask) {
        MemoryNode directory = node(reply, parent);
        if (directory == null) {
            return;
        }
        MemoryNode made = fresh(reply, directory, Flags.REGULAR | mode, umask);
        made.links = 0;
        answer(reply, made, flags);
    }

    private void answer(CreateReply reply, MemoryNode node, int flags) {
        node.describe(reply.attributes());
        nodes.hold(node.number, number -> node);
        long handle = handle(node, flags);
        if (!reply.created(node.number, 0, keepNanos, keepNanos, handle, OpenMode.KEEP_CACHE, 0)) {
            nodes.forget(node.number, 1);
            opens.remove(handle);
        }
    }

    @Override
    public synchronized void read(
            ReadReply reply, long number, long handle, long offset, int size, int flags) {
        MemoryNode node = node(reply, number);
        if (node != null) {
            long now = now();
            if (node.atime <= node.mtime || node.atime <= node.ctime) {
                node.atime = now; // as relatime
            }
            reply.data(node.content.read(offset, size, reply.buffer()));
        }
    }

    @Override
    public synchronized void write(
            CountReply reply,
            long number,
            long handle,
            long offset,
            ByteBuffer data,
            int openFlags,
            int writeFlags) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        long at = (openFlags & Flags.O_APPEND) != 0 ? node.content.size : offset;
        int count = data.remaining();
        node.content.write(at, data);
        node.touch(now());
        if ((writeFlags & Flags.WRITE_KILL_SUIDGID) != 0) {
            node.killSuidGid();
        }
        reply.count(count);
    }

    @Override
    public synchronized void release(
            EmptyReply reply,
            long number,
            long handle,
            int flags,
            boolean flockUnlock,
            long lockOwner) {
        Open open = opens.remove(handle);
        if (open != null && flockUnlock) {
            open.node.flocks.release(lockOwner);
        }
        reply.done();
    }

    @Override
    public synchronized void flush(EmptyReply reply, long number, long handle, long lockOwner) {
        MemoryNode node = node(reply, number);
        if (node != null) {
            node.records.release(lockOwner);
            reply.done();
        }
    }

    @Override
    public void fsync(EmptyReply reply, long node, long handle, boolean dataOnly) {
        reply.done();
    }

    @Override
    public void syncfs(EmptyReply reply, long node) {
        reply.done();
    }

    @Override
    public synchronized void fallocate(
            EmptyReply reply, long number, long handle, long offset, long length, int mode) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        int known = Flags.FALLOC_KEEP_SIZE | Flags.FALLOC_PUNCH_HOLE | Flags.FALLOC_ZERO_RANGE;
        if ((mode & ~known) != 0) {
            reply.fail(Errno.EOPNOTSUPP);
            return;
        }
        long end = offset + length;
        if ((mode & (Flags.FALLOC_PUNCH_HOLE | Flags.FALLOC_ZERO_RANGE)) != 0) {
            node.content.zero(offset, Math.max(0, Math.min(end, node.content.size) - offset));
        }
        if ((mode & Flags.FALLOC_KEEP_SIZE) == 0 && end > node.content.size) {
            node.content.size = end;
        }
        node.touch(now());
        reply.done();
    }

    @Override
    public synchronized void lseek(
            OffsetReply reply, long number, long handle, long offset, int whence) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        long found = node.content.seek(offset, whence == Flags.SEEK_DATA);
        if (found < 0) {
            reply.fail(Errno.ENXIO);
        } else {
            reply.offset(found);
        }
    }

    @Override
    public synchronized void copyFileRange(
            CountReply reply,
            long nodeIn,
            long handleIn,
            long offsetIn,
            long nodeOut,
            long handleOut,
            long offsetOut,
            long length,
            long flags) {
        MemoryNode in = node(reply, nodeIn);
        if (in == null) {
            return;
        }
        MemoryNode out = node(reply, nodeOut);
        if (out == null) {
            return;
        }
        int step = (int) Math.min(length, 1 << 20);
        ByteBuffer buffer = ByteBuffer.allocate(step);
        int count = in.content.read(offsetIn, step, buffer);
        out.content.write(offsetOut, buffer.limit(count));
        out.touch(now());
        reply.count(count);
    }

    // ---- directories

    @Override
    public synchronized void opendir(OpenReply reply, long number, int flags) {
        MemoryNode node = node(reply, number);
        if (node != null) {
            long handle = handle(node, flags);
            int mode = keepNanos > 0 ? OpenMode.KEEP_CACHE | OpenMode.CACHE_DIRECTORY : 0;
            if (!reply.opened(handle, mode, 0)) {
                opens.remove(handle);
            }
        }
    }

    @Override
    public synchronized void readdir(DirectoryReply reply, long number, long handle, long offset) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        boolean room = true;
        if (offset < 1) {
            room = reply.addName(new byte[] {'.'}, node.number, Flags.DIRECTORY, 1);
        }
        if (room && offset < 2) {
            MemoryNode up = node.parent == null ? node : node.parent;
            room = reply.addName(new byte[] {'.', '.'}, up.number, Flags.DIRECTORY, 2);
        }
        List<MemoryNode> given = new ArrayList<>();
        if (room) {
            for (MemoryNode.Entry entry : node.positions.tailMap(offset, false).values()) {
                if (!add(reply, entry)) {
                    break;
                }
                given.add(entry.node());
            }
        }
        boolean plus = reply.plus();
        if (!reply.done() && plus) {
            given.forEach(one -> nodes.forget(one.number, 1));
        }
    }

    private boolean add(DirectoryReply reply, MemoryNode.Entry entry) {
        MemoryNode child = entry.node();
        if (!reply.plus()) {
            return reply.addName(entry.name().bytes(), child.number, child.mode, entry.position());
        }
        child.describe(reply.attributes());
        if (!reply.addEntry(
                entry.name().bytes(), entry.position(), child.number, 0, keepNanos, keepNanos)) {
            return false;
        }
        nodes.hold(child.number, number -> child);
        return true;
    }

    @Override
    public synchronized void releasedir(EmptyReply reply, long node, long handle, int flags) {
        opens.remove(handle);
        reply.done();
    }

    @Override
    public void fsyncdir(EmptyReply reply, long node, long handle, boolean dataOnly) {
        reply.done();
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

    // ---- locks

    @Override
    public synchronized void getlk(
            LockReply reply, long number, long handle, long owner, LockRange lock) {
        MemoryNode node = node(reply, number);
        if (node == null) {
            return;
        }
        LockRange conflict = node.records.conflict(owner, lock);
        reply.lock(
                conflict != null
                        ? conflict
                        : new LockRange(lock.start(), lock.end(), LockRange.UNLOCK, lock.pid()));
    }

    @Override
    public synchronized void setlk(
            EmptyReply reply,
            long number,
            long handle,
            long owner,
            LockRange lock,
            boolean flock,
            boolean wait) {
        MemoryNode node = node(reply, number);
        if (node != null) {
            (flock ? node.flocks : node.records).set(reply, owner, lock, wait, this);
        }
    }
}
