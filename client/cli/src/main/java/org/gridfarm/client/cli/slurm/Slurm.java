package org.gridfarm.client.cli.slurm;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Slurm, by its own commands, as the user who runs us. Thread-safe; every call blocks. */
final class Slurm {
    private static final List<String> COMMANDS =
            List.of("sbatch", "squeue", "scancel", "scontrol", "sinfo");

    /** What these commands and the batch script find; the rest of ours is no business of a task. */
    private static final Set<String> PASSED = Set.of("PATH", "HOME", "USER", "LOGNAME", "LANG");

    private static final int NAMED_MAX = 500; // tasks named to one command

    private Slurm() {}

    static Slurm here() {
        return in(Optional.ofNullable(System.getenv("PATH")).orElse(""));
    }

    /** UNSUPPORTED where it is not installed in these folders. */
    static Slurm in(String path) {
        List<Path> folders =
                Stream.of(path.split(":"))
                        .filter(folder -> !folder.isEmpty())
                        .map(Path::of)
                        .toList();
        for (String command : COMMANDS) {
            if (folders.stream().noneMatch(in -> Files.isExecutable(in.resolve(command)))) {
                throw new FarmException(
                        ErrorKind.UNSUPPORTED,
                        "run",
                        "--via slurm",
                        command + " is not installed on this host");
            }
        }
        return new Slurm();
    }

    /** Those of the partition that {@code SBATCH_PARTITION} names, or all. */
    List<SlurmNode> nodes() {
        List<String> command =
                new ArrayList<>(List.of("sinfo", "-h", "-N", "-o", SlurmNode.FORMAT));
        Optional.ofNullable(System.getenv("SBATCH_PARTITION"))
                .ifPresent(partition -> command.addAll(List.of("-p", partition)));
        return SlurmNode.of(run(command, "").lines().toList());
    }

    Map<String, String> configuration() {
        Map<String, String> values = new HashMap<>();
        for (String line : run(List.of("scontrol", "show", "config"), "").lines().toList()) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
            }
        }
        return values;
    }

    /** The number of the array. */
    String submit(List<String> options, String script) {
        List<String> command = new ArrayList<>(List.of("sbatch", "--parsable"));
        command.addAll(options);
        return run(command, script).strip().replaceFirst(";.*", ""); // the name of a cluster
    }

    /** All tasks of jobs of that name which Slurm still knows, by their numbers. */
    Map<String, SlurmTask> tasks(String name) {
        Map<String, SlurmTask> tasks = new HashMap<>();
        run(
                        List.of(
                                "squeue",
                                "-h",
                                "-r",
                                "-t",
                                "all",
                                "--name=" + name,
                                "-O",
                                SlurmTask.FORMAT),
                        "")
                .lines()
                .map(SlurmTask::of)
                .flatMap(Optional::stream)
                .forEach(task -> tasks.put(task.id(), task));
        return tasks;
    }

    /**
     * Tasks that wait are started on the nodes of that feature rather than on others. False if one
     * of them has started meanwhile: it stays where it is.
     */
    boolean prefer(List<String> tasks, String feature) {
        boolean isDone = true;
        for (int from = 0; from < tasks.size(); from += NAMED_MAX) {
            String ids =
                    String.join(",", tasks.subList(from, Math.min(tasks.size(), from + NAMED_MAX)));
            Said said =
                    said(List.of("scontrol", "update", "JobId=" + ids, "Prefer=" + feature), "");
            isDone &= said.status() == 0;
        }
        return isDone;
    }

    /** All jobs of that name, or what of them has not started. */
    void cancel(String name, boolean onlyWaiting) {
        List<String> command = new ArrayList<>(List.of("scancel", "--name=" + name));
        if (onlyWaiting) {
            command.add("--state=PENDING");
        }
        run(command, "");
    }

    private record Said(int status, String output, String errors) {}

    private static String run(List<String> command, String input) {
        Said said = said(command, input);
        if (said.status() != 0) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    command.getFirst(),
                    "Slurm",
                    said.errors().isBlank()
                            ? "exit status " + said.status()
                            : said.errors().strip().lines().reduce((_, last) -> last).orElse(""));
        }
        return said.output();
    }

    private static Said said(List<String> command, String input) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .keySet()
                .removeIf(name ->
                        !PASSED.contains(name)
                                && !name.startsWith("SLURM_")
                                && !name.startsWith("SBATCH_"));
        builder.environment().put("LC_ALL", "C.UTF-8");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Process process = started(builder);
            Future<byte[]> output = threads.submit(() -> process.getInputStream().readAllBytes());
            Future<byte[]> errors = threads.submit(() -> process.getErrorStream().readAllBytes());
            feed(process, input);
            int status = process.waitFor();
            return new Said(status, NameText.of(output.get()), NameText.of(errors.get()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ExecutionException e) {
            throw FarmException.of(e, command.getFirst(), "Slurm");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarmException.of(e, command.getFirst(), "Slurm");
        }
    }

    private static Process started(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    builder.command().getFirst(),
                    "Slurm",
                    "its commands are not installed here, or not on the PATH",
                    e);
        }
    }

    /** One that has ended already says why by its status. */
    private static void feed(Process process, String input) throws IOException {
        try (OutputStream in = process.getOutputStream()) {
            if (!input.isEmpty()) {
                in.write(NameText.bytes(input));
            }
        } catch (IOException e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }
}
