package org.gridfarm.test.cluster;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Calls of Linux on files that Java has no methods for. */
final class LinuxCalls {
    static final int EBADF = 9;
    static final int EAGAIN = 11;
    static final int EEXIST = 17;
    static final int EINVAL = 22;
    static final int ENODATA = 61;
    static final int EOPNOTSUPP = 95;

    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_TRUNC = 0x200;
    static final int O_TMPFILE = 0x410000; // with O_DIRECTORY

    static final int FALLOC_KEEP_SIZE = 1;
    static final int FALLOC_PUNCH_HOLE = 2;
    static final int FALLOC_COLLAPSE_RANGE = 8;
    static final int FALLOC_ZERO_RANGE = 16;

    static final int XATTR_CREATE = 1;
    static final int XATTR_REPLACE = 2;

    static final int RENAME_NOREPLACE = 1;
    static final int RENAME_EXCHANGE = 2;

    static final long UTIME_NOW = (1 << 30) - 1;
    static final long UTIME_OMIT = (1 << 30) - 2;

    private static final int LOCK_EXCLUSIVE_AT_ONCE = 2 | 4; // LOCK_EX | LOCK_NB
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_FOLLOW = 0x400;
    private static final int ATTRIBUTE_BYTES_MAX = 64 << 10;
    private static final long TIMESPEC_BYTES = 16;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_FIELD =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle OPEN =
            find(
                    "open",
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = find("close", of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FLOCK = find("flock", of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle PWRITE =
            find("pwrite", of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle LSEEK =
            find("lseek", of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle FALLOCATE =
            find("fallocate", of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle COPY_FILE_RANGE =
            find(
                    "copy_file_range",
                    of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SETXATTR =
            find("setxattr", of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle GETXATTR =
            find("getxattr", of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle LISTXATTR =
            find("listxattr", of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle REMOVEXATTR =
            find("removexattr", of(JAVA_INT, ADDRESS, ADDRESS));
    private static final MethodHandle RENAMEAT2 =
            find("renameat2", of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle LINKAT =
            find("linkat", of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle UTIMENSAT =
            find("utimensat", of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));

    private LinuxCalls() {}

    /** The call was refused. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;
        final int errno;

        Refused(String call, int errno) {
            super(call + ": errno " + errno);
            this.errno = errno;
        }
    }

    private static FunctionDescriptor of(MemoryLayout result, MemoryLayout... arguments) {
        return FunctionDescriptor.of(result, arguments);
    }

    private static MethodHandle find(
            String name, FunctionDescriptor shape, Linker.Option... options) {
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = ERRNO;
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, all);
    }

    private interface Body {
        long call(Arena arena, MemorySegment state) throws Throwable;
    }

    private static long call(String name, Body body) throws Refused {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = body.call(arena, state);
            if (result < 0) {
                throw new Refused(name, (int) ERRNO_FIELD.get(state, 0L));
            }
            return result;
        } catch (Refused e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(name, e);
        }
    }

    private static MemorySegment text(Arena arena, Path path) {
        return arena.allocateFrom(path.toString());
    }

    /** With mode 0644, where it is made. */
    static OpenFile open(Path path, int flags) throws Refused {
        return new OpenFile(
                (int)
                        call(
                                "open " + path,
                                (a, s) -> (int) OPEN.invokeExact(s, text(a, path), flags, 0644)));
    }

    /** A descriptor. */
    record OpenFile(int fd) implements Closeable {
        void write(byte[] bytes, long offset) throws Refused {
            int done = 0;
            while (done < bytes.length) {
                byte[] left = Arrays.copyOfRange(bytes, done, bytes.length);
                long at = offset + done;
                done +=
                        (int)
                                call(
                                        "pwrite",
                                        (a, s) ->
                                                (long)
                                                        PWRITE.invokeExact(
                                                                s,
                                                                fd,
                                                                a.allocateFrom(JAVA_BYTE, left),
                                                                (long) left.length,
                                                                at));
            }
        }

        /** Asks for it, as whoever wants to know where the file ends now. */
        long size() throws Refused {
            int end = 2; // SEEK_END
            return call("lseek", (a, s) -> (long) LSEEK.invokeExact(s, fd, 0L, end));
        }

        void allocate(int mode, long offset, long length) throws Refused {
            call("fallocate", (a, s) -> (int) FALLOCATE.invokeExact(s, fd, mode, offset, length));
        }

        /** Less than the length only where the source ends. */
        long copyTo(OpenFile to, long offset, long toOffset, long length) throws Refused {
            long done = 0;
            while (done < length) {
                long from = offset + done;
                long there = toOffset + done;
                long left = length - done;
                long copied =
                        call(
                                "copy_file_range",
                                (a, s) ->
                                        (long)
                                                COPY_FILE_RANGE.invokeExact(
                                                        s,
                                                        fd,
                                                        a.allocateFrom(JAVA_LONG, from),
                                                        to.fd,
                                                        a.allocateFrom(JAVA_LONG, there),
                                                        left,
                                                        0));
                if (copied == 0) {
                    return done;
                }
                done += copied;
            }
            return done;
        }

        /** A name for what has none. */
        void link(Path to) throws Refused {
            call(
                    "linkat " + to,
                    (a, s) ->
                            (int)
                                    LINKAT.invokeExact(
                                            s,
                                            AT_FDCWD,
                                            a.allocateFrom("/proc/self/fd/" + fd),
                                            AT_FDCWD,
                                            text(a, to),
                                            AT_SYMLINK_FOLLOW));
        }

        /** By flock(2), for nobody beside; false: somebody else has it. */
        boolean lock() throws Refused {
            try {
                call("flock", (a, s) -> (int) FLOCK.invokeExact(s, fd, LOCK_EXCLUSIVE_AT_ONCE));
                return true;
            } catch (Refused e) {
                if (e.errno == EAGAIN) return false;
                throw e;
            }
        }

        @Override
        public void close() throws Refused {
            call("close", (a, s) -> (int) CLOSE.invokeExact(s, fd));
        }
    }

    static void setAttribute(Path path, String name, byte[] value, int flags) throws Refused {
        call(
                "setxattr " + name,
                (a, s) ->
                        (int)
                                SETXATTR.invokeExact(
                                        s,
                                        text(a, path),
                                        a.allocateFrom(name),
                                        a.allocateFrom(JAVA_BYTE, value),
                                        (long) value.length,
                                        flags));
    }

    /** How many a file is to have, or those that are made in a directory. */
    static void setCopies(Path path, int copies) throws Refused {
        byte[] text = Integer.toString(copies).getBytes(StandardCharsets.US_ASCII);
        setAttribute(path, "gf.replicas", text, 0);
    }

    static byte[] attribute(Path path, String name) throws Refused {
        byte[] value = new byte[ATTRIBUTE_BYTES_MAX];
        long length =
                call(
                        "getxattr " + name,
                        (a, s) -> {
                            MemorySegment room = a.allocate(value.length);
                            long got =
                                    (long)
                                            GETXATTR.invokeExact(
                                                    s,
                                                    text(a, path),
                                                    a.allocateFrom(name),
                                                    room,
                                                    (long) value.length);
                            MemorySegment.copy(room, JAVA_BYTE, 0, value, 0, value.length);
                            return got;
                        });
        return Arrays.copyOf(value, (int) length);
    }

    static Set<String> attributes(Path path) throws Refused {
        byte[] names = new byte[ATTRIBUTE_BYTES_MAX];
        long length =
                call(
                        "listxattr",
                        (a, s) -> {
                            MemorySegment room = a.allocate(names.length);
                            long got =
                                    (long)
                                            LISTXATTR.invokeExact(
                                                    s, text(a, path), room, (long) names.length);
                            MemorySegment.copy(room, JAVA_BYTE, 0, names, 0, names.length);
                            return got;
                        });
        String joined = new String(names, 0, (int) length, StandardCharsets.UTF_8);
        return joined.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(joined.split("\0")));
    }

    static void removeAttribute(Path path, String name) throws Refused {
        call(
                "removexattr " + name,
                (a, s) -> (int) REMOVEXATTR.invokeExact(s, text(a, path), a.allocateFrom(name)));
    }

    static void rename(Path from, Path to, int flags) throws Refused {
        call(
                "renameat2 " + from + " " + to,
                (a, s) ->
                        (int)
                                RENAMEAT2.invokeExact(
                                        s, AT_FDCWD, text(a, from), AT_FDCWD, text(a, to), flags));
    }

    /**
     * @param accessNanos of a second, or UTIME_NOW or UTIME_OMIT; so is the other
     */
    static void setTimes(
            Path path,
            long accessSeconds,
            long accessNanos,
            long modifiedSeconds,
            long modifiedNanos)
            throws Refused {
        call(
                "utimensat",
                (a, s) -> {
                    MemorySegment times = a.allocate(2 * TIMESPEC_BYTES, Long.BYTES);
                    times.setAtIndex(JAVA_LONG, 0, accessSeconds);
                    times.setAtIndex(JAVA_LONG, 1, accessNanos);
                    times.setAtIndex(JAVA_LONG, 2, modifiedSeconds);
                    times.setAtIndex(JAVA_LONG, 3, modifiedNanos);
                    return (int) UTIMENSAT.invokeExact(s, AT_FDCWD, text(a, path), times, 0);
                });
    }
}
