package org.gridfarm.storagenode.disk.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.storagenode.disk.DiskCalls;
import org.gridfarm.storagenode.disk.PortableDisk;
import org.gridfarm.storagenode.disk.QuietFile;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * fallocate(2), lseek(2), statx(2), syncfs(2) and ioctl(2) from the C library, on a descriptor
 * opened for the one call: the JDK does not show the descriptor of a FileChannel, and these calls
 * are rare. Where the file system refuses a mode (EOPNOTSUPP), the portable way is taken.
 */
public final class LinuxDisk extends PortableDisk {
    private static final int O_RDONLY = 0;
    private static final int O_WRONLY = 1;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_NOATIME = 0x40000;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int FALLOC_FL_PUNCH_HOLE = 2;
    private static final int STATX_BLOCKS = 0x400;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BYTES = 256;
    private static final long STX_BLOCKS_AT = 48; // struct statx, linux/stat.h
    private static final long FS_IOC_GETFLAGS = 0x80086601L; // linux/fs.h
    private static final long FS_IOC_SETFLAGS = 0x40086602L;
    private static final int FS_TOPDIR_FL = 0x20000; // chattr +T
    private static final long UTIME_NOW = (1L << 30) - 1; // linux/stat.h
    private static final long UTIME_OMIT = (1L << 30) - 2;
    private static final int TIMESPEC_BYTES = 16;
    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int ENXIO = 6;
    private static final int EINVAL = 22;
    private static final int ENOTTY = 25;
    private static final int ENOSYS = 38;
    private static final int EOPNOTSUPP = 95;

    private static final MethodHandle OPEN =
            Foreign.variadic("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), 2);
    private static final MethodHandle CLOSE =
            Foreign.function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle LSEEK =
            Foreign.function(
                    "lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle FALLOCATE =
            Foreign.function(
                    "fallocate",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle STATX =
            Foreign.function(
                    "statx",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));

    private static final MethodHandle FUTIMENS =
            Foreign.function("futimens", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));

    private static final MethodHandle SYNCFS =
            Foreign.function("syncfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private static final MethodHandle IOCTL =
            Foreign.variadic(
                    "ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS), 2);

    /** This, or the portable body on another system or where foreign calls are forbidden. */
    public static DiskCalls orPortable() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return new PortableDisk();
        }
        try {
            return new LinuxDisk();
        } catch (IllegalCallerException | UnsupportedOperationException | LinkageError e) {
            return new PortableDisk();
        }
    }

    private interface OnDescriptor {
        long run(int fd, MemorySegment state, Arena arena) throws Throwable;
    }

    private static long with(Path file, int flags, OnDescriptor action) throws IOException {
        return Foreign.calling((state, arena) -> {
            int fd = open(file, flags, state, arena);
            if (fd < 0) throw failure(file, "open", -fd);
            try {
                return action.run(fd, state, arena);
            } finally {
                int ignored = (int) CLOSE.invokeExact(state, fd);
            }
        });
    }

    /** A descriptor; negative: the errno. */
    private static int open(Path file, int flags, MemorySegment state, Arena arena)
            throws Throwable {
        MemorySegment name = arena.allocateFrom(file.toString());
        int fd = (int) OPEN.invokeExact(state, name, flags | O_CLOEXEC);
        return fd >= 0 ? fd : -Foreign.errno(state);
    }

    static void close(int fd) throws IOException {
        Foreign.calling((state, arena) -> (int) CLOSE.invokeExact(state, fd));
    }

    /** Who does not own the file may not leave its access time. */
    @Override
    public QuietFile openQuietly(Path file) throws IOException {
        return new LinuxQuietFile(
                file,
                (int)
                        Foreign.calling((state, arena) -> {
                            int fd = open(file, O_RDONLY | O_NOATIME, state, arena);
                            if (fd == -EPERM) fd = open(file, O_RDONLY, state, arena);
                            if (fd < 0) throw failure(file, "open", -fd);
                            return fd;
                        }));
    }

    static IOException failure(Path file, String call, int errno) {
        if (errno == ENOENT) return new NoSuchFileException(file.toString()); // as the JDK says it
        return new FileSystemException(
                file.toString(), null, call + ": " + DiskTrouble.words(errno));
    }

    /** True when done, false when the file system cannot. */
    private static boolean fallocate(Path file, int mode, long offset, long length)
            throws IOException {
        return with(
                        file,
                        O_WRONLY,
                        (fd, state, _) -> {
                            if ((int) FALLOCATE.invokeExact(state, fd, mode, offset, length) == 0) {
                                return 1;
                            }
                            int errno = Foreign.errno(state);
                            if (errno == EOPNOTSUPP || errno == ENOSYS) {
                                return 0;
                            }
                            throw failure(file, "fallocate", errno);
                        })
                == 1;
    }

    @Override
    public void allocate(Path file, FileChannel channel, long offset, long length, boolean keepSize)
            throws IOException {
        if (!fallocate(file, keepSize ? FALLOC_FL_KEEP_SIZE : 0, offset, length)) {
            super.allocate(file, channel, offset, length, keepSize);
        }
    }

    @Override
    public void punch(Path file, FileChannel channel, long offset, long length) throws IOException {
        if (!fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length)) {
            super.punch(file, channel, offset, length);
        }
    }

