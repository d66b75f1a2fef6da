package org.gridfarm.client.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the standard descriptors lead to. */
public final class Terminal {
    public static final boolean OUT = is(1);
    public static final boolean ERR = is(2);

    private Terminal() {}

    /** Where that cannot be told it may be one. */
    private static boolean is(int descriptor) {
        try {
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return file.startsWith("/dev/pts")
                    || file.equals(Path.of("/dev/console"))
                    || file.toString().startsWith("/dev/tty");
        } catch (IOException e) {
            return true;
        }
    }
}
