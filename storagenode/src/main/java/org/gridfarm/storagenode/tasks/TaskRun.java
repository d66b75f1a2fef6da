package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.TaskUsage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One task, from start to end. The processes that root starts have no environment and are given by
 * absolute paths: the first enters the task's {@link ProcessTree}, {@code setsid} gives it a
 * session and process group of its own, whose number is that of the process started here, {@code
 * setpriv} becomes the user, and the shell reads a {@link TaskScript}. Thread-safe.
 */
final class TaskRun {
    /** All of it is in the pipes when the last process has ended. */
    private static final Duration OUTPUT_GRACE = Duration.ofSeconds(5);

    private static final int OUTPUT_LOST = 74; // EX_IOERR
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;
    private static final int SIGNAL_MAX = 64;
    private static final Logger LOG = LoggerFactory.getLogger(TaskRun.class);

    private final RunTaskRequest request;
    private final TaskSettings settings;
    private final ProcessTree.Maker trees;
    private final Clock clock;
    private final CompletableFuture<RunTaskReply> outcome = new CompletableFuture<>();
    private final TaskOutput stdout;
    private final TaskOutput stderr;
    private final TaskProxy proxy;
    private final TaskLocals locals;
    private final @Nullable TaskInput input; // null: none but a file

    @GuardedBy("this")
    private @Nullable Process process;

    @GuardedBy("this")
    private int killedEarly; // the signal

    @GuardedBy("this")
    private boolean timedOut;

    @GuardedBy("this")
    private boolean isOutOfMemory; // as the kernel says

    @GuardedBy("this")
    private @Nullable TaskMeter meter;

    TaskRun(
            RunTaskRequest request,
            TaskSettings settings,
            ProcessTree.Maker trees,
            Spool spool,
            Clock clock,
            TaskLocals locals) {
        this.request = request.toBuilder().clearProxy().build(); // not kept with the outcome
        this.proxy = new TaskProxy(settings.scratch(), settings.spool(), request.getProxy());
        this.settings = settings;
        this.trees = trees;
        this.clock = clock;
        this.locals = locals;
        this.stdout = new TaskOutput(spool, spool.file(request.getTask(), false), clock);
        this.input = request.getStreamsInput() ? new TaskInput(clock) : null;
        this.stderr = new TaskOutput(spool, spool.file(request.getTask(), true), clock);
    }

    /** INVALID for a task whose input is not sent. */
    TaskInput input() {
        if (input == null) {
            throw new FarmException(
                    ErrorKind.INVALID, "task input", request.getTask(), "its input is a file");
        }
        return input;
    }

