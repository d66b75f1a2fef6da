package org.gridfarm.client.mount.fuse.linux;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/// What `/proc/PID` says of the thread that waits for a request. The file is there as long as the
/// thread waits.
final class Caller {

    private static final int[] NONE = {};

    /// mkdir, link, symlink, mknod, and the same with a directory's descriptor.
    private static final Set<String> MAKING =
            System.getProperty("os.arch").equals("amd64")
                    ? Set.of("83", "86", "88", "133", "258", "265", "266", "259")
                    : Set.of(); // nobody has looked up the others' numbers

    private static final long SIGKILL_BIT = 1L << 8;
    private static final int STAT_FLAGS = 6; // counted after the name, see proc(5)
    private static final long PF_SIGNALED = 0x400; // linux/sched.h

    private Caller() {}

    /// Supplementary groups; none where the thread cannot be seen.
    static int[] groups(int pid) {
        String line = line(pid, "Groups:");
        if (line == null || line.isEmpty()) {
            return NONE;
        }
        String[] parts = line.split("\\s+");
        int[] groups = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            groups[i] = Integer.parseUnsignedInt(parts[i]);
        }
        return groups;
    }

    /// True when the thread is being killed: the kernel makes every deadly signal a pending SIGKILL
    /// of each thread.
    static boolean dying(int pid) {
        String line = line(pid, "SigPnd:");
        return line != null && (Long.parseUnsignedLong(line, 16) & SIGKILL_BIT) != 0;
    }

    /// True when a signal has ended the thread, which is now being taken apart.
    static boolean killed(int pid) {
        if (pid == 0) {
            return false;
        }
        try {
            String stat =
                    Files.readString(
                            Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[STAT_FLAGS]) & PF_SIGNALED) != 0;
        } catch (IOException e) {
            return false; // as above
        }
    }

    /// True when the thread is in a system call that makes a name, other than open(2) and
    /// rename(2).
    static boolean makesName(int pid) {
        if (pid == 0) {
            return false;
        }
        try {
            String call = Files.readString(Path.of("/proc/" + pid + "/syscall"));
            return MAKING.contains(call.substring(0, Math.max(0, call.indexOf(' '))));
        } catch (IOException e) {
            return false; // only who may trace the thread is told
        }
    }

    private static @Nullable String line(int pid, String key) {
        if (pid == 0) {
            return null;
        }
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                if (line.startsWith(key)) {
                    return line.substring(key.length()).strip();
                }
            }
            return null;
        } catch (IOException e) {
            return null; // gone, or of a pid namespace that cannot be seen from here: nothing is
            // known of it
        }
    }
}
