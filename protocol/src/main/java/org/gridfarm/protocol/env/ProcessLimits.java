package org.gridfarm.protocol.env;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the system lets this process have. */
public final class ProcessLimits {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern OPEN_FILES = Pattern.compile("Max open files +(\\S+).*");

    /** What Linux gives without asking, where it does not tell. */
    private static final int OPEN_FILES_USUAL = 1024;

    private ProcessLimits() {}

    /** Descriptors: the soft limit, which the JVM has raised to the hard one when it started. */
    public static int openFiles() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.map(OPEN_FILES::matcher)
                    .filter(Matcher::matches)
                    .map(line -> number(line.group(1)))
                    .findFirst()
                    .orElse(OPEN_FILES_USUAL);
        } catch (IOException | UncheckedIOException e) {
            return OPEN_FILES_USUAL; // no Linux
        }
    }

    private static int number(String limit) {
        return limit.equals("unlimited")
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, Long.parseLong(limit));
    }
}
