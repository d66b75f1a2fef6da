package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.ShellWords;
import org.gridfarm.client.cli.run.StandardInput;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Many commands in one process: each takes milliseconds then, not the start of a program. */
@Command(
        name = "batch",
        header = "Runs many commands, one on each line, by one process.",
        description = {
            "",
            "Each line of FILE, or of standard input without one, is a command as it would follow gf, with words quoted",
            "as for a shell: put 'a b' /data/x. Empty lines and those that begin with # are passed over. Ends with the first",
            "command that fails, and its status.",
            "",
            "A program that writes commands one by one and reads what they print says --keep-going and --ended with a MARK",
            "that no command prints: it follows, without a new line, what the command has printed."
        },
        mixinStandardHelpOptions = true)
public final class Batch implements Callable<Integer> {
    private static final int DONE = 0;

    /** Runs one command; its status. */
    public interface Runner {
        int run(String[] words);
    }

    @Option(names = "--config", paramLabel = "FILE", description = "configuration, for all of them")
    private @Nullable Path config;

    @Option(
            names = {"-k", "--keep-going"},
            description = "go on after a command that failed, and end with the status of the first")
    private boolean keepsGoing;

    @Option(
            names = "--ended",
            paramLabel = "MARK",
            description =
                    "after what each command has printed, on both streams, print MARK, a blank and its status on a line")
    private @Nullable String mark;

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "of this machine; - or none: standard input")
    private String file = "-";

    private @Nullable Runner runner;

    /** To be told before it is called. */
    public void runsBy(Runner commands) {
        runner = commands;
    }

    @Override
    public Integer call() throws IOException {
        if (!file.equals("-")) {
            try (InputStream lines = Files.newInputStream(LocalPath.of(file))) {
                return run(lines);
            }
        }
        InputStream given = System.in;
        StandardInput.take(); // the next lines are no command's input
        return run(given);
    }

    private int run(InputStream from) throws IOException {
        InputStream lines = new BufferedInputStream(from);
        int first = DONE;
        int number = 0;
        for (String line = line(lines); line != null; line = line(lines)) {
            number++;
            List<String> words = words(line, number);
            if (words.isEmpty()) continue;
            int status = run(words, number);
            if (mark != null) {
                System.err.println(mark + " " + status);
                System.err.flush();
                System.out.println(mark + " " + status);
            } else if (status != DONE) {
                System.err.println("gf batch: line " + number + " ended with " + status);
            }
            System.out.flush();
            if (status == DONE) continue;
            if (!keepsGoing) return status;
            if (first == DONE) first = status;
        }
        return first;
    }

    /** Names are bytes, also in it. Null: there is none. */
    private static @Nullable String line(InputStream lines) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = lines.read();
        if (next < 0) return null;
        for (; next >= 0 && next != '\n'; next = lines.read()) line.write(next);
        return NameText.of(line.toByteArray());
    }

    private List<String> words(String line, int number) {
        try {
            List<String> words = ShellWords.of(line);
            return !words.isEmpty() && words.getFirst().equals("gf")
                    ? words.subList(1, words.size())
                    : words;
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "batch", "line " + number, String.valueOf(e.getMessage()), e);
        }
    }

    private int run(List<String> words, int number) {
        if (runner == null) throw new IllegalStateException("called without a runner");
        if (words.getFirst().equals("batch")) {
            throw new FarmException(
                    ErrorKind.USAGE, "batch", "line " + number, "a batch runs no other batch");
        }
        List<String> whole = new ArrayList<>();
        if (config != null) {
            whole.addAll(List.of("--config", LocalPath.text(config)));
        }
        whole.addAll(words);
        return runner.run(whole.toArray(String[]::new));
    }
}
