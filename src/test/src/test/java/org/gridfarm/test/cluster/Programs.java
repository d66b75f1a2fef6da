package org.gridfarm.test.cluster;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Programs that a test is skipped without; {@code .ci/run} installs them all. */
final class Programs {
    private Programs() {}

    static void need(String program) {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .map(folder -> Path.of(folder, program))
                        .anyMatch(Files::isExecutable),
                program + " is not installed");
    }

    /** Python 3 with these modules. */
    static void needPython(String... modules) throws IOException {
        need("python3");
        Process process =
                new ProcessBuilder("python3", "-c", "import " + String.join(", ", modules))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        Assumptions.assumeTrue(
                process.onExit().join().exitValue() == 0,
                "python3 has no " + String.join(" or no ", modules));
    }
}
