package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.MountFlag;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Attaches a device to a directory and takes it off: by mount(2) with the rights of root, else by
/// `fusermount3`.
final class Mounter {

    private static final Logger LOG = LoggerFactory.getLogger(Mounter.class);
    private static final String HELPER = "fusermount3";

    private Mounter() {}

    /// The directory as the mount table will show it. Does not look at the directory itself, which
    /// may be a dead mount.
    static Path canonical(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        Path name = absolute.getFileName();
        if (parent == null || name == null) {
            throw new IOException("cannot mount on " + directory);
        }
        MountTable.Entry there = MountTable.at(parent.toRealPath().resolve(name));
        return there != null ? parent.toRealPath().resolve(name) : absolute.toRealPath();
    }

    /// Takes off what a mount process that died has left on `point`.
    ///
    /// @return true when there was such a mount
    static boolean clearDead(Path point) throws IOException {
        MountTable.Entry there = MountTable.at(point);
        if (there == null || !there.fuse()) {
            return false;
        }
        // ENOTCONN of a mount whose device was closed; a living one answers, a stopped one is not
        // touched
        int fd = Libc.open(point.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC);
        if (fd >= 0) {
            Libc.close(fd);
        }
        if (fd != -Errno.ENOTCONN && fd != -Errno.ECONNABORTED) {
            return false;
        }
        unmount(point, true);
        return true;
    }

    /// Mounts on `point`.
    ///
    /// @return the device
    static int mount(Path point, MountOptions options) throws IOException {
        return Libc.effectiveUser() == 0
                ? mountDirectly(point, options)
                : mountByHelper(point, options);
    }

    private static int mountDirectly(Path point, MountOptions options) throws IOException {
        int fd = Libc.open("/dev/fuse", Libc.O_RDWR | Libc.O_CLOEXEC);
        if (fd < 0) {
            throw new IOException(
                    "cannot open /dev/fuse: errno " + -fd + " (is the fuse module loaded?)");
        }
        try {
            mountDevice(fd, point, options);
            return fd;
        } catch (IOException e) {
            Libc.close(fd);
            throw e;
        }
    }

    /// Mounts an open device, with the rights of root.
    static void mountDevice(int fd, Path point, MountOptions options) throws IOException {
        String mode = Files.isDirectory(point) ? "40000" : "100000";
        List<String> words = new ArrayList<>();
        words.add("fd=" + fd);
        words.add("rootmode=" + mode);
        words.add("user_id=" + Libc.effectiveUser());
        words.add("group_id=" + Libc.effectiveGroup());
        words.addAll(common(options));
        int result =
                Libc.mount(
                        options.source(),
                        point.toString(),
                        "fuse." + options.subtype(),
                        options.flags().stream().mapToLong(Mounter::bit).sum(),
                        String.join(",", words));
        if (result < 0) {
            throw new IOException("cannot mount on " + point + ": errno " + -result);
        }
    }

    private static int mountByHelper(Path point, MountOptions options) throws IOException {
        List<String> words = new ArrayList<>(common(options));
        words.add("fsname=" + options.source());
        words.add("subtype=" + options.subtype());
        words.addAll(MountFlag.helperWords(options.flags()));
        int[] pair = Libc.socketPair();
        try {
            Libc.inheritable(pair[1], true);
            int pid =
                    Libc.spawn(
                            List.of(HELPER, "-o", String.join(",", words), "--", point.toString()),
                            environment(Map.of("_FUSE_COMMFD", String.valueOf(pair[1]))));
            if (pid < 0) {
                throw new IOException(
                        "cannot run " + HELPER + ": errno " + -pid + " (package fuse3)");
            }
            Libc.close(pair[1]); // else the end of the helper would not be seen
            pair[1] = -1;
            int fd = Libc.receiveDescriptor(pair[0]);
            int status = Libc.waitFor(pid);
            if (fd < 0) {
                throw new IOException(
                        HELPER
                                + " refused to mount on "
                                + point
                                + " (status "
                                + status
                                + "; it says why above)");
            }
            return fd;
        } finally {
            Libc.close(pair[0]);
            if (pair[1] >= 0) {
                Libc.close(pair[1]);
            }
        }
    }

    private static long bit(MountFlag flag) {
        return switch (flag) {
            case READ_ONLY -> Libc.MS_RDONLY;
            case NO_SUID -> Libc.MS_NOSUID;
            case NO_DEV -> Libc.MS_NODEV;
            case NO_EXEC -> Libc.MS_NOEXEC;
            case NO_ATIME -> Libc.MS_NOATIME;
            case NO_DIR_ATIME -> Libc.MS_NODIRATIME;
        };
    }

