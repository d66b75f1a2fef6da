package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The system's own programs that a task is started with. They are found in these directories alone
 * and run without any environment, since they run as root: nothing that a user can set decides
 * which they are or what they load.
 */
final class Programs {
    static final String SHELL = "/bin/sh";
    private static final List<String> DIRECTORIES =
            List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin");
    private static final int ANSWER_SECONDS_MAX = 5;

    private static final Duration REMEMBERED = Duration.ofSeconds(30);
    private static final int TOLD_MAX = 1_000;
    private static final Map<List<String>, Told> TOLD = new ConcurrentHashMap<>();

    private record Told(Optional<String> answer, long nanos) {}

    private Programs() {}

    /** The absolute path. */
    static String of(String name) throws IOException {
        for (String directory : DIRECTORIES) {
            Path program = Path.of(directory, name);
            if (Files.isExecutable(program)) {
                return program.toString();
            }
        }
        throw new IOException(
                "no program " + name + " in " + String.join(", ", DIRECTORIES) + ": install it");
    }

    static ProcessBuilder builder(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().clear();
        return builder.directory(Path.of("/").toFile());
    }

    /**
     * The same as {@link #answer}, at most {@link #REMEMBERED} old: what accounts there are is
     * asked for each task.
     */
    static Optional<String> remembered(List<String> words)
            throws IOException, InterruptedException {
        long now = System.nanoTime();
        Told known = TOLD.get(words);
        if (known != null && now - known.nanos < REMEMBERED.toNanos()) {
            return known.answer;
        }
        Optional<String> answer = answer(words);
        if (TOLD.size() >= TOLD_MAX) {
            TOLD.clear();
        }
        TOLD.put(List.copyOf(words), new Told(answer, now));
        return answer;
    }

    /** What it prints; empty if it fails, as getent(1) does for what there is not. */
    static Optional<String> answer(List<String> words) throws IOException, InterruptedException {
        Process process =
                builder(words)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .redirectInput(Path.of("/dev/null").toFile())
                        .start();
        // What these print is short and fits into a pipe.
        if (!process.waitFor(ANSWER_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(
                    "%s did not answer within %d s"
                            .formatted(String.join(" ", words), ANSWER_SECONDS_MAX));
        }
        byte[] printed = process.getInputStream().readAllBytes();
        return process.exitValue() == 0
                ? Optional.of(NameText.of(printed).strip())
                : Optional.empty();
    }
}
