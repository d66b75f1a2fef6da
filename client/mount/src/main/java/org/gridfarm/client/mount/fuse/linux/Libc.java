package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.client.mount.fuse.Errno;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/// The calls of the C library that the engine needs. Each returns what the call returns, or
/// `-errno`.
///
/// Buffers of read and write are plain addresses, so that the hot path makes no objects; the errno
/// of those goes to a segment of the caller's. ioctl, open and fcntl are variadic in C, which
/// matters to the calling convention of some processors.
final class Libc {

    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;
    static final int O_NOFOLLOW =
            System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;

    private static final int AT_FDCWD = -100;
    private static final int STATX_BLOCKS = 0x400;
    private static final int STATX_BYTES = 256;
    private static final long STX_BLOCKS_AT = 48; // struct statx, linux/stat.h
    private static final long UTIME_NOW = (1 << 30) - 1;
    private static final long UTIME_OMIT = (1 << 30) - 2;
    static final int MS_RDONLY = 1;
    static final int MS_NOSUID = 2;
    static final int MS_NODEV = 4;
    static final int MS_NOEXEC = 8;
    static final int MS_NOATIME = 1024;
    static final int MS_NODIRATIME = 2048;

    static final int MNT_FORCE = 1;
    static final int MNT_DETACH = 2;

