package org.gridfarm.client.mount.fuse.jnr;

import jnr.ffi.Pointer;

import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.client.mount.fuse.MountOptions;

import ru.serce.jnrfuse.FuseFillDir;
import ru.serce.jnrfuse.struct.Flock;
import ru.serce.jnrfuse.struct.FuseFileInfo;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A file system mounted through libfuse 2. Each method is one call of libfuse, on a thread of its
/// own choosing, and waits for the answer of the operations.
public final class JnrMount extends JnrNames implements AutoCloseable {

    private static final int F_GETLK = 5;
    private static final int F_SETLKW = 7;
    private static final int LOCK_SH = 1;
    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;

    private JnrMount(FuseOperations operations, MountOptions options) {
        super(operations, options);
    }

    /// Mounts and serves, until [#close].
    public static JnrMount mount(Path directory, MountOptions options, FuseOperations operations) {
        JnrMount mount = new JnrMount(operations, options);
        mount.begin(directory, options, false);
        return mount;
    }

    /// Mounts, serves, and returns when the mount has been taken away.
    public static void serve(Path directory, MountOptions options, FuseOperations operations) {
        JnrMount mount = new JnrMount(operations, options);
        mount.begin(directory, options, true);
        operations.stopped();
    }

    private void begin(Path directory, MountOptions options, boolean blocking) {
        List<String> words = new ArrayList<>();
        words.add("fsname=" + options.source());
        words.add("subtype=" + options.subtype());
        words.add("entry_timeout=0");
        words.add("negative_timeout=0");
        words.add("attr_timeout=0");
        words.add("auto_cache");
        words.add("use_ino");
        words.add("big_writes");
        if (options.allowOther()) {
            words.add("allow_other");
        }
        if (options.defaultPermissions()) {
            words.add("default_permissions");
        }
        words.addAll(MountFlag.helperWords(options.flags()));
        operations.started(new JnrConnection());
        mount(directory, blocking, false, new String[] {"-o", String.join(",", words)});
    }

    @Override
    public void close() {
        umount();
        operations.stopped();
    }

    // ---- files

    private void opened(FuseFileInfo info, BlockingReply reply, long node) {
        info.fh.set(reply.handle);
        open.put(reply.handle, node);
    }

    /// The node of an open file, or of the path where libfuse gives no handle.
    private long node(Walk walk, String path, FuseFileInfo info) throws Walk.Refused {
        Long node = open.get(info.fh.get());
        return node != null ? node : walk.node(path);
    }

    @Override
    public int create(String path, long mode, FuseFileInfo info) {
        return with(walk -> {
            BlockingReply reply = reply();
            int permissions = (int) mode & Flags.PERMISSIONS;
            operations.create(
                    reply, walk.parent(path), Walk.name(path), info.flags.get(), permissions, 0);
            int result = reply.await();
            if (result == 0) {
                opened(info, reply, reply.node); // the lookup is given back with the release
            }
            return result;
        });
    }

    @Override
    public int open(String path, FuseFileInfo info) {
        return with(walk -> {
            long node = walk.node(path);
            BlockingReply reply = reply();
            operations.open(reply, node, info.flags.get(), true);
            int result = reply.await();
            if (result == 0) {
                opened(info, reply, walk.keep(node));
            }
            return result;
        });
    }

    @Override
    public int read(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        return with(walk -> {
            BlockingReply reply = reply((int) size);
            long node = node(walk, path, info);
            operations.read(
                    reply, node, info.fh.get(), offset, (int) size, info.flags.get(), false);
            int result = reply.await();
            if (result != 0) {
                return result;
            }
            buffer.put(0, reply.content, 0, reply.content.length);
            return reply.content.length;
        });
    }

    @Override
    public int write(String path, Pointer buffer, long size, long offset, FuseFileInfo info) {
        return with(walk -> {
            byte[] bytes = new byte[(int) size];
            buffer.get(0, bytes, 0, bytes.length);
            ByteBuffer data = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            BlockingReply reply = reply();
            long node = node(walk, path, info);
            // no word of libfuse 2 about set-user bits: they always go
            operations.write(
                    reply,
                    node,
                    info.fh.get(),
                    offset,
                    data,
                    info.flags.get(),
                    Flags.WRITE_KILL_SUIDGID);
            int result = reply.await();
            return result != 0 ? result : (int) reply.number;
        });
    }

