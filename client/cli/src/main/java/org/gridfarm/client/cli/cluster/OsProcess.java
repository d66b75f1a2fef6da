package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Starts, finds and signals the processes of components. They outlive this JVM and have no
 * terminal: a ^C here does not reach them.
 */
public final class OsProcess {
    private static final int STAT_STATE =
            0; // fields of /proc/PID/stat counted after the command's closing parenthesis
    private static final int STAT_THREADS = 17;
    private static final int STAT_START_TICKS = 19;
    private static final Duration STOPS_WITHIN = Duration.ofSeconds(10);

    private OsProcess() {}

    /**
     * @param command what runs the component: its own command or that of a supervisor
     */
    static Component start(Component component, List<String> command) {
        List<String> words = new ArrayList<>(List.of("setsid"));
        words.addAll(command);
        return startInThisGroup(component, words);
    }

    /** It stays in the process group of this JVM, and has signals of its terminal. */
    static Component startInThisGroup(Component component, List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(component.environment());
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(component.logFile().toFile()));
        builder.redirectErrorStream(true);
        try {
            Process process = builder.start();
            return component.started(process.pid(), startTicks(process.pid()));
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "start",
                    component.name(),
                    "cannot run " + words.get(0) + ": " + e.getMessage(),
                    e);
        }
    }

    /** running, stopped (SIGSTOP) or dead. */
    static String state(Component component) {
        if (component.pid() == 0) {
            return "dead";
        }
        List<String> stat = stat(component.pid());
        if (stat.isEmpty()
                || Long.parseLong(stat.get(STAT_START_TICKS)) != component.startTicks()) {
            return "dead";
        }
        return switch (stat.get(STAT_STATE)) {
            // With further threads it is only becoming another program: exec(2) by one of those
            // ends
            // the first one.
            case "Z", "X" -> Integer.parseInt(stat.get(STAT_THREADS)) > 1 ? "running" : "dead";
            case "T", "t" -> "stopped";
            default -> "running";
        };
    }

    static boolean isAlive(Component component) {
        return !state(component).equals("dead");
    }

    /**
     * Sends the signal by name, as kill(1) takes it. Nothing is sent to a pid that has come to mean
     * another process.
     */
    static void signal(Component component, String signal) {
        if (!isAlive(component)) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "signal", component.name(), "it is not running");
        }
        signal(component.pid(), signal);
    }

    /**
     * Returns from STOP when the process has stopped: kill(2) returns before, and the threads run
     * on until each has been scheduled once more.
     */
    static void signal(long pid, String signal) {
        run(List.of("kill", "-s", signal, Long.toString(pid)));
        if (signal.equals("STOP") && !Await.until(STOPS_WITHIN, () -> isStopped(pid))) {
            throw new FarmException(
                    ErrorKind.TIMED_OUT,
                    "stop",
                    "process " + pid,
                    "it still runs after " + STOPS_WITHIN.toSeconds() + " s");
        }
    }

    /** No thread of it runs; one that waits inside the kernel (D) stops before it comes back. */
    private static boolean isStopped(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.map(OsProcess::statOf)
                    .allMatch(stat -> stat.isEmpty() || "TtDZX".contains(stat.get(STAT_STATE)));
        } catch (IOException e) {
            return true; // gone
        }
    }

    /** Asks it to end and waits. True when it has gone. */
    static boolean end(Component component, String signal, Duration patience) {
        if (!isAlive(component)) {
            return true;
        }
        if (state(component).equals("stopped")) {
            signalUnlessGone(component, "CONT");
        }
        signalUnlessGone(component, signal);
        return Await.until(patience, () -> !isAlive(component));
    }

    static void kill(Component component) {
        signalUnlessGone(component, "KILL");
        Await.until(Duration.ofSeconds(5), () -> !isAlive(component));
    }

    /** It may end between the look and the signal; then there is nothing left to do. */
    private static void signalUnlessGone(Component component, String signal) {
        try {
            signal(component, signal);
        } catch (FarmException e) {
            if (isAlive(component)) {
                throw e;
            }
        }
    }

    /** Runs a short program to its end; its output is the detail of the failure when it fails. */
    public static String run(List<String> command) {
        return run(command, "");
    }

    static String run(List<String> command, String input) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (OutputStream stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "run",
                        command.get(0),
                        "exit status " + status + ": " + output.strip());
            }
            return output;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "run",
                    command.get(0),
                    String.valueOf(e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "run", command.get(0), "", e);
        }
    }

    static long startTicks(long pid) {
        List<String> stat = stat(pid);
        return stat.isEmpty() ? 0 : Long.parseLong(stat.get(STAT_START_TICKS));
    }

    private static List<String> stat(long pid) {
        return statOf(Path.of("/proc/" + pid));
    }

    private static List<String> statOf(Path process) {
        try {
            String line = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
            return List.of(line.substring(line.lastIndexOf(')') + 2).strip().split(" "));
        } catch (IOException e) {
            return List.of(); // gone
        }
    }
}
