package org.gridfarm.client.mount.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// Other programs, run by a test: what blocks in the kernel on our mount must not be a thread of
/// this JVM that a collection waits for.
final class Shell {

    private Shell() {}

    static void assumeFuse() {
        assumeTrue(
                Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse here, or not for this user");
        assumeTrue(
                uid() == 0 || Files.exists(Path.of("/usr/bin/fusermount3")),
                "neither root nor fusermount3 (package fuse3)");
    }

    static int uid() {
        return Libc.effectiveUser();
    }

    static String run(String script) {
        return output("sh", "-c", script);
    }

    static String python(String program, Path argument) {
        return output("python3", "-c", program, argument.toString());
    }

    private static String output(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).as(output).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
