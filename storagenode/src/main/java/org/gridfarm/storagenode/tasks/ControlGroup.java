package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.wire.TaskUsage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A control group (version 2) for each task, below the node's own. Its files belong to the account
 * of the node, so a task of another user cannot move a process out of it.
 */
final class ControlGroup implements ProcessTree {
    private static final Logger LOG = LoggerFactory.getLogger(ControlGroup.class);
    private static final String PREFIX = "gridfarm-task-";
    private static final String ENTER =
            "echo 0 >\"$1/cgroup.procs\" && shift && exec \"$@\""; // 0: the one that writes

    private static final AtomicLong MADE = new AtomicLong(); // by this process

    private final Path directory;
    private final boolean hasMemory; // the controller for it

    ControlGroup(Path directory, boolean hasMemory) {
        this.directory = directory;
        this.hasMemory = hasMemory;
    }

    /** Empty where there is no such hierarchy or this process may not write to it. */
    static Optional<Maker> maker() {
        return own().flatMap(own ->
                probed(own)
                        .map(hasMemory -> {
                            long self = ProcessHandle.current().pid();
                            endThoseOfTheDead(own);
                            return () ->
                                    new ControlGroup(
                                            Files.createDirectory(
                                                    own.resolve(
                                                            PREFIX
                                                                    + self
                                                                    + "-"
                                                                    + MADE.incrementAndGet())),
                                            hasMemory);
                        }));
    }

    /** The directory of this process's own group. */
    private static Optional<Path> own() {
        try {
            String group = "";
            for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                group = line.startsWith("0::") ? line.substring(3) : group;
            }
            for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
                // id parent device root where options ... - type source options
                String[] fields = line.split(" ");
                boolean isTheOne = line.contains(" - cgroup2 ");
                if (isTheOne && !group.isEmpty()) {
                    String root = fields[3].equals("/") ? "" : fields[3];
                    return group.startsWith(root)
                            ? Optional.of(Path.of(fields[4] + group.substring(root.length())))
                            : Optional.empty();
                }
            }
        } catch (IOException e) {
            LOG.warn("control groups cannot be looked for: {}", e.toString());
        }
        return Optional.empty();
    }

    /** Whether groups below it have the controller for memory; empty: none can be made there. */
    private static Optional<Boolean> probed(Path own) {
        Path probe = own.resolve(PREFIX + ProcessHandle.current().pid() + "-0");
        try {
            Files.createDirectory(probe);
            boolean useful =
                    Files.isWritable(own.resolve("cgroup.procs"))
                            && Files.isWritable(probe.resolve("cgroup.procs"))
                            && Files.readString(probe.resolve("cgroup.type"))
                                    .strip()
                                    .equals("domain");
            boolean hasMemory = Files.exists(probe.resolve("memory.peak"));
            Files.delete(probe);
            return useful ? Optional.of(hasMemory) : Optional.empty();
        } catch (IOException e) {
            LOG.debug("no control groups for tasks in {}: {}", own, e.toString());
            return Optional.empty();
        }
    }

    /**
     * A node that was killed could not end its tasks; the scheduler asks the one that was started
     * again to run them anew.
     */
    private static void endThoseOfTheDead(Path own) {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(own, PREFIX + "*")) {
            for (Path directory : left) {
                String name = directory.getFileName().toString();
                long node = Long.parseLong(name.substring(PREFIX.length(), name.lastIndexOf('-')));
                if (ProcessHandle.of(node).isEmpty()) {
                    LOG.info("ending what a killed node left in {}", directory);
                    new ControlGroup(directory, false).end(0);
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("tasks of a killed node are not ended: {}", e.toString());
        }
    }

    @Override
    public List<String> enter() {
        return List.of(Programs.SHELL, "-c", ENTER, "sh", directory.toString());
    }

    @Override
    public OptionalLong mark() {
        return OptionalLong.empty();
    }

    @Override
    public Map<String, String> variables() {
        return Map.of();
    }

    /**
     * Processor time and, with the controller for memory, the peak as the group itself has them.
     */
    @Override
    public TaskUsage usage(long leader) {
        List<Long> pids = new ArrayList<>();
        ProcFiles.text(directory.resolve("cgroup.procs"))
                .orElse("")
                .lines()
                .forEach(pid -> pids.add(Long.parseLong(pid)));
        TaskUsage seen = ProcFiles.usage(pids);
        String cpu = ProcFiles.text(directory.resolve("cpu.stat")).orElse("");
        String peak =
                hasMemory
                        ? ProcFiles.text(directory.resolve("memory.peak")).orElse("").strip()
                        : "";
        return seen.toBuilder()
                .setCpuMicros(Math.max(seen.getCpuMicros(), ProcFiles.number(cpu, "usage_usec")))
                .setMemoryPeak(
                        peak.matches("[0-9]{1,18}") ? Long.parseLong(peak) : seen.getMemoryPeak())
                .build();
    }

    /** Where the group has the controller for memory. */
    @Override
    public boolean isOutOfMemory() {
        if (!hasMemory) return false;
        String events = ProcFiles.text(directory.resolve("memory.events")).orElse("");
        return ProcFiles.number(events, "oom_kill ") > 0;
    }

    @Override
    public boolean end(long leader) throws IOException {
        if (isGone()) return true;
        boolean ended = Killing.untilNone(this::kill);
        if (ended) {
            deleteWithInner(directory);
        }
        return ended;
    }

    /** A group that holds a process, or another group, cannot be removed. */
    private boolean isGone() {
        try {
            Files.delete(directory);
            return true;
        } catch (IOException e) {
            LOG.debug("{} is still in use: {}", directory, e.toString());
            return false;
        }
    }

    private boolean kill() throws IOException {
        if (Files.readAllLines(directory.resolve("cgroup.events")).contains("populated 0")) {
            return false;
        }
        Path kill = directory.resolve("cgroup.kill"); // from Linux 5.14 on
        if (Files.exists(kill)) {
            Files.writeString(kill, "1");
        } else {
            Files.readAllLines(directory.resolve("cgroup.procs"))
                    .forEach(pid -> Killing.kill(Long.parseLong(pid)));
        }
        return true;
    }

    /** A task of the node's own account can have made groups in its group. */
    private static void deleteWithInner(Path directory) throws IOException {
        try (DirectoryStream<Path> inner =
                Files.newDirectoryStream(directory, Files::isDirectory)) {
            for (Path one : inner) {
                deleteWithInner(one);
            }
        }
        Files.delete(directory);
    }
}