    /** An offset, -1 for ENXIO, -2 where the file system cannot seek so. */
    private static long seek(Path file, long offset, int whence) throws IOException {
        return with(
                file,
                O_RDONLY,
                (fd, state, _) -> {
                    long at = (long) LSEEK.invokeExact(state, fd, offset, whence);
                    if (at >= 0) {
                        return at;
                    }
                    int errno = Foreign.errno(state);
                    return switch (errno) {
                        case ENXIO -> -1;
                        case EINVAL, EOPNOTSUPP -> -2;
                        default -> throw failure(file, "lseek", errno);
                    };
                });
    }

    @Override
    public long nextData(Path file, FileChannel channel, long offset) throws IOException {
        long at = seek(file, offset, SEEK_DATA);
        return at == -2 ? super.nextData(file, channel, offset) : at;
    }

    @Override
    public long nextHole(Path file, FileChannel channel, long offset) throws IOException {
        long at = seek(file, offset, SEEK_HOLE);
        return at < 0 ? super.nextHole(file, channel, offset) : at;
    }

    @Override
    public long allocated(Path file, FileChannel channel) throws IOException {
        return with(
                file,
                O_RDONLY,
                (fd, state, arena) -> {
                    MemorySegment stat = arena.allocate(STATX_BYTES, 8);
                    MemorySegment empty = arena.allocateFrom("");
                    if ((int) STATX.invokeExact(state, fd, empty, AT_EMPTY_PATH, STATX_BLOCKS, stat)
                            != 0) {
                        throw failure(file, "statx", Foreign.errno(state));
                    }
                    return stat.get(JAVA_LONG, STX_BLOCKS_AT) * 512;
                });
    }

    @Override
    public void date(Path file) throws IOException {
        with(
                file,
                O_WRONLY,
                (fd, state, arena) -> {
                    MemorySegment times = arena.allocate(2 * TIMESPEC_BYTES, 8);
                    times.set(JAVA_LONG, 8, UTIME_OMIT); // access
                    times.set(JAVA_LONG, TIMESPEC_BYTES + 8, UTIME_NOW);
                    if ((int) FUTIMENS.invokeExact(state, fd, times) != 0) {
                        throw failure(file, "futimens", Foreign.errno(state));
                    }
                    return 0;
                });
    }

    @Override
    public boolean forceAll(Path directory) throws IOException {
        return with(
                        directory,
                        O_RDONLY,
                        (fd, state, _) -> {
                            if ((int) SYNCFS.invokeExact(state, fd) != 0) {
                                throw failure(directory, "syncfs", Foreign.errno(state));
                            }
                            return 1;
                        })
                == 1;
    }

    @Override
    public void spread(Path directory) throws IOException {
        with(
                directory,
                O_RDONLY,
                (fd, state, arena) -> {
                    MemorySegment flags = arena.allocate(JAVA_LONG);
                    if ((int) IOCTL.invokeExact(state, fd, FS_IOC_GETFLAGS, flags) == 0) {
                        flags.set(JAVA_INT, 0, flags.get(JAVA_INT, 0) | FS_TOPDIR_FL);
                        if ((int) IOCTL.invokeExact(state, fd, FS_IOC_SETFLAGS, flags) == 0) {
                            return 1;
                        }
                    }
                    int errno = Foreign.errno(state);
                    return switch (errno) { // a file system without such a flag, or not ours
                        case ENOTTY, EOPNOTSUPP, EINVAL, ENOSYS, EPERM -> 0;
                        default -> throw failure(directory, "ioctl", errno);
                    };
                });
    }
}
