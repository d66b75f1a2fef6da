package org.gridfarm.client.cli.run;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskSpec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * From the words of a command line to tasks: what is in the farm is found, and what is missing is
 * named before anything starts.
 *
 * @param directory the working directory, if it is in a farm
 */
public record TaskList(List<JobRun.Task> tasks, List<TaskSpec> specs, Optional<String> directory) {
    /**
     * @param named files of the farm that every task reads
     */
    public record Inputs(List<String> named, boolean mayBeMissing) {}

    /** One task that no value was given for. */
    public boolean isPlain() {
        return tasks.size() == 1 && tasks.getFirst().arguments().isEmpty();
    }

    /** The one task so many times; each finds its number in GF_TASK_ID. */
    public TaskList copied(int count) {
        if (!isPlain() || count < 1) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "run",
                    "-N " + count,
                    isPlain()
                            ? "a command runs at least once"
                            : "values say how many tasks there are");
        }
        String command = tasks.getFirst().command();
        return new TaskList(
                IntStream.rangeClosed(1, count)
                        .mapToObj(number -> new JobRun.Task(number, List.of(), command))
                        .toList(),
                Collections.nCopies(count, specs.getFirst()),
                directory);
    }

    private static final int ASKED_AT_ONCE = 64;
    private static final int MISSING_NAMED_MAX = 3;

    /**
     * @param each so many values for a task
     */
    public static TaskList of(
            Gridfarm farm,
            List<String> words,
            List<String> globs,
            boolean link,
            int each,
            Inputs inputs) {
        Mounted mounted = Mounted.here();
        List<String> all = new ArrayList<>(words);
        globs.forEach(glob -> all.addAll(List.of(":::", glob)));
        Set<String> matched = new LinkedHashSet<>();
        Sources sources =
                Sources.parse(
                        all,
                        new Sources.Reading(
                                pattern -> matching(farm, pattern, matched),
                                TaskList::lines,
                                text -> argument(mounted, text),
                                link));
        List<JobRun.Task> tasks = new ArrayList<>();
        List<TaskSpec> specs = new ArrayList<>();
        Set<String> wanted = new LinkedHashSet<>(inputs.named());
        if (sources.groups().isEmpty()) {
            return plain(farm, sources.command(), inputs);
        } else {
            Template template = Template.of(sources.command());
            for (List<Argument> arguments : sources.combinations(each)) {
                int number = tasks.size() + 1;
                specs.add(template.task(number, arguments));
                tasks.add(new JobRun.Task(number, arguments, template.text(number, arguments)));
                arguments.stream()
                        .filter(Argument::isFarmPath)
                        .map(Argument::path)
                        .filter(path -> !matched.contains(path))
                        .forEach(wanted::add);
            }
        }
        if (!inputs.mayBeMissing()) {
            requireThere(farm, wanted);
        }
        return new TaskList(tasks, specs, mounted.directoryInFarm());
    }

    /** One task; the words are as they are. */
    public static TaskList plain(Gridfarm farm, List<String> command, Inputs inputs) {
        Mounted mounted = Mounted.here();
        if (!inputs.mayBeMissing()) {
            requireThere(farm, new LinkedHashSet<>(inputs.named()));
        }
        TaskSpec task =
                PlainCommand.task(
                        command, word -> inFarm(farm, mounted, word), path -> isFile(farm, path));
        return new TaskList(
                List.of(new JobRun.Task(1, List.of(), String.join(" ", command))),
                List.of(task),
                mounted.directoryInFarm());
    }

    private static List<String> matching(Gridfarm farm, String pattern, Set<String> matched) {
        List<String> found = farm.glob(pattern).stream().map(FarmPath::toString).toList();
        matched.addAll(found);
        return found;
    }

    private static List<String> lines(String file) {
        try {
            byte[] list =
                    file.equals("-")
                            ? System.in.readAllBytes()
                            : Files.readAllBytes(LocalPath.of(file));
            return Sources.lines(NameText.of(list));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A name of a file that is here, below a mount, is that of the file in the farm. */
    private static Argument argument(Mounted mounted, String text) {
        boolean isPlace = text.startsWith("/");
        return mounted.inFarm(text)
                .filter(_ -> isPlace || mounted.exists(text))
                .map(path -> new Argument(path, true))
                .orElseGet(() -> Argument.of(text));
    }

    private static Optional<String> inFarm(Gridfarm farm, Mounted mounted, String word) {
        Argument argument = argument(mounted, word);
        if (!argument.isFarmPath()) {
            return Optional.empty();
        }
        boolean isMeant = word.startsWith("gf:") || mounted.inFarm(word).isPresent();
        return isMeant || farm.exists(FarmPath.of(argument.path()))
                ? Optional.of(argument.path())
                : Optional.empty();
    }

    private static boolean isFile(Gridfarm farm, String path) {
        FarmPath of = FarmPath.of(path);
        return farm.exists(of) && !farm.stat(of).isDirectory();
    }

    private static void requireThere(Gridfarm farm, Set<String> paths) {
        List<String> missing = new ArrayList<>();
        Semaphore room = new Semaphore(ASKED_AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Boolean>> there = new ArrayList<>();
            for (String path : paths) {
                there.add(
                        threads.submit(() -> {
                            room.acquire();
                            try {
                                return farm.exists(FarmPath.of(path));
                            } finally {
                                room.release();
                            }
                        }));
            }
            int at = 0;
            for (String path : paths) {
                if (!there.get(at++).get()) {
                    missing.add(path);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarmException.of(e, "run", "");
        } catch (java.util.concurrent.ExecutionException e) {
            throw FarmException.of(e, "run", "input");
        }
        if (!missing.isEmpty()) {
            String more =
                    missing.size() > MISSING_NAMED_MAX
                            ? " and " + (missing.size() - MISSING_NAMED_MAX) + " more"
                            : "";
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "run",
                    String.join(
                                    ", ",
                                    missing.subList(0, Math.min(MISSING_NAMED_MAX, missing.size())))
                            + more,
                    "input that is not in the farm; nothing was started (--allow-missing runs it all the same)");
        }
    }

    /**
     * What is left to do after a run before.
     *
     * @param failedAgain whether those that failed are done once more
     */
    public TaskList without(Map<Integer, JobLog.Ended> ended, boolean failedAgain) {
        List<JobRun.Task> left = new ArrayList<>();
        List<TaskSpec> leftSpecs = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            JobRun.Task task = tasks.get(i);
            JobLog.Ended before = ended.get(task.number());
            if (before != null && !before.command().equals(JobLog.shown(task.command()))) {
                throw new FarmException(
                        ErrorKind.USAGE,
                        "run",
                        "--resume",
                        "the log has another command for task %d: %s"
                                .formatted(task.number(), before.command()));
            }
            if (before == null || failedAgain && !before.succeeded()) {
                left.add(task);
                leftSpecs.add(specs.get(i));
            }
        }
        return new TaskList(left, leftSpecs, directory);
    }
}
