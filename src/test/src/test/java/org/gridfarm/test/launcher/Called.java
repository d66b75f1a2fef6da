package org.gridfarm.test.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A program that ran to its end. */
record Called(int status, long pid, String out, String err) {
    private static final int SECONDS_MAX = 120;

    /** Runs with no variables but PATH, HOME (empty) and the given ones. */
    static Called of(Path folder, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("gf", ".out");
        Path err = Files.createTempFile("gf", ".err");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile());
            String path = System.getenv("PATH");
            builder.environment().clear();
            builder.environment().put("PATH", path);
            builder.environment().put("HOME", "/nonexistent");
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(command + " still runs after " + SECONDS_MAX + " s");
            }
            return new Called(
                    process.exitValue(),
                    process.pid(),
                    Files.readString(out, UTF_8),
                    Files.readString(err, UTF_8));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    List<String> words() {
        return out.lines().toList();
    }
}