    @Override
    public int flush(String path, FuseFileInfo info) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.flush(reply, node(walk, path, info), info.fh.get(), info.lock_owner.get());
            return reply.await();
        });
    }

    @Override
    public int release(String path, FuseFileInfo info) {
        Long node = open.remove(info.fh.get());
        if (node == null) {
            return 0;
        }
        BlockingReply reply = reply();
        operations.release(
                reply, node, info.fh.get(), info.flags.get(), true, info.lock_owner.get());
        int result = reply.await();
        if (node != FuseOperations.ROOT) {
            operations.forget(node, 1);
        }
        return result;
    }

    @Override
    public int fsync(String path, int dataOnly, FuseFileInfo info) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.fsync(reply, node(walk, path, info), info.fh.get(), dataOnly != 0);
            return reply.await();
        });
    }

    @Override
    public int fallocate(String path, int mode, long offset, long length, FuseFileInfo info) {
        return with(walk -> {
            BlockingReply reply = reply();
            operations.fallocate(
                    reply, node(walk, path, info), info.fh.get(), offset, length, mode);
            return reply.await();
        });
    }

    // ---- directories

    @Override
    public int opendir(String path, FuseFileInfo info) {
        return with(walk -> {
            BlockingReply reply = reply();
            long node = walk.node(path);
            operations.opendir(reply, node, info.flags.get());
            int result = reply.await();
            if (result == 0) {
                opened(info, reply, walk.keep(node));
            }
            return result;
        });
    }

    @Override
    public int readdir(
            String path, Pointer buffer, FuseFillDir filler, long offset, FuseFileInfo info) {
        return with(walk -> {
            long node = node(walk, path, info);
            long position = 0;
            while (true) {
                BlockingReply reply = reply();
                operations.readdir(reply, node, info.fh.get(), position);
                int result = reply.await();
                if (result != 0 || reply.names.isEmpty()) {
                    return result;
                }
                for (BlockingReply.Name one : reply.names) {
                    filler.apply(buffer, new String(one.name(), StandardCharsets.UTF_8), null, 0);
                    position = one.next();
                }
            }
        });
    }

    @Override
    public int releasedir(String path, FuseFileInfo info) {
        Long node = open.remove(info.fh.get());
        if (node == null) {
            return 0;
        }
        BlockingReply reply = reply();
        operations.releasedir(reply, node, info.fh.get(), info.flags.get());
        int result = reply.await();
        if (node != FuseOperations.ROOT) {
            operations.forget(node, 1);
        }
        return result;
    }

    @Override
    public int fsyncdir(String path, FuseFileInfo info) {
        return 0; // libfuse 2 does not say which; changes of names are durable when answered
    }

    // ---- locks

    @Override
    public int lock(String path, FuseFileInfo info, int command, Flock lock) {
        long start = lock.l_start.get();
        long length = lock.l_len.get();
        long end = length == 0 ? Long.MAX_VALUE : start + length - 1;
        LockRange range = new LockRange(start, end, lock.l_type.intValue(), lock.l_pid.intValue());
        return with(walk -> {
            BlockingReply reply = reply();
            long node = node(walk, path, info);
            long owner = info.lock_owner.get();
            if (command != F_GETLK) {
                boolean wait = command == F_SETLKW;
                if (wait) {
                    reply.deadline(0);
                }
                operations.setlk(reply, node, info.fh.get(), owner, range, false, wait);
                return reply.await();
            }
            operations.getlk(reply, node, info.fh.get(), owner, range);
            int result = reply.await();
            LockRange conflict = reply.lock;
            if (result == 0 && conflict != null) {
                lock.l_type.set((short) conflict.type());
                lock.l_start.set(conflict.start());
                lock.l_len.set(
                        conflict.end() == Long.MAX_VALUE
                                ? 0
                                : conflict.end() - conflict.start() + 1);
                lock.l_pid.set(conflict.pid());
            }
            return result;
        });
    }

    @Override
    public int flock(String path, FuseFileInfo info, int operation) {
        int type =
                (operation & LOCK_UN) != 0
                        ? LockRange.UNLOCK
                        : (operation & LOCK_SH) != 0 ? LockRange.READ : LockRange.WRITE;
        boolean wait = (operation & LOCK_NB) == 0;
        return with(walk -> {
            BlockingReply reply = reply();
            if (wait) {
                reply.deadline(0);
            }
            LockRange all = new LockRange(0, Long.MAX_VALUE, type, 0);
            operations.setlk(
                    reply,
                    node(walk, path, info),
                    info.fh.get(),
                    info.lock_owner.get(),
                    all,
                    true,
                    wait);
            return reply.await();
        });
    }
}
