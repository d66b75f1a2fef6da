package org.gridfarm.client.mount.fuse.linux;

import java.io.IOException;
import java.util.List;

/// What a process does with itself.
public final class ThisProcess {

    private ThisProcess() {}

    /// Turns this process into another program, which keeps its number.
    ///
    /// @return only when that failed
    public static IOException become(List<String> command) {
        return new IOException(
                "cannot run " + command.get(0) + ": errno " + -Libc.execute(command));
    }
}
