package org.gridfarm.client.cli.slurm;

import org.gridfarm.client.cli.run.Outputs;
import org.gridfarm.client.core.FarmInputStream;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskInfo;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A hidden directory of the farm, the user's alone, by which {@code gf run} and the tasks that
 * Slurm started speak to each other: what each is to do, what it printed, how it ended. Every mount
 * sees it as we left it. For one thread.
 */
final class Spool implements Outputs {
    /** Number of a task, where its text begins, how long that is, which attempt it is. */
    private static final String ENTRY = "%6d %12d %9d %4d\n";

    static final int ENTRY_BYTES = 6 + 1 + 12 + 1 + 9 + 1 + 4 + 1;

    private static final String TASKS = "tasks";
    private static final Pattern ENDED =
            Pattern.compile(
                    "([0-9]{1,3}) ([0-9]{1,18}) ([0-9]{1,18}) (\\S*)\\n.*\\n([0-9]+)m([0-9.]+)s ([0-9]+)m([0-9.]+)s\\n");
    private static final double MICROS = 1e6;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int BUFFER_BYTES = 1 << 20;

    private final Gridfarm farm;
    private final FarmPath directory;
    private final List<Long> begins = new ArrayList<>(); // of the text of each task, and the end

    private Spool(Gridfarm farm, FarmPath directory) {
        this.farm = farm;
        this.directory = directory;
    }

    /** How a task ended, as its script says; times in milliseconds since 1970. */
    record End(int status, long started, long ended, String node, long cpuMicros) {}

    /** An attempt of a task. */
    record Entry(int task, int attempt) {}

    static Spool make(Gridfarm farm, FarmPath parent, String name) {
        FarmPath directory = parent.child(name);
        try {
            farm.mkdir(directory, NewMode.exactly(0700));
        } catch (FarmException e) {
            throw new FarmException(
                    e.kind(),
                    "run",
                    parent.toString(),
                    "no directory can be made there for what the tasks print: give a --workdir in which you may write",
                    e);
        }
        Spool spool = new Spool(farm, directory);
        farm.setPolicy(directory, Policy.replicas(1));
        return spool;
    }

    FarmPath directory() {
        return directory;
    }

    void writeTasks(List<byte[]> texts) throws IOException {
        long at = 0;
        try (OutputStream out =
                new BufferedOutputStream(farm.write(directory.child(TASKS)), BUFFER_BYTES)) {
            for (byte[] text : texts) {
                begins.add(at);
                out.write(text);
                at += text.length;
            }
        }
        begins.add(at);
    }

    void writeBatch(String name, List<Entry> entries) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (Entry entry : entries) {
            long begin = begins.get(entry.task());
            long length = begins.get(entry.task() + 1) - begin;
            lines.append(ENTRY.formatted(entry.task(), begin, length, entry.attempt()));
        }
        try (OutputStream out = farm.write(directory.child(name))) {
            out.write(NameText.bytes(lines.toString()));
        }
    }

    /** Empty if its script did not come to its end. */
    Optional<End> end(int task, int attempt) throws IOException {
        byte[] text;
        try (FarmInputStream in = farm.read(file("end", task, attempt))) {
            text = in.readAllBytes();
        } catch (FarmException e) {
            return absent(e, Optional.empty());
        }
        Matcher found = ENDED.matcher(NameText.of(text));
        if (!found.matches()) {
            throw new IOException("what task %d left of its end is none".formatted(task + 1));
        }
        return Optional.of(
                new End(
                        Integer.parseInt(found.group(1)),
                        Long.parseLong(found.group(2)),
                        Long.parseLong(found.group(3)),
                        found.group(4),
                        Math.round(
                                MICROS
                                        * (seconds(found.group(5), found.group(6))
                                                + seconds(found.group(7), found.group(8))))));
    }

    private static double seconds(String minutes, String seconds) {
        return Double.parseDouble(minutes) * SECONDS_PER_MINUTE + Double.parseDouble(seconds);
    }

    /** What it has printed so far. */
    long size(int task, int attempt, boolean isError) {
        try {
            return farm.stat(file(isError ? "err" : "out", task, attempt)).size();
        } catch (FarmException e) {
            return absent(e, 0L);
        }
    }

    @Override
    public void copy(TaskInfo task, boolean isError, OutputStream to) throws IOException {
        long size = isError ? task.getStderrBytes() : task.getStdoutBytes();
        if (size > 0) {
            copy(task.getIndex(), task.getAttempts(), isError, 0, to);
        }
    }

    /** What follows the first bytes; how many that was. */
    long copy(int task, int attempt, boolean isError, long from, OutputStream to)
            throws IOException {
        try (FarmInputStream in = farm.read(file(isError ? "err" : "out", task, attempt))) {
            in.seek(from);
            return in.transferTo(to);
        } catch (FarmException e) {
            return absent(e, 0L);
        }
    }

    private static <T> T absent(FarmException failure, T instead) {
        if (failure.kind() != ErrorKind.NOT_FOUND) {
            throw failure;
        }
        return instead;
    }

    private FarmPath file(String what, int task, int attempt) {
        return directory.child(what + "." + task + "." + attempt);
    }

    void remove() {
        farm.deleteRecursively(directory);
    }
}
