package org.gridfarm.client.mount.fuse.linux;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// What a process does with itself.
public final class ThisProcess {
    private static final int STANDARD_ERROR = 2;

    private ThisProcess() {}

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