    private static List<String> common(MountOptions options) {
        List<String> words = new ArrayList<>();
        if (options.allowOther()) {
            words.add("allow_other");
        }
        if (options.defaultPermissions() || options.posixAcl()) {
            words.add("default_permissions");
        }
        words.add("max_read=" + options.writeBytesMax());
        return words;
    }

    /// Takes the mount off unless it is in use.
    ///
    /// @return false when it is, or `fusermount3` cannot tell
    static boolean unmountedUnused(Path point) throws IOException {
        return Libc.effectiveUser() == 0 && unmounted(point, 0);
    }

    /// With the rights of root; true as well where nothing is mounted.
    ///
    /// @return false when it is in use
    private static boolean unmounted(Path point, int flags) throws IOException {
        int result = Libc.umount2(point.toString(), flags);
        if (result < 0 && result != -Errno.EBUSY && result != -Errno.EINVAL) {
            throw new IOException("cannot unmount " + point + ": errno " + -result);
        }
        return result != -Errno.EBUSY;
    }

    /// Has the kernel write what it keeps of changed files.
    static void sync(Path point, Duration atMost) throws InterruptedException {
        Thread caller =
                Thread.ofPlatform()
                        .daemon()
                        .name("gf-sync")
                        .start(() -> {
                            int fd = Libc.open(point.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC);
                            int result = fd < 0 ? fd : Libc.syncfs(fd);
                            if (fd >= 0) {
                                Libc.close(fd);
                            }
                            if (result < 0) {
                                LOG.warn(
                                        "what is changed below {} was not all written: errno {}",
                                        point,
                                        -result);
                            }
                        });
        if (!caller.join(atMost)) {
            LOG.warn("what is changed below {} is not written after {}", point, atMost);
        }
    }

    /// Whether [#abort] works on a mount that is in no tree any more, and is only held open.
    static boolean canAbortDetached(int device) {
        return Libc.effectiveUser() != 0 || Files.exists(control(device));
    }

    private static Path control(int device) {
        return Path.of("/sys/fs/fuse/connections", String.valueOf(device), "abort");
    }

    /// Takes the mount off.
    ///
    /// @param lazily even while it is in use: it vanishes from the tree at once
    static void unmount(Path point, boolean lazily) throws IOException {
        if (Libc.effectiveUser() == 0) {
            if (!unmounted(point, lazily ? Libc.MNT_DETACH : 0)) {
                throw new IOException(point + " is in use");
            }
            return;
        }
        List<String> command = new ArrayList<>(List.of(HELPER, "-u"));
        if (lazily) {
            command.add("-z");
        }
        command.add("--");
        command.add(point.toString());
        int pid = Libc.spawn(command, environment(Map.of()));
        int status = pid < 0 ? pid : Libc.waitFor(pid);
        if (status != 0 && MountTable.at(point) != null) {
            throw new IOException(
                    point + " is in use, or not yours (" + HELPER + " says which above)");
        }
    }

    /// Ends the connection whatever is under way; every request fails.
    static void abort(Path point, int device) throws IOException {
        Path control = control(device);
        if (Files.exists(control)) {
            Files.writeString(control, "1");
        } else if (Libc.effectiveUser() == 0) {
            int result = Libc.umount2(point.toString(), Libc.MNT_FORCE | Libc.MNT_DETACH);
            if (result < 0 && result != -Errno.EINVAL) {
                throw new IOException("cannot abort the mount on " + point + ": errno " + -result);
            }
        } else {
            // Taken off, it ends with the last process that has the device.
            unmount(point, true);
        }
    }

    /// Lets the kernel read further ahead; a wish, not a need.
    ///
    /// @return false where it may not be set
    static boolean readAhead(int device, int kib) throws IOException {
        Path control = Path.of("/sys/class/bdi", "0:" + device, "read_ahead_kb");
        if (!Files.isWritable(control)) {
            return false;
        }
        Files.writeString(control, String.valueOf(kib));
        return true;
    }

    private static List<String> environment(Map<String, String> more) {
        List<String> all = new ArrayList<>();
        System.getenv()
                .forEach((key, value) -> {
                    if (!more.containsKey(key)) {
                        all.add(key + "=" + value);
                    }
                });
        more.forEach((key, value) -> all.add(key + "=" + value));
        return all;
    }

    static int spawn(List<String> command, Map<String, String> environment, int inherited) {
        Libc.inheritable(inherited, true);
        try {
            return Libc.spawn(command, environment(environment));
        } finally {
            Libc.inheritable(inherited, false);
        }
    }
}