    private static final int F_RDLCK = 0;
    private static final int F_UNLCK = 2;
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int SIGURG = 23;
    private static final int F_GETFD = 1;
    private static final int F_SETFD = 2;
    private static final int FD_CLOEXEC = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT =
            STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle READ =
            handle("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WRITE =
            handle("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WRITEV =
            handle("writev", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle OPEN =
            handle("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), 2);
    private static final MethodHandle CLOSE =
            handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle SYNCFS =
            handle("syncfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle CLOCK_GETTIME =
            handle("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle LSEEK =
            handle("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle IOCTL =
            handle("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), 2);
    private static final MethodHandle FCNTL =
            handle("fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), 2);
    private static final MethodHandle MOUNT =
            handle(
                    "mount",
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle UMOUNT2 =
            handle("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle UTIMENSAT =
            handle(
                    "utimensat",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    private static final MethodHandle STATX =
            handle(
                    "statx",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle SOCKETPAIR =
            handle(
                    "socketpair",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle RECVMSG =
            handle("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle WAITPID =
            handle("waitpid", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle DUP2 =
            handle("dup2", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle EXECV =
            handle("execv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle GETEUID = handle("geteuid", FunctionDescriptor.of(JAVA_INT));
    private static final MethodHandle GETEGID = handle("getegid", FunctionDescriptor.of(JAVA_INT));
    // Returns the error instead of setting errno.
    private static final MethodHandle POSIX_SPAWNP =
            handle(
                    "posix_spawnp",
                    FunctionDescriptor.of(
                            JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

    private Libc() {}

    /// Room for the errno of one call at a time.
    static MemorySegment errnoRoom(Arena arena) {
        return arena.allocate(STATE);
    }

    static long read(int fd, long address, long length, MemorySegment errno) {
        try {
            long result = (long) READ.invokeExact(errno, fd, address, length);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long write(int fd, long address, long length, MemorySegment errno) {
        try {
            long result = (long) WRITE.invokeExact(errno, fd, address, length);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// @param vector address of `count` pairs of address and length
    static long writev(int fd, long vector, int count, MemorySegment errno) {
        try {
            long result = (long) WRITEV.invokeExact(errno, fd, vector, count);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int open(String path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) OPEN.invokeExact(errno, arena.allocateFrom(path), flags, 0);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int close(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) CLOSE.invokeExact(errno, fd);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Nanoseconds since 1970 by that clock of the kernel; a negative errno. */
    static long clock(int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment time = arena.allocate(16, 8);
            int result = (int) CLOCK_GETTIME.invokeExact(errno, number, time);
            return result < 0
                    ? -errno(errno)
                    : time.get(JAVA_LONG, 0) * 1_000_000_000L + time.get(JAVA_LONG, 8);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int syncfs(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) SYNCFS.invokeExact(errno, fd);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long lseek(int fd, long offset, int whence) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            long result = (long) LSEEK.invokeExact(errno, fd, offset, whence);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int ioctl(int fd, long request, MemorySegment argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) IOCTL.invokeExact(errno, fd, request, argument);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Whether a child process gets this descriptor.
    static int inheritable(int fd, boolean inherit) {
        int flags = fcntl(fd, F_GETFD, 0);
        return flags < 0
                ? flags
                : fcntl(fd, F_SETFD, inherit ? flags & ~FD_CLOEXEC : flags | FD_CLOEXEC);
    }

    /// Takes a lease for reading and gives it back: EAGAIN where a file is open for writing. Who
    /// opens it in between waits for a microsecond, and we are told by a signal, one that is
    /// ignored by default (the usual one would end this process).
    static int leaseForAMoment(int fd) {
        int result = fcntl(fd, F_SETSIG, SIGURG);
        if (result >= 0) {
            result = fcntl(fd, F_SETLEASE, F_RDLCK);
        }
        return result < 0 ? result : fcntl(fd, F_SETLEASE, F_UNLCK);
    }

    private static int fcntl(int fd, int command, int argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) FCNTL.invokeExact(errno, fd, command, argument);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int mount(String source, String target, String type, long flags, String data) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result =
                    (int)
                            MOUNT.invokeExact(
                                    errno,
                                    arena.allocateFrom(source),
                                    arena.allocateFrom(target),
                                    arena.allocateFrom(type),
                                    flags,
                                    arena.allocateFrom(data));
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int umount2(String target, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) UMOUNT2.invokeExact(errno, arena.allocateFrom(target), flags);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Blocks of 512 bytes of the file itself, if it is a link of the link; or -errno.
    static long blocks(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment stat = arena.allocate(STATX_BYTES, Long.BYTES);
            int result =
                    (int)
                            STATX.invokeExact(
                                    errno,
                                    AT_FDCWD,
                                    arena.allocateFrom(path),
                                    AT_SYMLINK_NOFOLLOW,
                                    STATX_BLOCKS,
                                    stat);
            return result >= 0 ? stat.get(JAVA_LONG, STX_BLOCKS_AT) : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// The access time becomes 1970's first moment, the time of the last change stays.
    static int setBackAccessTime(String path) {
        return setTimes(path, 0, UTIME_OMIT);
    }

    /// The time of the last change becomes now, as if it were written; the access time stays.
    static int setModifiedNow(String path) {
        return setTimes(path, UTIME_OMIT, UTIME_NOW);
    }

    private static int setTimes(String path, long accessNanos, long modifiedNanos) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment times = arena.allocate(JAVA_LONG, 4); // seconds and nanoseconds, twice
            times.setAtIndex(JAVA_LONG, 1, accessNanos);
            times.setAtIndex(JAVA_LONG, 3, modifiedNanos);
            int result =
                    (int)
                            UTIMENSAT.invokeExact(
                                    errno,
                                    AT_FDCWD,
                                    arena.allocateFrom(path),
                                    times,
                                    AT_SYMLINK_NOFOLLOW);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Two connected stream sockets that children do not get.
    static int[] socketPair() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment pair = arena.allocate(JAVA_INT, 2);
            int unix = 1; // AF_UNIX
            int stream = 1 | O_CLOEXEC; // SOCK_STREAM | SOCK_CLOEXEC
            int result = (int) SOCKETPAIR.invokeExact(errno, unix, stream, 0, pair);
            if (result < 0) {
                throw new IllegalStateException("socketpair: errno " + errno(errno));
            }
            return new int[] {pair.getAtIndex(JAVA_INT, 0), pair.getAtIndex(JAVA_INT, 1)};
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Waits for a descriptor sent with SCM_RIGHTS; -1 when the other end was closed instead.
    static int receiveDescriptor(int socket) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment one = arena.allocate(8, 8);
            MemorySegment vector = arena.allocate(16, 8);
            vector.set(ADDRESS, 0, one);
            vector.set(JAVA_LONG, 8, 1);
            MemorySegment control = arena.allocate(24, 8); // CMSG_SPACE(sizeof(int))
            MemorySegment message = arena.allocate(56, 8); // struct msghdr
            message.set(ADDRESS, 16, vector);
            message.set(JAVA_LONG, 24, 1);
            message.set(ADDRESS, 32, control);
            message.set(JAVA_LONG, 40, 24);
            int closeOnExec = 0x40000000; // MSG_CMSG_CLOEXEC
            long result = (long) RECVMSG.invokeExact(errno, socket, message, closeOnExec);
            return result <= 0 || message.get(JAVA_LONG, 40) < 20 ? -1 : control.get(JAVA_INT, 16);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Starts a program that gets every descriptor marked [#inheritable].
    ///
    /// @return its process id, or -errno
    static int spawn(List<String> command, List<String> environment) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment pid = arena.allocate(JAVA_INT);
            int result =
                    (int)
                            POSIX_SPAWNP.invokeExact(
                                    errno,
                                    pid,
                                    arena.allocateFrom(command.get(0)),
                                    MemorySegment.NULL,
                                    MemorySegment.NULL,
                                    strings(arena, command),
                                    strings(arena, environment));
            return result == 0 ? pid.get(JAVA_INT, 0) : -result;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// The same open file under another number.
    static int duplicate(int fd, int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result = (int) DUP2.invokeExact(errno, fd, number);
            return result >= 0 ? result : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Turns this process into another program, which keeps its number and every descriptor marked
    /// [#inheritable].
    ///
    /// @return only when that failed: -errno
    static int execute(List<String> command) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            int result =
                    (int)
                            EXECV.invokeExact(
                                    errno,
                                    arena.allocateFrom(command.get(0)),
                                    strings(arena, command));
            return result >= 0 ? -Errno.EIO : -errno(errno);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /// Waits for a child.
    ///
    /// @return its exit status, 128 + signal when it was killed, or -errno
    static int waitFor(int pid) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = errnoRoom(arena);
            MemorySegment status = arena.allocate(JAVA_INT);
            while (true) {
                int result = (int) WAITPID.invokeExact(errno, pid, status, 0);
                if (result == pid) {
                    int word = status.get(JAVA_INT, 0);
                    return (word & 0x7F) == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F);
                }
                if (errno(errno) != Errno.EINTR) {
                    return -errno(errno);
                }
            }
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int effectiveUser() {
        try (Arena arena = Arena.ofConfined()) {
            return (int) GETEUID.invokeExact(errnoRoom(arena));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int effectiveGroup() {
        try (Arena arena = Arena.ofConfined()) {
            return (int) GETEGID.invokeExact(errnoRoom(arena));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static MemorySegment strings(Arena arena, List<String> texts) {
        List<MemorySegment> copies = new ArrayList<>();
        for (String text : texts) {
            copies.add(arena.allocateFrom(text));
        }
        MemorySegment array = arena.allocate(ADDRESS, texts.size() + 1L);
        for (int i = 0; i < copies.size(); i++) {
            array.setAtIndex(ADDRESS, i, copies.get(i));
        }
        return array;
    }

    private static int errno(MemorySegment state) {
        return state.get(JAVA_INT, ERRNO_AT);
    }

    private static MethodHandle handle(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                type,
                Linker.Option.captureCallState("errno"));
    }

    private static MethodHandle handle(String name, FunctionDescriptor type, int firstVariadic) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                type,
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(firstVariadic));
    }

    /// A method handle declares Throwable; the calls above throw nothing checked.
    private static RuntimeException unexpected(Throwable e) {
        return switch (e) {
            case Error error -> throw error;
            case RuntimeException runtime -> runtime;
            default -> new IllegalStateException(e);
        };
    }
}
