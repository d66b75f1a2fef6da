package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One task, from start to end. {@code setsid} gives it a session and process group of its own,
 * whose number is that of the process started here, so that all it starts can be ended together.
 * Thread-safe.
 */
final class TaskRun {
    static final String MOUNT = "{mount}";

    /** Kept when the request names no limit. */
    private static final int OUTPUT_BYTES_DEFAULT = 1 << 20;

    private static final int OUTPUT_BYTES_MAX = 8 << 20;

    /**
     * What a task left running in the background holds its output open; so long is waited for it.
     */
    private static final Duration LEFTOVERS_GRACE = Duration.ofMillis(200);

    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;
    private static final int SIGNAL_MAX = 64;
    static final int COMMAND_NOT_RUN = 126;
    private static final Logger LOG = LoggerFactory.getLogger(TaskRun.class);

    private final RunTaskRequest request;
    private final TaskSettings settings;
    private final Clock clock;
    private final CompletableFuture<RunTaskReply> outcome = new CompletableFuture<>();
    private final CappedOutput stdout;
    private final CappedOutput stderr;

    @GuardedBy("this")
    private @Nullable Process process;

    @GuardedBy("this")
    private int killedEarly; // the signal

    TaskRun(RunTaskRequest request, TaskSettings settings, Clock clock) {
        this.request = request;
        this.settings = settings;
        this.clock = clock;
        int max =
                request.getOutputBytesMax() == 0
                        ? OUTPUT_BYTES_DEFAULT
                        : request.getOutputBytesMax();
        int bounded = max < 0 ? OUTPUT_BYTES_MAX : Math.min(max, OUTPUT_BYTES_MAX);
        this.stdout = new CappedOutput(bounded);
        this.stderr = new CappedOutput(bounded);
    }

    CompletableFuture<RunTaskReply> outcome() {
        return outcome;
    }

    void start() {
        Thread.ofVirtual().name("task-" + request.getTask()).start(this::run);
    }

    private void run() {
        RunTaskReply.Builder reply = RunTaskReply.newBuilder().setStarted(clock.micros());
        try {
            Process started = builder().start();
            int early;
            synchronized (this) {
                process = started;
                early = killedEarly;
            }
            if (early != 0) {
                kill(early);
            }
            int exit = await(started);
            reply.setExitCode(exit);
            if (exit > 128 && exit <= 128 + SIGNAL_MAX) {
                reply.setSignal(exit - 128);
            }
        } catch (IOException | FarmException e) {
            reply.setExitCode(COMMAND_NOT_RUN)
                    .setFailure(NameText.shown(String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reply.setExitCode(COMMAND_NOT_RUN).setFailure("interrupted");
        } catch (RuntimeException e) {
            LOG.error("task {}", request.getTask(), e);
            reply.setExitCode(COMMAND_NOT_RUN).setFailure(e.toString());
        } finally {
            outcome.complete(
                    reply.setEnded(clock.micros())
                            .setStdout(stdout.bytes())
                            .setStderr(stderr.bytes())
                            .setStdoutCut(stdout.isCut())
                            .setStderrCut(stderr.isCut())
                            .build());
        }
    }

    private int await(Process started) throws InterruptedException, IOException {
        List<Thread> followers =
                List.of(
                        stdout.follow(started.getInputStream(), "stdout-" + request.getTask()),
                        stderr.follow(started.getErrorStream(), "stderr-" + request.getTask()));
        long timeout = request.getTimeoutMillis();
        if (timeout > 0 && !started.waitFor(timeout, TimeUnit.MILLISECONDS)) {
            LOG.info("task {} ran for its {} ms and is ended", request.getTask(), timeout);
            kill(0);
        }
        int exit = started.waitFor();
        for (Thread follower : followers) {
            follower.join(LEFTOVERS_GRACE);
        }
        signal(killGroup(started)); // what it left behind, also what closed its output
        for (Thread follower : followers) {
            follower.join(LEFTOVERS_GRACE);
        }
        return exit;
    }

    private ProcessBuilder builder() throws IOException {
        List<String> words = request.getArgvList().stream().map(this::placed).toList();
        Map<String, String> variables = new HashMap<>();
        request.getEnvironmentMap().forEach((name, value) -> variables.put(name, placed(value)));
        String stdin =
                request.getStdinPath().isEmpty()
                        ? "/dev/null"
                        : placed(inFarm(NameText.of(request.getStdinPath().toByteArray())));
        Path directory = directory();
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.addAll(TaskUser.prefix(request.getUser(), request.getUid(), request.getGid()));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("GF_"));
        if (!request.getUser().isEmpty()) {
            environment.put("USER", request.getUser());
            environment.put("LOGNAME", request.getUser());
        }
        if (isPlain(words, variables, stdin, directory)) {
            command.addAll(words);
            environment.putAll(variables);
            builder.directory(directory.toFile());
            builder.redirectInput(new File(stdin));
        } else {
            command.addAll(
                    new ShellLine()
                            .changeDirectory(LocalPath.text(directory))
                            .exec(
                                    variables.entrySet().stream()
                                            .map(one -> one.getKey() + "=" + one.getValue())
                                            .toList(),
                                    words)
                            .readFrom(stdin)
                            .words());
        }
        return builder;
    }

    private static boolean isPlain(
            List<String> words, Map<String, String> variables, String stdin, Path directory) {
        return words.stream().allMatch(NameText::isAscii)
                && variables.values().stream().allMatch(NameText::isAscii)
                && NameText.isAscii(stdin)
                && NameText.isAscii(LocalPath.text(directory));
    }

    private Path directory() throws IOException {
        if (settings.mount().isEmpty() && request.getDirectory().isEmpty()) {
            return Files.createDirectories(settings.scratch());
        }
        String asked = NameText.of(request.getDirectory().toByteArray());
        Path directory = LocalPath.of(placed(inFarm(asked)));
        if (!Files.isDirectory(directory)) {
            throw new IOException(
                    "no directory " + asked + " in the farm (" + LocalPath.text(directory) + ")");
        }
        return directory;
    }

    /** A path in the farm as one with the placeholder. */
    private static String inFarm(String path) {
        return path.contains(MOUNT)
                ? path
                : MOUNT + (path.startsWith("/") || path.isEmpty() ? path : "/" + path);
    }

    private String placed(ByteString word) {
        return placed(NameText.of(word.toByteArray()));
    }

    private String placed(String word) {
        if (!word.contains(MOUNT)) {
            return word;
        }
        if (settings.mount().isEmpty()) {
            throw Unmounted.failure();
        }
        return word.replace(MOUNT, settings.mount());
    }

    /** The whole group: the signal asked for, or TERM and, if that does not help, KILL. */
    void kill(int asked) {
        int first = asked == 0 ? SIGTERM : asked;
        Process running;
        synchronized (this) {
            running = process;
            if (running == null) {
                killedEarly = first;
                return;
            }
        }
        // Just started, it may not have made its group yet.
        signal("kill -%1$d -%2$d || kill -%1$d %2$d".formatted(first, running.pid()));
        if (first == SIGTERM) {
            clock.after(
                    settings.killGrace(),
                    () -> {
                        if (running.isAlive()) {
                            Thread.ofVirtual().start(() -> signal(killGroup(running)));
                        }
                    });
        }
    }

    private static String killGroup(Process leader) {
        return "kill -" + SIGKILL + " -" + leader.pid();
    }

    private void signal(String command) {
        try {
            Process kill =
                    new ProcessBuilder("sh", "-c", command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            kill.waitFor();
        } catch (IOException e) {
            LOG.warn("cannot signal task {}: {}", request.getTask(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
