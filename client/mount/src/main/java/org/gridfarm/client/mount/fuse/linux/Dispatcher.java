package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StandIns;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.MemorySegment;

/// Turns the bytes of one request into one call of the operations. Stateless.
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final int BODY = Abi.IN_BYTES;

    private Dispatcher() {}

    /// Carries out requests that have no answer of their own.
    ///
    /// @return false when `opcode` is another
    static boolean unanswered(Session session, Worker worker, Buffer input, int opcode) {
        MemorySegment in = input.segment;
        switch (opcode) {
            case Abi.FORGET ->
                    forget(session, in.get(JAVA_LONG, Abi.IN_NODEID), in.get(JAVA_LONG, BODY));
            case Abi.BATCH_FORGET -> {
                int count = in.get(JAVA_INT, BODY);
                for (int i = 0; i < count; i++) {
                    long at = BODY + Abi.BATCH_FORGET_BYTES + (long) i * Abi.FORGET_ONE_BYTES;
                    forget(session, in.get(JAVA_LONG, at), in.get(JAVA_LONG, at + 8));
                }
            }
            case Abi.INTERRUPT ->
                    session.interrupt(in.get(JAVA_LONG, BODY), in.get(JAVA_LONG, Abi.IN_UNIQUE));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void forget(Session session, long node, long lookups) {
        try {
            session.operations.forget(StandIns.real(node), lookups);
        } catch (RuntimeException e) {
            LOG.error("forgetting node {} failed", node, e);
        }
    }

    /// Carries out any other request.
    static void dispatch(
            Session session, Worker worker, KernelRequest request, Buffer input, int count) {
        try {
            call(session, worker, request, input, count);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            LOG.error(
                    "request {} (opcode {}) on node {} failed",
                    request.unique(),
                    request.opcode,
                    request.node(),
                    e);
            if (request.active()) {
                request.fail(Errno.EIO);
            }
        }
    }

    private static void call(
            Session session, Worker worker, KernelRequest r, Buffer input, int count) {
        FuseOperations to = session.operations;
        MemorySegment in = input.segment;
        long node = r.node();
        switch (r.opcode) {
            case Abi.LOOKUP -> to.lookup(r, node, name(worker, in, BODY, count));
            case Abi.GETATTR, Abi.STATX -> {
                boolean open =
                        (in.get(JAVA_INT, BODY + Abi.GETATTR_FLAGS) & Abi.GETATTR_HAS_FH) != 0;
                to.getattr(
                        r,
                        node,
                        open ? in.get(JAVA_LONG, BODY + Abi.GETATTR_FH) : FuseOperations.NO_HANDLE);
            }
            case Abi.SETATTR -> to.setattr(r, node, change(r.change(), in));
            case Abi.READLINK -> to.readlink(r, node);
            case Abi.SYMLINK -> {
                RawName name = name(worker, in, BODY, count);
                int target = BODY + name.length() + 1;
                to.symlink(r, node, name, bytes(in, target, length(in, target, count)));
            }
            case Abi.MKNOD -> {
                RawName name = name(worker, in, BODY + Abi.MKNOD_BYTES, count);
                int mode = in.get(JAVA_INT, BODY + Abi.MKNOD_MODE);
                to.mknod(
                        r,
                        node,
                        name,
                        mode,
                        in.get(JAVA_INT, BODY + Abi.MKNOD_RDEV),
                        in.get(JAVA_INT, BODY + Abi.MKNOD_UMASK));
            }
            case Abi.MKDIR ->
                    to.mkdir(
                            r,
                            node,
                            name(worker, in, BODY + Abi.MKDIR_BYTES, count),
                            in.get(JAVA_INT, BODY + Abi.MKDIR_MODE),
                            in.get(JAVA_INT, BODY + Abi.MKDIR_UMASK));
            case Abi.UNLINK -> to.unlink(r, node, name(worker, in, BODY, count));
            case Abi.RMDIR -> to.rmdir(r, node, name(worker, in, BODY, count));
            case Abi.RENAME -> rename(to, worker, r, in, BODY + Abi.RENAME_BYTES, 0, count);
            case Abi.RENAME2 ->
                    rename(
                            to,
                            worker,
                            r,
                            in,
                            BODY + Abi.RENAME2_BYTES,
                            in.get(JAVA_INT, BODY + Abi.RENAME2_FLAGS),
                            count);
            case Abi.LINK -> {
                long old = in.get(JAVA_LONG, BODY + Abi.LINK_OLDNODEID);
                r.alsoAt(old);
                to.link(r, old, node, name(worker, in, BODY + Abi.LINK_BYTES, count));
            }
            case Abi.OPEN -> {
                int how = in.get(JAVA_INT, BODY + Abi.OPEN_IN_OPEN_FLAGS);
                to.open(
                        r,
                        node,
                        in.get(JAVA_INT, BODY + Abi.OPEN_IN_FLAGS),
                        (how & Abi.OPEN_KILL_SUIDGID) != 0);
            }
            case Abi.READ -> {
                int size = in.get(JAVA_INT, BODY + Abi.READ_SIZE);
                r.room(size);
                to.read(
                        r,
                        node,
                        in.get(JAVA_LONG, BODY + Abi.READ_FH),
                        in.get(JAVA_LONG, BODY + Abi.READ_OFFSET),
                        size,
                        in.get(JAVA_INT, BODY + Abi.READ_FLAGS),
                        (in.get(JAVA_INT, BODY + Abi.READ_READ_FLAGS) & Abi.READ_LOCKOWNER) == 0);
            }
            case Abi.WRITE ->
                    to.write(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.READ_FH),
                            in.get(JAVA_LONG, BODY + Abi.READ_OFFSET),
                            input.data.clear().limit(in.get(JAVA_INT, BODY + Abi.READ_SIZE)),
                            in.get(JAVA_INT, BODY + Abi.READ_FLAGS),
                            in.get(JAVA_INT, BODY + Abi.WRITE_WRITE_FLAGS));
            case Abi.STATFS -> to.statfs(r, node);
            case Abi.RELEASE ->
                    to.release(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.RELEASE_FH),
                            in.get(JAVA_INT, BODY + Abi.RELEASE_FLAGS),
                            (in.get(JAVA_INT, BODY + Abi.RELEASE_RELEASE_FLAGS)
                                            & Abi.RELEASE_FLOCK_UNLOCK)
                                    != 0,
                            in.get(JAVA_LONG, BODY + Abi.RELEASE_LOCK_OWNER));
            case Abi.FSYNC ->
                    to.fsync(r, node, in.get(JAVA_LONG, BODY + Abi.FSYNC_FH), dataOnly(in));
            case Abi.SETXATTR -> setxattr(session, to, worker, r, in, count);
            case Abi.GETXATTR -> {
                int size = in.get(JAVA_INT, BODY + Abi.GETXATTR_SIZE);
                r.room(size);
                to.getxattr(r, node, name(worker, in, BODY + Abi.GETXATTR_BYTES, count), size);
            }
            case Abi.LISTXATTR -> {
                int size = in.get(JAVA_INT, BODY + Abi.GETXATTR_SIZE);
                r.room(size);
                to.listxattr(r, node, size);
            }
            case Abi.REMOVEXATTR -> to.removexattr(r, node, name(worker, in, BODY, count));
            case Abi.FLUSH ->
                    to.flush(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.FLUSH_FH),
                            in.get(JAVA_LONG, BODY + Abi.FLUSH_LOCK_OWNER));
            case Abi.OPENDIR -> to.opendir(r, node, in.get(JAVA_INT, BODY + Abi.OPEN_IN_FLAGS));
            case Abi.READDIR, Abi.READDIRPLUS -> {
                r.room(in.get(JAVA_INT, BODY + Abi.READ_SIZE));
                to.readdir(
                        r,
                        node,
                        in.get(JAVA_LONG, BODY + Abi.READ_FH),
                        in.get(JAVA_LONG, BODY + Abi.READ_OFFSET));
            }
            case Abi.RELEASEDIR ->
                    to.releasedir(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.RELEASE_FH),
                            in.get(JAVA_INT, BODY + Abi.RELEASE_FLAGS));
            case Abi.FSYNCDIR ->
                    to.fsyncdir(r, node, in.get(JAVA_LONG, BODY + Abi.FSYNC_FH), dataOnly(in));
            case Abi.GETLK ->
                    to.getlk(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.LK_FH),
                            in.get(JAVA_LONG, BODY + Abi.LK_OWNER),
                            lock(in));
            case Abi.SETLK -> setlk(to, r, in, false);
            case Abi.SETLKW -> {
                r.deadline(0);
                setlk(to, r, in, true);
            }
            case Abi.ACCESS -> to.access(r, node, in.get(JAVA_INT, BODY));
            case Abi.CREATE ->
                    to.create(
                            r,
                            node,
                            name(worker, in, BODY + Abi.CREATE_BYTES, count),
                            in.get(JAVA_INT, BODY + Abi.CREATE_FLAGS),
                            in.get(JAVA_INT, BODY + Abi.CREATE_MODE),
                            in.get(JAVA_INT, BODY + Abi.CREATE_UMASK));
            case Abi.TMPFILE ->
                    to.tmpfile(
                            r,
                            node,
                            in.get(JAVA_INT, BODY + Abi.CREATE_FLAGS),
                            in.get(JAVA_INT, BODY + Abi.CREATE_MODE),
                            in.get(JAVA_INT, BODY + Abi.CREATE_UMASK));
            case Abi.FALLOCATE ->
                    to.fallocate(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.FALLOCATE_FH),
                            in.get(JAVA_LONG, BODY + Abi.FALLOCATE_OFFSET),
                            in.get(JAVA_LONG, BODY + Abi.FALLOCATE_LENGTH),
                            in.get(JAVA_INT, BODY + Abi.FALLOCATE_MODE));
            case Abi.LSEEK ->
                    to.lseek(
                            r,
                            node,
                            in.get(JAVA_LONG, BODY + Abi.LSEEK_FH),
                            in.get(JAVA_LONG, BODY + Abi.LSEEK_OFFSET),
                            in.get(JAVA_INT, BODY + Abi.LSEEK_WHENCE));
            case Abi.COPY_FILE_RANGE, Abi.COPY_FILE_RANGE_64 -> copy(to, r, in);
            case Abi.SYNCFS -> to.syncfs(r, node);
            case Abi.IOCTL -> {
                int given = in.get(JAVA_INT, BODY + Abi.IOCTL_IN_SIZE);
                to.ioctl(
                        r,
                        node,
                        in.get(JAVA_LONG, BODY + Abi.IOCTL_FH),
                        in.get(JAVA_INT, BODY + Abi.IOCTL_CMD),
                        bytes(in, BODY + Abi.IOCTL_BYTES, given),
                        in.get(JAVA_INT, BODY + Abi.IOCTL_OUT_SIZE));
            }
            case Abi.DESTROY -> r.done();
            default -> r.fail(Errno.ENOSYS); // POLL, BMAP: the kernel does without and asks
                // no more
        }
    }

    private static void rename(
            FuseOperations to,
            Worker worker,
            KernelRequest r,
            MemorySegment in,
            int at,
            int flags,
            int count) {
        long called = in.get(JAVA_LONG, BODY + Abi.RENAME_NEWDIR);
        long newParent = StandIns.real(called);
        r.alsoAt(newParent);
        r.atStandIn |= newParent != called;
        RawName name = name(worker, in, at, count);
        RawName newName = name(worker, in, at + name.length() + 1, count);
        to.rename(r, r.node(), name, newParent, newName, flags);
    }

    private static void setxattr(
            Session session,
            FuseOperations to,
            Worker worker,
            KernelRequest r,
            MemorySegment in,
            int count) {
        boolean extended = session.negotiation.has(Abi.SETXATTR_EXT);
        int at = BODY + (extended ? Abi.SETXATTR_BYTES : Abi.SETXATTR_BYTES_SHORT);
        RawName name = name(worker, in, at, count);
        int size = in.get(JAVA_INT, BODY + Abi.SETXATTR_SIZE);
        boolean killSgid =
                extended
                        && (in.get(JAVA_INT, BODY + Abi.SETXATTR_SETXATTR_FLAGS)
                                        & Abi.SETXATTR_ACL_KILL_SGID)
                                != 0;
        to.setxattr(
                r,
                r.node(),
                name,
                bytes(in, at + name.length() + 1, size),
                in.get(JAVA_INT, BODY + Abi.SETXATTR_FLAGS),
                killSgid);
    }

    private static void setlk(FuseOperations to, KernelRequest r, MemorySegment in, boolean wait) {
        to.setlk(
                r,
                r.node(),
                in.get(JAVA_LONG, BODY + Abi.LK_FH),
                in.get(JAVA_LONG, BODY + Abi.LK_OWNER),
                lock(in),
                (in.get(JAVA_INT, BODY + Abi.LK_FLAGS) & Abi.LK_FLOCK) != 0,
                wait);
    }

    private static LockRange lock(MemorySegment in) {
        return new LockRange(
                in.get(JAVA_LONG, BODY + Abi.LK_START),
                in.get(JAVA_LONG, BODY + Abi.LK_END),
                in.get(JAVA_INT, BODY + Abi.LK_TYPE),
                in.get(JAVA_INT, BODY + Abi.LK_PID));
    }

    private static void copy(FuseOperations to, KernelRequest r, MemorySegment in) {
        long nodeOut = in.get(JAVA_LONG, BODY + Abi.COPY_NODEID_OUT);
        r.alsoAt(nodeOut);
        to.copyFileRange(
                r,
                r.node(),
                in.get(JAVA_LONG, BODY + Abi.COPY_FH_IN),
                in.get(JAVA_LONG, BODY + Abi.COPY_OFF_IN),
                nodeOut,
                in.get(JAVA_LONG, BODY + Abi.COPY_FH_OUT),
                in.get(JAVA_LONG, BODY + Abi.COPY_OFF_OUT),
                in.get(JAVA_LONG, BODY + Abi.COPY_LEN),
                in.get(JAVA_LONG, BODY + Abi.COPY_FLAGS));
    }

    private static SetAttributes change(SetAttributes change, MemorySegment in) {
        change.valid = in.get(JAVA_INT, BODY + Abi.SETATTR_VALID);
        change.handle =
                change.has(SetAttributes.HANDLE)
                        ? in.get(JAVA_LONG, BODY + Abi.SETATTR_FH)
                        : FuseOperations.NO_HANDLE;
        change.size = in.get(JAVA_LONG, BODY + Abi.SETATTR_SIZE);
        change.lockOwner = in.get(JAVA_LONG, BODY + Abi.SETATTR_LOCK_OWNER);
        change.atime = in.get(JAVA_LONG, BODY + Abi.SETATTR_ATIME);
        change.mtime = in.get(JAVA_LONG, BODY + Abi.SETATTR_MTIME);
        change.ctime = in.get(JAVA_LONG, BODY + Abi.SETATTR_CTIME);
        change.atimeNanos = in.get(JAVA_INT, BODY + Abi.SETATTR_ATIMENSEC);
        change.mtimeNanos = in.get(JAVA_INT, BODY + Abi.SETATTR_MTIMENSEC);
        change.ctimeNanos = in.get(JAVA_INT, BODY + Abi.SETATTR_CTIMENSEC);
        change.mode = in.get(JAVA_INT, BODY + Abi.SETATTR_MODE);
        change.uid = in.get(JAVA_INT, BODY + Abi.SETATTR_UID);
        change.gid = in.get(JAVA_INT, BODY + Abi.SETATTR_GID);
        return change;
    }

    private static boolean dataOnly(MemorySegment in) {
        return (in.get(JAVA_INT, BODY + Abi.FSYNC_FLAGS) & Abi.FSYNC_DATASYNC) != 0;
    }

    private static RawName name(Worker worker, MemorySegment in, int at, int count) {
        return worker.names().name(in, at, length(in, at, count));
    }

    /// Length of the zero-ended text at `at` in a request of `count` bytes.
    private static int length(MemorySegment in, int at, int count) {
        int end = at;
        while (end < count && in.get(JAVA_BYTE, end) != 0) {
            end++;
        }
        return end - at;
    }

    private static byte[] bytes(MemorySegment in, int at, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(in, JAVA_BYTE, at, copy, 0, length);
        return copy;
    }
}
