package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** JDKs of this host; a test is skipped without the one that it wants. */
final class JavaMachines {
    private JavaMachines() {}

    /** The one that these tests run on. */
    static Path own() {
        return Path.of(System.getProperty("java.home"));
    }

    static Path java17() throws IOException {
        Path machines = Path.of("/usr/lib/jvm");
        assumeThat(machines).isDirectory();
        try (Stream<Path> all = Files.list(machines)) {
            Optional<Path> found =
                    all.filter(path -> path.getFileName().toString().contains("17"))
                            .filter(path -> Files.isExecutable(path.resolve("bin/javac")))
                            .findFirst();
            assumeThat(found).as("a JDK 17 below /usr/lib/jvm").isPresent();
            return found.orElseThrow();
        }
    }
}
