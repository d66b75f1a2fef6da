package org.gridfarm.client.cli.cluster;

import org.gridfarm.client.mount.fuse.linux.LinuxMount;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What this machine can mount and has mounted. */
public final class Mounts {
    private static final String AUTOFS = " - autofs "; // its type in the kernel's table

    private Mounts() {}

    /** Empty when FUSE can be used here, otherwise the reason in words. */
    public static String obstacle() {
        Path device = Path.of("/dev/fuse");
        if (!Files.exists(device)) {
            return "no /dev/fuse on this machine (modprobe fuse)";
        }
        if (!Files.isReadable(device) || !Files.isWritable(device)) {
            return "/dev/fuse is not accessible to " + System.getProperty("user.name");
        }
        if (!isRoot() && !onPath("fusermount3")) {
            return "not root and no fusermount3 (apt-get install fuse3)";
        }
        return "";
    }

    /**
     * True when something is mounted on exactly this directory, an automount point that waits for
     * it apart. Reads the kernel's table and never touches the mount itself.
     */
    public static boolean isMounted(Path directory) {
        return isMounted(table(), directory);
    }

    static boolean isMounted(List<String> table, Path directory) {
        return on(table, directory).anyMatch(line -> !line.contains(AUTOFS));
    }

    /**
     * True when who comes there, but for the process group that mounts it, is made to wait until
     * something is: systemd waits at the directory itself, autofs as a rule at the one above.
     */
    static boolean isAutomountPoint(Path directory) {
        return isAutomountPoint(table(), directory);
    }

    static boolean isAutomountPoint(List<String> table, Path directory) {
        Path absolute = directory.toAbsolutePath().normalize();
        for (Path at = absolute; at != null; at = at.getParent()) {
            List<String> mounts = on(table, at).toList();
            if (mounts.stream().anyMatch(line -> line.contains(AUTOFS))) {
                return true;
            }
            if (!mounts.isEmpty() && !at.equals(absolute)) {
                return false;
            }
        }
        return false;
    }

    private static Stream<String> on(List<String> table, Path directory) {
        String wanted = escape(LocalPath.text(directory.toAbsolutePath().normalize()));
        return table.stream().filter(line -> line.split(" ", 6)[4].equals(wanted));
    }

    private static List<String> table() {
        try {
            byte[] table = Files.readAllBytes(Path.of("/proc/self/mountinfo"));
            return NameText.of(table).lines().toList();
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.INTERNAL,
                    "read",
                    "/proc/self/mountinfo",
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /**
     * True when the kernel still has somebody to ask about this mount. May take as long as an
     * answer of that mount.
     */
    static boolean isServed(Path directory) {
        try {
            Files.getLastModifiedTime(directory);
            return true;
        } catch (IOException e) {
            return !String.valueOf(e.getMessage()).contains("Transport endpoint is not connected");
        }
    }

    /** An ordinary end: refused with BUSY while files are open below it. */
    public static void unmount(Path directory) {
        List<String> command =
                isRoot()
                        ? List.of("umount", directory.toString())
                        : List.of("fusermount3", "-u", directory.toString());
        try {
            OsProcess.run(command);
        } catch (FarmException e) {
            throw new FarmException(
                    ErrorKind.BUSY,
                    "umount",
                    directory.toString(),
                    e.detail() + "; see gf umount --force");
        }
    }

    /**
     * Ends the mount whatever state its processes are in; calls under way fail at once. Touches the
     * mount itself nowhere.
     */
    public static void force(Path directory) {
        Supervisor supervisor = Supervisor.of(directory);
        try {
            LinuxMount.force(directory);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "umount",
                    directory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        } finally {
            supervisor.process().ifPresent(ProcessHandle::destroy);
            supervisor.server().ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    /** Takes a mount away whatever state its process is in. */
    public static void detach(Path directory) {
        if (!isMounted(directory)) {
            return;
        }
        if (isRoot()) {
            OsProcess.run(List.of("umount", "-l", directory.toString()));
        } else {
            OsProcess.run(List.of("fusermount3", "-u", "-z", directory.toString()));
        }
    }

    private static String escape(String path) {
        return path.replace("\\", "\\134")
                .replace(" ", "\\040")
                .replace("\t", "\\011")
                .replace("\n", "\\012");
    }

    private static boolean onPath(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":")) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }
}
