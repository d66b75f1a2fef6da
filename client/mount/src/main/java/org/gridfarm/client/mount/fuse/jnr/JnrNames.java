package org.gridfarm.client.mount.fuse.jnr;

import jnr.ffi.Pointer;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.jspecify.annotations.Nullable;

import ru.serce.jnrfuse.FuseStubFS;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.FuseContext;
import ru.serce.jnrfuse.struct.FuseFileInfo;
import ru.serce.jnrfuse.struct.Statvfs;
import ru.serce.jnrfuse.struct.Timespec;

import java.util.concurrent.ConcurrentHashMap;

/// What libfuse asks about names: attributes, links, directories made and removed, extended
/// attributes.
abstract class JnrNames extends FuseStubFS {

    private static final int UTIME_NOW = (1 << 30) - 1;
    private static final int UTIME_OMIT = (1 << 30) - 2;
    final FuseOperations operations;
    final long deadlineNanos;
    // Nodes of open files: held from open to release, so that a removed file can still be used.
    final ConcurrentHashMap<Long, Long> open = new ConcurrentHashMap<>();

    JnrNames(FuseOperations operations, MountOptions options) {
        this.operations = operations;
        this.deadlineNanos = options.deadline().toNanos();
    }

    final BlockingReply reply() {
        return reply(0);
    }

    final BlockingReply reply(int room) {
        FuseContext context = getContext();
        return new BlockingReply(
                context.uid.intValue(),
                context.gid.intValue(),
                context.pid.intValue(),
                room,
                deadlineNanos);
    }

    private Walk walk() {
        return new Walk(operations, this::reply);
    }

    /// A call whose path is all that it needs.
    @FunctionalInterface
    interface Step {
        int on(Walk walk) throws Walk.Refused;
    }

    final int with(Step step) {
        try (Walk walk = walk()) {
            return step.on(walk);
        } catch (Walk.Refused e) {
            return e.result;
        }
    }

    // ---- attributes

    @Override
    public int getattr(String path, FileStat stat) {
        return with(walk -> attributes(walk.node(path), FuseOperations.NO_HANDLE, stat));
    }

    @Override
    public int fgetattr(String path, FileStat stat, FuseFileInfo info) {
        Long node = open.get(info.fh.get());
        return node == null ? getattr(path, stat) : attributes(node, info.fh.get(), stat);
    }

    private int attributes(long node, long handle, FileStat stat) {
        BlockingReply reply = reply();
        operations.getattr(reply, node, handle);
        int result = reply.await();
        if (result == 0) {
            Attributes a = reply.attributes();
            stat.st_ino.set(a.inode);
            stat.st_mode.set(a.mode);
            stat.st_nlink.set(a.links);
            stat.st_uid.set(a.uid);
            stat.st_gid.set(a.gid);
            stat.st_rdev.set(a.device);
            stat.st_size.set(a.size);
            stat.st_blocks.set(a.blocks);
            stat.st_blksize.set(a.blockBytes);
            stat.st_atim.tv_sec.set(a.atime);
            stat.st_atim.tv_nsec.set(a.atimeNanos);
            stat.st_mtim.tv_sec.set(a.mtime);
            stat.st_mtim.tv_nsec.set(a.mtimeNanos);
            stat.st_ctim.tv_sec.set(a.ctime);
            stat.st_ctim.tv_nsec.set(a.ctimeNanos);
        }
        return result;
    }

    private int change(long node, SetAttributes change) {
        BlockingReply reply = reply();
        operations.setattr(reply, node, change);
        return reply.await();
    }

    private static SetAttributes change(int valid) {
        SetAttributes change = new SetAttributes();
        change.valid = valid;
        change.handle = FuseOperations.NO_HANDLE;
        return change;
    }

    @Override
    public int chmod(String path, long mode) {
        SetAttributes change = change(SetAttributes.MODE);
        change.mode = (int) mode;
        return with(walk -> change(walk.node(path), change));
    }

    @Override
    public int chown(String path, long uid, long gid) {
        SetAttributes change = change(SetAttributes.KILL_SUIDGID);
        change.uid = (int) uid;
        change.gid = (int) gid;
        change.valid |=
                (change.uid == -1 ? 0 : SetAttributes.UID)
                        | (change.gid == -1 ? 0 : SetAttributes.GID);
        return with(walk -> change(walk.node(path), change));
    }

    @Override
    public int truncate(String path, long size) {
        SetAttributes change = change(SetAttributes.SIZE);
        change.size = size;
        return with(walk -> change(walk.node(path), change));
    }

    @Override
    public int ftruncate(String path, long size, FuseFileInfo info) {
        Long node = open.get(info.fh.get());
        if (node == null) {
            return truncate(path, size);
        }
        SetAttributes change = change(SetAttributes.SIZE | SetAttributes.HANDLE);
        change.size = size;
        change.handle = info.fh.get();
        return change(node, change);
    }

