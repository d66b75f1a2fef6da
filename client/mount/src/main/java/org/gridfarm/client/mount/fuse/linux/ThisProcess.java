package org.gridfarm.client.mount.fuse.linux;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// What a process does with itself.
public final class ThisProcess {
    private static final int STANDARD_ERROR = 2;
    private static final Path SELF = Path.of("/proc/self");

    private static final long CAP_SYS_ADMIN = 1L << 21; // linux/capability.h

    private ThisProcess() {}

    /// It may hand the kernel files to be passed through; false where that cannot be known.
    public static boolean isAdministrator() {
        try {
            return Files.readAllLines(SELF.resolve("status")).stream()
                    .filter(line -> line.startsWith("CapEff:"))
                    .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                    .anyMatch(rights -> (rights & CAP_SYS_ADMIN) != 0);
        } catch (IOException e) {
            return false;
        }
    }

    /// Number of the user it acts as.
    public static int user() throws IOException {
        return (Integer) Files.getAttribute(SELF, "unix:uid");
    }

    /// Number of the group it acts as.
    public static int group() throws IOException {
        return (Integer) Files.getAttribute(SELF, "unix:gid");
    }

    /// Turns this process into another program, which keeps its number, its standard streams and
    /// these descriptors. Nothing else: a file that stays open stays locked.
    ///
    /// @return only when that failed
    public static IOException become(List<String> command, int... kept) {
        String[] open = new File("/proc/self/fd").list();
        if (open == null) {
            return new IOException("cannot list /proc/self/fd");
        }
        for (String number : open) {
            int descriptor = Integer.parseInt(number);
            boolean stays =
                    descriptor <= STANDARD_ERROR
                            || Arrays.stream(kept).anyMatch(one -> one == descriptor);
            if (!stays) {
                Libc.inheritable(descriptor, false); // one of the listing itself is closed by now
            }
        }
        return new IOException(
                "cannot run " + command.get(0) + ": errno " + -Libc.execute(command));
    }
}
