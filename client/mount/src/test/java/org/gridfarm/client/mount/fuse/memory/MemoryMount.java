package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.linux.LinuxMount;

import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.TimeUnit;

/// Mounts a file system in memory until it is unmounted, for suites that come from outside:
/// `MemoryMount DIR [KEEP_SECONDS]`.
public final class MemoryMount {

    private MemoryMount() {}

    public static void main(String[] args) throws Exception {
        long keep = args.length > 1 ? Long.parseLong(args[1]) : 60;
        MountOptions options =
                MountOptions.defaults()
                        .withSource("memory")
                        .withAllowOther(true)
                        .withSuid(true)
                        .withDev(true);
        MemoryOperations operations =
                new MemoryOperations(Clock.systemUTC(), TimeUnit.SECONDS.toNanos(keep), 0, 0);
        try (LinuxMount mount = LinuxMount.mount(Path.of(args[0]), options, operations)) {
            System.err.println("mounted on " + mount.point());
            mount.awaitEnd();
        }
    }
}
