package org.gridfarm.test.faults.meta;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * System calls as they are: Java's own file calls look before they leap, and a history needs one
 * call to be one call. A negative result is minus the errno.
 */
final class Syscalls {
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0x40;
    static final int O_EXCL = 0x80;
    static final int S_IFMT = 0170000;
    static final int S_IFDIR = 0040000;
    static final int S_IFREG = 0100000;
    static final int LOCK_EX = 2;
    static final int LOCK_NB = 4;
    static final int LOCK_UN = 8;
    static final int SIGKILL = 9;
    static final int SIGCONT = 18;
    static final int SIGSTOP = 19;

    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final long STATX_BYTES = 256; // struct statx of linux/stat.h
    private static final long STATX_LINKS = 16;
    private static final long STATX_MODE = 28;
    private static final int NO_REPLACE = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_FIELD =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MKDIR = path("mkdir", JAVA_INT);
    private static final MethodHandle RMDIR = path("rmdir");
    private static final MethodHandle UNLINK = path("unlink");
    private static final MethodHandle CHMOD = path("chmod", JAVA_INT);
    private static final MethodHandle RENAMEAT2 =
            find(
                    "renameat2",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle LINK = path("link", ADDRESS);
    private static final MethodHandle MKNOD = path("mknod", JAVA_INT, JAVA_LONG);
    private static final MethodHandle STATX =
            find(
                    "statx",
                    FunctionDescriptor.of(
                            JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
    private static final MethodHandle OPEN =
            find(
                    "open",
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE =
            find("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FLOCK =
            find("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private static final MethodHandle KILL =
            find("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private Syscalls() {}

    private static MethodHandle path(String name, MemoryLayout... more) {
        MemoryLayout[] all = new MemoryLayout[more.length + 1];
        all[0] = ADDRESS;
        System.arraycopy(more, 0, all, 1, more.length);
        return find(name, FunctionDescriptor.of(JAVA_INT, all));
    }

    private static MethodHandle find(
            String name, FunctionDescriptor shape, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = ERRNO;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, all);
    }

    private interface Body {
        int call(Arena arena, MemorySegment state) throws Throwable;
    }

    private static int call(Body body) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = body.call(arena, state);
            return result >= 0 ? result : -(int) ERRNO_FIELD.get(state, 0L);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MemorySegment text(Arena arena, Path path) {
        return arena.allocateFrom(path.toString());
    }

    static int mkdir(Path path, int mode) {
        return call((a, s) -> (int) MKDIR.invokeExact(s, text(a, path), mode));
    }

    static int rmdir(Path path) {
        return call((a, s) -> (int) RMDIR.invokeExact(s, text(a, path)));
    }

    static int unlink(Path path) {
        return call((a, s) -> (int) UNLINK.invokeExact(s, text(a, path)));
    }

    static int chmod(Path path, int mode) {
        return call((a, s) -> (int) CHMOD.invokeExact(s, text(a, path), mode));
    }

    static int renameNoReplace(Path from, Path to) {
        return call((a, s) ->
                (int)
                        RENAMEAT2.invokeExact(
                                s, AT_FDCWD, text(a, from), AT_FDCWD, text(a, to), NO_REPLACE));
    }

    static int link(Path from, Path to) {
        return call((a, s) -> (int) LINK.invokeExact(s, text(a, from), text(a, to)));
    }

    static int mknod(Path path, int mode) {
        return call((a, s) -> (int) MKNOD.invokeExact(s, text(a, path), mode, 0L));
    }

    /** What {@link #stat} tells. */
    static final class Status {
        int mode;
        int links;

        boolean isDirectory() {
            return (mode & S_IFMT) == S_IFDIR;
        }

        int permissions() {
            return mode & 07777;
        }
    }

    static int stat(Path path, Status into) {
        return call((a, s) -> {
            MemorySegment buffer = a.allocate(STATX_BYTES, Long.BYTES);
            int result =
                    (int)
                            STATX.invokeExact(
                                    s,
                                    AT_FDCWD,
                                    text(a, path),
                                    AT_SYMLINK_NOFOLLOW,
                                    STATX_BASIC_STATS,
                                    buffer);
            into.links = buffer.get(JAVA_INT, STATX_LINKS);
            into.mode = Short.toUnsignedInt(buffer.get(JAVA_SHORT, STATX_MODE));
            return result;
        });
    }

    /** The descriptor, or minus the errno. */
    static int open(Path path, int flags, int mode) {
        return call((a, s) -> (int) OPEN.invokeExact(s, text(a, path), flags, mode));
    }

    static int close(int descriptor) {
        return call((a, s) -> (int) CLOSE.invokeExact(s, descriptor));
    }

    static int kill(long pid, int signal) {
        return call((a, s) -> (int) KILL.invokeExact(s, Math.toIntExact(pid), signal));
    }

    static int flock(int descriptor, int operation) {
        return call((a, s) -> (int) FLOCK.invokeExact(s, descriptor, operation));
    }
}
