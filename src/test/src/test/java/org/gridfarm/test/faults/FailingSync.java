package org.gridfarm.test.faults;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;

/**
 * Makes fsync fail with EIO below a directory, in processes that have its environment. Where there
 * is no C compiler it is not possible.
 */
final class FailingSync {
    private final Path order;
    private final Path library;

    private FailingSync(Path order, Path library) {
        this.order = order;
        this.library = library;
    }

    static FailingSync prepare(Path directory) throws IOException, InterruptedException {
        Path source = directory.resolve("fsync-fails.c");
        Path library = directory.resolve("fsync-fails.so");
        try (InputStream text =
                Objects.requireNonNull(FailingSync.class.getResourceAsStream("/fsync-fails.c"))) {
            Files.copy(text, source, StandardCopyOption.REPLACE_EXISTING);
        }
        try {
            new ProcessBuilder(
                            "cc",
                            "-shared",
                            "-fPIC",
                            "-O1",
                            "-o",
                            library.toString(),
                            source.toString())
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException e) {
            System.out.println("no fsync is made to fail: " + e.getMessage());
        }
        return new FailingSync(directory.resolve("fsync-fails.order"), library);
    }

    boolean isPossible() {
        return Files.exists(library);
    }

    Map<String, String> environment() {
        return isPossible()
                ? Map.of("LD_PRELOAD", library.toString(), "GF_FSYNC_FAILS", order.toString())
                : Map.of();
    }

    void below(Path directory) throws IOException {
        Path next = order.resolveSibling("fsync-fails.next");
        Files.writeString(next, directory.toRealPath() + "/");
        Files.move(next, order, StandardCopyOption.ATOMIC_MOVE);
    }

    void end() throws IOException {
        Files.delete(order);
    }
}