    TaskOutput output(boolean isError) {
        return isError ? stderr : stdout;
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
            int exit = run(TaskUser.of(request, settings));
            reply.setExitCode(exit);
            if (exit > 128 && exit <= 128 + SIGNAL_MAX) {
                reply.setSignal(exit - 128);
            }
            if (exit == 0) {
                Outputs.notStored(settings.mount())
                        .ifPresent(why -> reply.setExitCode(OUTPUT_LOST).setFailure(why));
            }
        } catch (IOException | FarmException e) {
            reply.setExitCode(TaskScript.COMMAND_NOT_RUN)
                    .setFailure(NameText.shown(String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reply.setExitCode(TaskScript.COMMAND_NOT_RUN).setFailure("interrupted");
        } catch (RuntimeException e) {
            LOG.error("task {}", request.getTask(), e);
            reply.setExitCode(TaskScript.COMMAND_NOT_RUN).setFailure(e.toString());
        } finally {
            outcome.complete(
                    explained(reply)
                            .setEnded(clock.micros())
                            .setUsage(usage())
                            .setStdout(stdout.head())
                            .setStderr(stderr.head())
                            .setStdoutBytes(stdout.size())
                            .setStderrBytes(stderr.size())
                            .build());
        }
    }

    /** What the exit status does not say. */
    private RunTaskReply.Builder explained(RunTaskReply.Builder reply) {
        for (TaskOutput output : List.of(stdout, stderr)) {
            output.failure()
                    .ifPresent(failure -> {
                        reply.setFailure(
                                "its output cannot be kept on the node: " + failure.getMessage());
                        if (reply.getExitCode() == 0) {
                            reply.setExitCode(OUTPUT_LOST);
                        }
                    });
        }
        synchronized (this) {
            if (meter != null && meter.isOver()) {
                reply.setFailure(
                        "out of memory: it needed %d MiB, more than the %d MiB of --mem"
                                .formatted(
                                        meter.usage().getMemoryPeak() >> 20,
                                        request.getMemoryMax() >> 20));
            } else if (isOutOfMemory && reply.getExitCode() != 0) {
                reply.setFailure("out of memory: the kernel ended one of its processes");
            }
            if (timedOut) {
                reply.setFailure(
                        "timed out after %s s"
                                .formatted(request.getTimeoutMillis() / MILLIS_PER_SECOND));
            }
        }
        return reply;
    }

    /** The task acts by this proxy from now on. */
    void renew(ByteString with) throws IOException {
        proxy.renew(with);
    }

    private int run(TaskUser user) throws IOException, InterruptedException {
        TaskPlace place = TaskPlace.of(request, settings);
        if (!place.isScratch()) {
            return run(user, place);
        }
        Scratch scratch = Scratch.make(settings.scratch(), user);
        try {
            return run(user, place.in(scratch.directory()));
        } finally {
            scratch.remove(user.become(java.util.OptionalLong.empty()));
        }
    }

    private int run(TaskUser user, TaskPlace place) throws IOException, InterruptedException {
        try (TaskProxy placed = proxy;
                TaskLocals shown = locals) {
            Map<String, String> added = new HashMap<>(placed.place(user));
            added.putAll(shown.place(user, settings.mount()));
            return run(user, place, added);
        }
    }

    private int run(TaskUser user, TaskPlace place, Map<String, String> ofInput)
            throws IOException, InterruptedException {
        ProcessTree tree = trees.make();
        Map<String, String> added = new HashMap<>(tree.variables());
        added.putAll(ofInput);
        List<Thread> followers = new ArrayList<>();
        long leader = 0;
        int exit;
        try {
            byte[] script =
                    new TaskScript()
                            .changeDirectory(place.directory(), place.directoryShown())
                            .export(TaskEnvironment.of(request, user, settings.mount(), added))
                            .exec(
                                    words(),
                                    input == null ? Optional.of(place.stdin()) : Optional.empty());
            List<String> command = new ArrayList<>(tree.enter());
            command.add(Programs.of("setsid"));
            command.addAll(user.become(tree.mark()));
            command.addAll(TaskScript.shell(script, input != null));
            Process started = Programs.builder(command).start();
            leader = started.pid();
            int early;
            synchronized (this) {
                process = started;
                early = killedEarly;
            }
            if (early != 0) {
                kill(early);
            }
            meter(tree, leader);
            followers.add(follow(stdout, started.getInputStream(), "stdout"));
            followers.add(follow(stderr, started.getErrorStream(), "stderr"));
            exit = await(started, script);
            if (input != null && input.isCutOff()) {
                throw new IOException("its standard input was cut off: whoever sent it is gone");
            }
        } finally {
            closeMeter(tree);
            end(tree, leader);
        }
        awaitOutput(followers);
        return exit;
    }

    private void meter(ProcessTree tree, long leader) {
        TaskMeter begun =
                TaskMeter.begin(tree, leader, request.getMemoryMax(), clock, () -> kill(SIGKILL));
        synchronized (this) {
            meter = begun;
        }
    }

    private void closeMeter(ProcessTree tree) {
        TaskMeter begun;
        synchronized (this) {
            begun = meter;
            isOutOfMemory = tree.isOutOfMemory();
        }
        if (begun != null) {
            begun.close();
        }
    }

    /** So far, or in all. */
    TaskUsage usage() {
        TaskMeter begun;
        synchronized (this) {
            begun = meter;
        }
        return begun == null ? TaskUsage.getDefaultInstance() : begun.usage();
    }

    /** However slow the disk is; who holds a pipe open and writes nothing is not waited for. */
    private void awaitOutput(List<Thread> followers) throws InterruptedException {
        for (Thread follower : followers) {
            long before = -1;
            long size = stdout.size() + stderr.size();
            while (size > before && !follower.join(OUTPUT_GRACE)) {
                before = size;
                size = stdout.size() + stderr.size();
            }
        }
    }

    private Thread follow(TaskOutput output, InputStream in, String name) {
        return output.follow(in, name + "-" + request.getTask());
    }

    private List<String> words() {
        return request.getArgvList().stream().map(word -> NameText.of(word.toByteArray())).toList();
    }

    /** The task has its outcome whether this works or not. */
    private void end(ProcessTree tree, long leader) {
        try {
            if (!tree.end(leader)) {
                LOG.warn(
                        "processes of task {} do not end {} s after SIGKILL",
                        request.getTask(),
                        ProcessTree.END_MAX.toSeconds());
            }
        } catch (IOException e) {
            LOG.warn("what task {} left is not ended: {}", request.getTask(), e.toString());
        }
    }

    private int await(Process started, byte[] script) throws InterruptedException {
        OutputStream toShell = started.getOutputStream();
        try {
            toShell.write(script);
            if (input == null) {
                toShell.close();
            } else {
                toShell.flush();
                input.feed(toShell, () -> kill(0));
            }
        } catch (IOException e) {
            // It ended before it had read all: its status and what it printed say why.
            LOG.debug("task {} did not read its script: {}", request.getTask(), e.toString());
        }
        long timeout = request.getTimeoutMillis();
        if (timeout > 0 && !started.waitFor(timeout, TimeUnit.MILLISECONDS)) {
            LOG.info("task {} ran for its {} ms and is ended", request.getTask(), timeout);
            synchronized (this) {
                timedOut = true;
            }
            kill(0);
        }
        int exit = started.waitFor();
        if (input != null) {
            input.close();
        }
        return exit;
    }

    /** The whole group: the signal asked for, or TERM and, if that does not help, KILL. */
    void kill(int asked) {
        int first = asked < 1 || asked > SIGNAL_MAX ? SIGTERM : asked;
        Process running;
        synchronized (this) {
            running = process;
            if (running == null) {
                killedEarly = first;
                return;
            }
        }
        if (!running.isAlive()) {
            return; // its number may be another's by now
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

    /** By the shell's own kill(1); numbers are all that stands in it. */
    private void signal(String command) {
        try {
            Programs.builder(List.of(Programs.SHELL, "-c", command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            LOG.warn("cannot signal task {}: {}", request.getTask(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
