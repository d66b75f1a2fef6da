package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.Flags;

import java.lang.foreign.MemorySegment;

/// Writes the structures that answers are made of, as include/uapi/linux/fuse.h lays them out.
final class Layout {
    private static final long SECOND = 1_000_000_000L;

    private Layout() {}

    /// @return where the next one begins
    static int name(MemorySegment body, int at, byte[] name, long inode, int mode, long next) {
        int end = at + Abi.DIRENT_NAME + name.length;
        body.set(JAVA_LONG, at + Abi.DIRENT_INO, inode);
        body.set(JAVA_LONG, at + Abi.DIRENT_OFF, next);
        body.set(JAVA_INT, at + Abi.DIRENT_NAMELEN, name.length);
        body.set(JAVA_INT, at + Abi.DIRENT_TYPE, (mode >>> 12) & 15);
        MemorySegment.copy(name, 0, body, JAVA_BYTE, at + Abi.DIRENT_NAME, name.length);
        int padded = at + Abi.align(Abi.DIRENT_NAME + name.length);
        for (int i = end; i < padded; i++) {
            body.set(JAVA_BYTE, i, (byte) 0);
        }
        return padded;
    }

    static void entry(
            MemorySegment body,
            int at,
            long child,
            long generation,
            long entryNanos,
            long attributesNanos,
            Attributes attributes) {
        body.set(JAVA_LONG, at + Abi.ENTRY_NODEID, child);
        body.set(JAVA_LONG, at + Abi.ENTRY_GENERATION, generation);
        time(body, at + Abi.ENTRY_VALID, at + Abi.ENTRY_VALID_NSEC, entryNanos);
        time(body, at + Abi.ENTRY_ATTR_VALID, at + Abi.ENTRY_ATTR_VALID_NSEC, attributesNanos);
        attributes(body, at + Abi.ENTRY_ATTR, attributes);
    }

    /// `struct fuse_attr_out`; returns its length.
    static int attributes(MemorySegment body, int at, long nanos, Attributes attributes) {
        time(body, at + Abi.ATTR_OUT_VALID, at + Abi.ATTR_OUT_VALID_NSEC, nanos);
        body.set(JAVA_INT, at + Abi.ATTR_OUT_VALID_NSEC + 4, 0);
        attributes(body, at + Abi.ATTR_OUT_ATTR, attributes);
        return Abi.ATTR_OUT_BYTES;
    }

    /// `struct fuse_statx_out`; returns its length.
    static int statx(MemorySegment body, int at, long nanos, Attributes a) {
        body.asSlice(at, Abi.STATX_OUT_BYTES).fill((byte) 0);
        time(body, at + Abi.STATX_OUT_VALID, at + Abi.STATX_OUT_VALID_NSEC, nanos);
        int stat = at + Abi.STATX_OUT_STAT;
        boolean born = a.btime != 0 || a.btimeNanos != 0;
        int mask = Abi.STATX_BASIC_STATS | (born ? Abi.STATX_HAS_BTIME : 0);
        body.set(JAVA_INT, stat + Abi.STATX_MASK, mask);
        body.set(JAVA_INT, stat + Abi.STATX_BLKSIZE, a.blockBytes);
        body.set(JAVA_INT, stat + Abi.STATX_NLINK, a.links);
        body.set(JAVA_INT, stat + Abi.STATX_UID, a.uid);
        body.set(JAVA_INT, stat + Abi.STATX_GID, a.gid);
        body.set(JAVA_SHORT, stat + Abi.STATX_MODE, (short) a.mode);
        body.set(JAVA_LONG, stat + Abi.STATX_INO, a.inode);
        body.set(JAVA_LONG, stat + Abi.STATX_SIZE, a.size);
        body.set(JAVA_LONG, stat + Abi.STATX_BLOCKS, a.blocks);
        statxTime(body, stat + Abi.STATX_ATIME, a.atime, a.atimeNanos);
        statxTime(body, stat + Abi.STATX_BTIME, a.btime, a.btimeNanos);
        statxTime(body, stat + Abi.STATX_CTIME, a.ctime, a.ctimeNanos);
        statxTime(body, stat + Abi.STATX_MTIME, a.mtime, a.mtimeNanos);
        body.set(JAVA_INT, stat + Abi.STATX_RDEV_MAJOR, Flags.major(a.device));
        body.set(JAVA_INT, stat + Abi.STATX_RDEV_MINOR, Flags.minor(a.device));
        return Abi.STATX_OUT_BYTES;
    }

    private static void statxTime(MemorySegment body, int at, long seconds, int nanos) {
        body.set(JAVA_LONG, at, seconds);
        body.set(JAVA_INT, at + 8, nanos);
    }

    private static void attributes(MemorySegment body, int at, Attributes a) {
        body.set(JAVA_LONG, at + Abi.ATTR_INO, a.inode);
        body.set(JAVA_LONG, at + Abi.ATTR_SIZE, a.size);
        body.set(JAVA_LONG, at + Abi.ATTR_BLOCKS, a.blocks);
        body.set(JAVA_LONG, at + Abi.ATTR_ATIME, a.atime);
        body.set(JAVA_LONG, at + Abi.ATTR_MTIME, a.mtime);
        body.set(JAVA_LONG, at + Abi.ATTR_CTIME, a.ctime);
        body.set(JAVA_INT, at + Abi.ATTR_ATIMENSEC, a.atimeNanos);
        body.set(JAVA_INT, at + Abi.ATTR_MTIMENSEC, a.mtimeNanos);
        body.set(JAVA_INT, at + Abi.ATTR_CTIMENSEC, a.ctimeNanos);
        body.set(JAVA_INT, at + Abi.ATTR_MODE, a.mode);
        body.set(JAVA_INT, at + Abi.ATTR_NLINK, a.links);
        body.set(JAVA_INT, at + Abi.ATTR_UID, a.uid);
        body.set(JAVA_INT, at + Abi.ATTR_GID, a.gid);
        body.set(JAVA_INT, at + Abi.ATTR_RDEV, a.device);
        body.set(JAVA_INT, at + Abi.ATTR_BLKSIZE, a.blockBytes);
        body.set(JAVA_INT, at + Abi.ATTR_FLAGS, 0);
    }

    static void open(MemorySegment body, int at, long handle, int mode, int backing) {
        body.set(JAVA_LONG, at + Abi.OPEN_FH, handle);
        body.set(JAVA_INT, at + Abi.OPEN_FLAGS, mode);
        body.set(JAVA_INT, at + Abi.OPEN_BACKING, backing);
    }

    static void time(MemorySegment body, int secondsAt, int nanosAt, long nanos) {
        if (nanos == 0) {
            body.set(JAVA_LONG, secondsAt, 0);
            body.set(JAVA_INT, nanosAt, 0);
        } else {
            body.set(JAVA_LONG, secondsAt, nanos / SECOND);
            body.set(JAVA_INT, nanosAt, (int) (nanos % SECOND));
        }
    }

    static long nanos(MemorySegment body, int secondsAt, int nanosAt) {
        return body.get(JAVA_LONG, secondsAt) * SECOND + body.get(JAVA_INT, nanosAt);
    }

    static void header(MemorySegment segment, int length, int error, long unique) {
        segment.set(JAVA_INT, Abi.OUT_LEN, length);
        segment.set(JAVA_INT, Abi.OUT_ERROR, error);
        segment.set(JAVA_LONG, Abi.OUT_UNIQUE, unique);
    }
}
