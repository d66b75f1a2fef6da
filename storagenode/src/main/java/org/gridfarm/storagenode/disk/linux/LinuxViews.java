package org.gridfarm.storagenode.disk.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.storagenode.disk.ReadOnlyViews;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A copy of the file's mount, made read-only and given other owners while nobody can see it yet,
 * and then put in its place: open_tree(2), mount_setattr(2), move_mount(2). By number, since older
 * C libraries lack them; the numbers are the same on all architectures that Java has.
 */
public final class LinuxViews implements ReadOnlyViews {
    private static final long OPEN_TREE = 428;
    private static final long MOVE_MOUNT = 429;
    private static final long MOUNT_SETATTR = 442;

    private static final long AT_FDCWD = -100;
    private static final long AT_SYMLINK_NOFOLLOW = 0x100;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long O_CLOEXEC = 0x80000;
    private static final long OPEN_TREE_CLONE = 1;
    private static final long MOVE_MOUNT_F_EMPTY_PATH = 4;
    private static final int MNT_DETACH = 2;
    private static final int UMOUNT_NOFOLLOW = 8;
    private static final int EINVAL = 22;

    /** struct mount_attr, linux/mount.h: set, clear, propagation, user namespace. */
    private static final long ATTRIBUTES_BYTES = 32;

    private static final long SET_AT = 0;
    private static final long NAMESPACE_AT = 24;
    private static final long RDONLY_NOSUID_NODEV_NOEXEC = 0xf;
    private static final long IDMAP = 0x100000;

    private static final MethodHandle CALL =
            Foreign.variadic(
                    "syscall",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS,
                            JAVA_LONG),
                    1);
    private static final MethodHandle OPEN =
            Foreign.variadic("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), 2);
    private static final MethodHandle CLOSE =
            Foreign.function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle UMOUNT =
            Foreign.function("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    private LinuxViews() {}

    /** These, or none on another system or where foreign calls are forbidden. */
    public static ReadOnlyViews orNone() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return NONE;
        }
        try {
            return new LinuxViews();
        } catch (IllegalCallerException | UnsupportedOperationException | LinkageError e) {
            return NONE;
        }
    }

    @Override
    public void show(Path file, Path at, Optional<Path> ids) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Foreign.state(arena);
            MemorySegment none = arena.allocateFrom("");
            int tree =
                    (int)
                            done(
                                    file,
                                    "open_tree",
                                    state,
                                    (long)
                                            CALL.invokeExact(
                                                    state,
                                                    OPEN_TREE,
                                                    AT_FDCWD,
                                                    arena.allocateFrom(file.toString()),
                                                    OPEN_TREE_CLONE
                                                            | O_CLOEXEC
                                                            | AT_SYMLINK_NOFOLLOW,
                                                    MemorySegment.NULL,
                                                    0L));
            try {
                restrict(file, tree, ids, state, arena);
                long unused =
                        done(
                                at,
                                "move_mount",
                                state,
                                (long)
                                        CALL.invokeExact(
                                                state,
                                                MOVE_MOUNT,
                                                (long) tree,
                                                none,
                                                AT_FDCWD,
                                                arena.allocateFrom(at.toString()),
                                                MOVE_MOUNT_F_EMPTY_PATH));
            } finally {
                int ignored = (int) CLOSE.invokeExact(state, tree);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }

    private static void restrict(
            Path file, int tree, Optional<Path> ids, MemorySegment state, Arena arena)
            throws Throwable {
        MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
        long set = RDONLY_NOSUID_NODEV_NOEXEC;
        int namespace = -1;
        try {
            if (ids.isPresent()) {
                namespace =
                        (int)
                                OPEN.invokeExact(
                                        state,
                                        arena.allocateFrom(ids.get().toString()),
                                        (int) O_CLOEXEC);
                long unused = done(ids.get(), "open", state, namespace);
                set |= IDMAP;
                attributes.set(JAVA_LONG, NAMESPACE_AT, namespace);
            }
            attributes.set(JAVA_LONG, SET_AT, set);
            long unused =
                    done(
                            file,
                            "mount_setattr",
                            state,
                            (long)
                                    CALL.invokeExact(
                                            state,
                                            MOUNT_SETATTR,
                                            (long) tree,
                                            arena.allocateFrom(""),
                                            AT_EMPTY_PATH,
                                            attributes,
                                            ATTRIBUTES_BYTES));
        } finally {
            if (namespace >= 0) {
                int ignored = (int) CLOSE.invokeExact(state, namespace);
            }
        }
    }

    private static long done(Path file, String call, MemorySegment state, long result)
            throws IOException {
        if (result < 0) {
            throw new FileSystemException(
                    file.toString(), null, call + ": " + DiskTrouble.words(Foreign.errno(state)));
        }
        return result;
    }

    @Override
    public void hide(Path at) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Foreign.state(arena);
            int result =
                    (int)
                            UMOUNT.invokeExact(
                                    state,
                                    arena.allocateFrom(at.toString()),
                                    MNT_DETACH | UMOUNT_NOFOLLOW);
            if (result < 0 && Foreign.errno(state) != EINVAL) { // EINVAL: nothing is mounted there
                throw new FileSystemException(
                        at.toString(), null, "umount2: " + DiskTrouble.words(Foreign.errno(state)));
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        }
    }
}
