package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.wire.TaskUsage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/**
 * Without control groups: every process of a task carries a mark that its children inherit, and is
 * found in /proc by it. A node of root gives a group that nobody else has (as Grid Engine does):
 * only root can take it off again. A node that is not root can only mark the environment, which a
 * program of its own account can clear; then those of the task's session are left to go by.
 */
final class MarkedProcesses implements ProcessTree {
    private static final Logger LOG = LoggerFactory.getLogger(MarkedProcesses.class);

    /** Past the numbers that systemd and containers hand out, below 2^31. */
    private static final long GROUPS_FROM = 0x7000_0000L;

    private static final long GROUPS = 0x0FFF_FFFEL;
    private static final String VARIABLE = "GF_TASK_MARK";
    private static final int SESSION_FIELD = 3; // of /proc/PID/stat, after the name

    private final OptionalLong group;
    private final String word;

    private MarkedProcesses(OptionalLong group, String word) {
        this.group = group;
        this.word = word;
    }

    static Maker maker(RandomGenerator random) {
        return () ->
                new MarkedProcesses(
                        TaskUser.self() == 0 && isGroupOfMine(GROUPS_FROM + GROUPS)
                                ? OptionalLong.of(GROUPS_FROM + random.nextLong(GROUPS))
                                : OptionalLong.empty(),
                        HexFormat.of().toHexDigits(random.nextLong()));
    }

    /** In a user namespace perhaps not. */
    private static boolean isGroupOfMine(long gid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/gid_map"))) {
            String[] fields = line.strip().split("\\s+");
            long first = Long.parseLong(fields[0]);
            if (gid >= first && gid < first + Long.parseLong(fields[2])) {
                return true;
            }
        }
        LOG.warn("gid {} is not of this user namespace: tasks are known by their environment", gid);
        return false;
    }

    @Override
    public List<String> enter() {
        return List.of();
    }

    @Override
    public OptionalLong mark() {
        return group;
    }

    @Override
    public Map<String, String> variables() {
        return group.isPresent() ? Map.of() : Map.of(VARIABLE, word);
    }

    @Override
    public TaskUsage usage(long leader) {
        return ProcFiles.usage(ProcFiles.tree(leader));
    }

    @Override
    public boolean end(long leader) throws IOException {
        return Killing.untilNone(() -> kill(leader));
    }

    private boolean kill(long leader) throws IOException {
        boolean found = false;
        GroupSearch search = new GroupSearch();
        for (long process : ProcFiles.all()) {
            boolean isOfTask =
                    group.isPresent()
                            ? search.isMember(process, group.getAsLong())
                            : isMarked(process, leader);
            if (isOfTask) {
                Killing.kill(process);
                found = true;
            }
        }
        return found;
    }

    private boolean isMarked(long number, long leader) {
        Path process = Path.of("/proc", Long.toString(number));
        String stat = ProcFiles.text(process.resolve("stat")).orElse("");
        String[] afterName = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
        if (afterName.length <= SESSION_FIELD || afterName[0].equals("Z")) {
            return false;
        }
        // Session 0 is the kernel's: there is none where no process was started.
        return leader > 0 && afterName[SESSION_FIELD].equals(Long.toString(leader))
                || Arrays.asList(ProcFiles.text(process.resolve("environ")).orElse("").split("\0"))
                        .contains(VARIABLE + "=" + word);
    }
}
