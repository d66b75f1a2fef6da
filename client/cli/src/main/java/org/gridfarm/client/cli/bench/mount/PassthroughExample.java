package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.cli.cluster.Await;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.client.cli.cluster.OsProcess;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The local disk through libfuse's own example of a fast file system, passthrough_ll in C: what
 * FUSE costs by itself. Compiled here from what libfuse3-dev brings. Owned by one thread.
 */
final class PassthroughExample implements AutoCloseable {
    private static final Path SOURCE =
            Path.of("/usr/share/doc/libfuse3-dev/examples/passthrough_ll.c");
    private static final Duration MOUNTED_WITHIN = Duration.ofSeconds(10);

    private final Process process;
    private final Path point;

    private PassthroughExample(Process process, Path point) {
        this.process = process;
        this.point = point;
    }

    Path point() {
        return point;
    }

    /** The source is installed; whether a compiler is, is found out. */
    static boolean isInstalled() {
        return Files.exists(SOURCE);
    }

    /** Makes the program in the directory. */
    static Path compile(Path directory) throws IOException {
        Files.createDirectories(directory);
        Path program = directory.resolve("passthrough_ll");
        OsProcess.run(
                List.of(
                        "sh",
                        "-c",
                        "exec cc -O2 -o \"$1\" \"$2\" $(pkg-config fuse3 --cflags --libs)",
                        "cc",
                        program.toString(),
                        SOURCE.toString()));
        return program;
    }

    /** Nothing of the directory is cached yet. */
    static PassthroughExample mount(Path program, Path source, Path point) throws IOException {
        Files.createDirectories(point);
        Process process =
                new ProcessBuilder(
                                program.toString(),
                                "-f",
                                "-o",
                                "source=" + source,
                                point.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        PassthroughExample made = new PassthroughExample(process, point);
        try {
            made.await();
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    private void await() {
        Await.until(MOUNTED_WITHIN, () -> Mounts.isMounted(point) || !process.isAlive());
        if (!Mounts.isMounted(point)) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE, "mount", point.toString(), "passthrough_ll failed");
        }
    }

    @Override
    public void close() {
        Mounts.detach(point);
        process.destroy();
    }
}
