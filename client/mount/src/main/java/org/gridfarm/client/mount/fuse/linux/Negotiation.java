package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.MountOptions;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/// What kernel and engine agreed on with INIT. Holds for the life of the mount, whichever process
/// serves it.
///
/// @param minor of the protocol in use
/// @param flags both sides have
/// @param writeBytesMax largest WRITE
record Negotiation(int minor, long flags, int writeBytesMax) {

    /// Requests of the kernel's own (read-ahead, writes it does not wait for) that may be under way
    /// at once.
    private static final short BACKGROUND_MAX = 64;

    private static final short CONGESTION = 48;
    private static final int PAGE = 4096;

    /// Depth 1: backing files lie on ordinary file systems, not on overlays. 0 would switch
    /// passthrough off without a word.
    private static final int STACK_DEPTH = 1;

    boolean has(long flag) {
        return (flags & flag) != 0;
    }

    /// What the engine would like.
    private static long wanted(MountOptions options) {
        long flags =
                Abi.ASYNC_READ
                        | Abi.POSIX_LOCKS
                        | Abi.ATOMIC_O_TRUNC
                        | Abi.EXPORT_SUPPORT
                        | Abi.BIG_WRITES
                        | Abi.DONT_MASK
                        | Abi.FLOCK_LOCKS
                        | Abi.HAS_IOCTL_DIR
                        | Abi.DO_READDIRPLUS
                        | Abi.READDIRPLUS_AUTO
                        | Abi.ASYNC_DIO
                        | Abi.PARALLEL_DIROPS
                        | Abi.ABORT_ERROR
                        | Abi.MAX_PAGES
                        | Abi.CACHE_SYMLINKS
                        | Abi.EXPLICIT_INVAL_DATA
                        | Abi.HANDLE_KILLPRIV_V2
                        | Abi.SETXATTR_EXT
                        | Abi.INIT_EXT
                        | Abi.HAS_EXPIRE_ONLY
                        | Abi.DIRECT_IO_ALLOW_MMAP
                        | Abi.HAS_RESEND;
        if (options.posixAcl()) {
            flags |= Abi.POSIX_ACL;
        }
        // The kernel refuses both together.
        return flags | (options.writebackCache() ? Abi.WRITEBACK_CACHE : Abi.PASSTHROUGH);
    }

    /// Reads the kernel's INIT, its first request, and answers it.
    static Negotiation carryOut(int fd, MountOptions options, Buffer buffer) throws IOException {
        MemorySegment segment = buffer.segment;
        while (true) {
            long count;
            do {
                count = Libc.read(fd, buffer.address, segment.byteSize(), buffer.errno);
            } while (count == -Errno.EINTR || count == -Errno.EAGAIN || count == -Errno.ENOENT);
            if (count < 0) {
                throw new IOException("reading INIT from /dev/fuse: errno " + -count);
            }
            if (segment.get(JAVA_INT, Abi.IN_OPCODE) != Abi.INIT) {
                throw new IOException(
                        "the first request is not INIT but opcode "
                                + segment.get(JAVA_INT, Abi.IN_OPCODE));
            }
            int major = segment.get(JAVA_INT, Abi.IN_BYTES + Abi.INIT_MAJOR);
            int minor = segment.get(JAVA_INT, Abi.IN_BYTES + Abi.INIT_MINOR);
            if (major < Abi.MAJOR || (major == Abi.MAJOR && minor < Abi.MINOR_OLDEST)) {
                throw new IOException(
                        "FUSE protocol "
                                + major
                                + "."
                                + minor
                                + " of this kernel is too old: 7."
                                + Abi.MINOR_OLDEST
                                + " is needed (Linux 5.4)");
            }
            int readAhead = segment.get(JAVA_INT, Abi.IN_BYTES + Abi.INIT_MAX_READAHEAD);
            long offered =
                    Integer.toUnsignedLong(segment.get(JAVA_INT, Abi.IN_BYTES + Abi.INIT_FLAGS));
            if ((offered & Abi.INIT_EXT) != 0) {
                offered |= (long) segment.get(JAVA_INT, Abi.IN_BYTES + Abi.INIT_FLAGS2) << 32;
            }
            long flags = offered & wanted(options);
            long unique = segment.get(JAVA_LONG, Abi.IN_UNIQUE);
            segment.asSlice(0, Abi.OUT_BYTES + Abi.INIT_OUT_BYTES).fill((byte) 0);
            segment.set(JAVA_INT, Abi.OUT_LEN, Abi.OUT_BYTES + Abi.INIT_OUT_BYTES);
            segment.set(JAVA_LONG, Abi.OUT_UNIQUE, unique);
            MemorySegment out = segment.asSlice(Abi.OUT_BYTES, Abi.INIT_OUT_BYTES);
            out.set(JAVA_INT, Abi.INIT_MAJOR, Abi.MAJOR);
            out.set(JAVA_INT, Abi.INIT_MINOR, Abi.MINOR);
            out.set(
                    JAVA_INT,
                    Abi.INIT_MAX_READAHEAD,
                    Math.max(readAhead, options.readAheadKib() * 1024));
            out.set(JAVA_INT, Abi.INIT_FLAGS, (int) flags);
            out.set(JAVA_SHORT, Abi.INIT_OUT_MAX_BACKGROUND, BACKGROUND_MAX);
            out.set(JAVA_SHORT, Abi.INIT_OUT_CONGESTION, CONGESTION);
            out.set(JAVA_INT, Abi.INIT_OUT_MAX_WRITE, options.writeBytesMax());
            out.set(JAVA_INT, Abi.INIT_OUT_TIME_GRAN, 1);
            out.set(JAVA_SHORT, Abi.INIT_OUT_MAX_PAGES, (short) (options.writeBytesMax() / PAGE));
            out.set(JAVA_INT, Abi.INIT_OUT_FLAGS2, (int) (flags >>> 32));
            if ((flags & Abi.PASSTHROUGH) != 0) {
                out.set(JAVA_INT, Abi.INIT_OUT_MAX_STACK_DEPTH, STACK_DEPTH);
            }
            long written =
                    Libc.write(
                            fd, buffer.address, Abi.OUT_BYTES + Abi.INIT_OUT_BYTES, buffer.errno);
            if (written < 0) {
                throw new IOException("answering INIT: errno " + -written);
            }
            if (major == Abi.MAJOR) {
                return new Negotiation(Math.min(minor, Abi.MINOR), flags, options.writeBytesMax());
            }
            // A newer major: the kernel asks again with ours.
        }
    }
}