    @Override
    public int utimens(String path, Timespec[] times) {
        SetAttributes change = change(0);
        change.atime = times[0].tv_sec.get();
        change.atimeNanos = times[0].tv_nsec.intValue();
        change.mtime = times[1].tv_sec.get();
        change.mtimeNanos = times[1].tv_nsec.intValue();
        change.valid |= time(change.atimeNanos, SetAttributes.ATIME, SetAttributes.ATIME_NOW);
        change.valid |= time(change.mtimeNanos, SetAttributes.MTIME, SetAttributes.MTIME_NOW);
        return with(walk -> change(walk.node(path), change));
    }

    private static int time(int nanos, int bit, int nowBit) {
        return nanos == UTIME_OMIT ? 0 : nanos == UTIME_NOW ? bit | nowBit : bit;
    }

    @Override
    public int statfs(String path, Statvfs stat) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.statfs(reply, walk.node(path));
            int result = reply.await();
            if (result == 0) {
                stat.f_blocks.set(reply.statfs[0]);
                stat.f_bfree.set(reply.statfs[1]);
                stat.f_bavail.set(reply.statfs[2]);
                stat.f_files.set(reply.statfs[3]);
                stat.f_ffree.set(reply.statfs[4]);
                stat.f_favail.set(reply.statfs[4]);
                stat.f_bsize.set(reply.statfs[5]);
                stat.f_frsize.set(reply.statfs[5]);
                stat.f_namemax.set(reply.statfs[6]);
            }
            return result;
        });
    }

    // ---- names

    private int made(Walk walk, BlockingReply reply) {
        int result = reply.await();
        if (result == 0) {
            walk.hold(reply.node);
        }
        return result;
    }

    @Override
    public int mknod(String path, long mode, long device) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.mknod(
                    reply, walk.parent(path), Walk.name(path), (int) mode, (int) device, 0);
            return made(walk, reply);
        });
    }

    @Override
    public int mkdir(String path, long mode) {
        return with(walk -> {
            BlockingReply reply = reply();
            int permissions = (int) mode & Flags.PERMISSIONS;
            operations.mkdir(reply, walk.parent(path), Walk.name(path), permissions, 0);
            return made(walk, reply);
        });
    }

    @Override
    public int symlink(String target, String path) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.symlink(
                    reply, walk.parent(path), Walk.name(path), Walk.whole(target).bytes());
            return made(walk, reply);
        });
    }

    @Override
    public int link(String from, String path) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.link(reply, walk.node(from), walk.parent(path), Walk.name(path));
            return made(walk, reply);
        });
    }

    @Override
    public int readlink(String path, Pointer buffer, long size) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.readlink(reply, walk.node(path));
            int result = reply.await();
            if (result == 0 && size > 0) {
                int length = (int) Math.min(size - 1, reply.content.length);
                buffer.put(0, reply.content, 0, length);
                buffer.putByte(length, (byte) 0);
            }
            return result;
        });
    }

    @Override
    public int unlink(String path) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.unlink(reply, walk.parent(path), Walk.name(path));
            return reply.await();
        });
    }

    @Override
    public int rmdir(String path) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.rmdir(reply, walk.parent(path), Walk.name(path));
            return reply.await();
        });
    }

    @Override
    public int rename(String path, String newPath) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.rename(
                    reply,
                    walk.parent(path),
                    Walk.name(path),
                    walk.parent(newPath),
                    Walk.name(newPath),
                    0);
            return reply.await();
        });
    }

    // ---- extended attributes

    @Override
    public int setxattr(String path, String name, Pointer value, long size, int flags) {
        byte[] bytes = new byte[(int) size];
        value.get(0, bytes, 0, bytes.length);
        return with(walk -> {
            BlockingReply reply = reply();
            operations.setxattr(reply, walk.node(path), RawName.of(name), bytes, flags, false);
            return reply.await();
        });
    }

    @Override
    public int getxattr(String path, String name, Pointer value, long size) {
        return with(walk -> {
            BlockingReply reply = reply((int) size);
            operations.getxattr(reply, walk.node(path), RawName.of(name), (int) size);
            return copy(reply, value, size);
        });
    }

    @Override
    public int listxattr(String path, Pointer list, long size) {
        return with(walk -> {
            BlockingReply reply = reply((int) size);
            operations.listxattr(reply, walk.node(path), (int) size);
            return copy(reply, list, size);
        });
    }

    private static int copy(BlockingReply reply, @Nullable Pointer to, long size) {
        int result = reply.await();
        if (result != 0) {
            return result;
        }
        if (size > 0 && to != null) {
            to.put(0, reply.content, 0, reply.content.length);
        }
        return reply.content.length;
    }

    @Override
    public int removexattr(String path, String name) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.removexattr(reply, walk.node(path), RawName.of(name));
            return reply.await();
        });
    }
}
