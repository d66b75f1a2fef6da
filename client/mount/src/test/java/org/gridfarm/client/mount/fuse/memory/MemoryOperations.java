package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.CountReply;
import org.gridfarm.client.mount.fuse.CreateReply;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.LockReply;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenMode;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A POSIX file system in memory. Permissions are checked by the kernel (`default_permissions`);
/// ACLs are kept but not inherited.
///
/// One lock guards everything; answers are given under it, which is safe because an answer never
/// waits.
public class MemoryOperations extends MemoryTree {

    private record Open(MemoryNode node, int flags) {}

    private final Map<Long, Open> opens = new HashMap<>();
    private long nextHandle = 1;

    /// The root belongs to whoever runs this.
    ///
    /// @param keepNanos how long the kernel may keep names and attributes
    public MemoryOperations(Clock clock, long keepNanos) {
        super(clock, keepNanos, own("uid"), own("gid"));
    }

    private static int own(String which) {
        try {
            return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:" + which);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Handles that are open.
    public synchronized int open() {
        return opens.size();
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
            ReadReply reply,
            long number,
            long handle,
            long offset,
            int size,
            int flags,
            boolean kept) {
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
