package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskInfo;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The log of GNU parallel, with its nine columns: Seq Host Starttime JobRuntime Send Receive
 * Exitval Signal Command. A line is written when its task has ended. Times are seconds; Send is the
 * bytes of input that were not where the task ran, Receive what it wrote to standard output.
 */
public final class JobLog implements AutoCloseable {
    private static final String HEADER =
            "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
    private static final int COLUMNS = 9;
    private static final int EXITVAL = 6;
    private static final int SIGNAL = 7;
    private static final int COMMAND = 8;
    private static final double MILLIS = 1e3;

    private final OutputStream out;

    private JobLog(OutputStream out) {
        this.out = out;
    }

    /** A new one, or the same continued. */
    public static JobLog open(Path file, boolean continued) throws IOException {
        boolean begun = continued && Files.exists(file) && Files.size(file) > 0;
        OutputStream out =
                begun
                        ? Files.newOutputStream(file, StandardOpenOption.APPEND)
                        : Files.newOutputStream(file);
        if (!begun) {
            out.write(NameText.bytes(HEADER));
        }
        return new JobLog(out);
    }

    /** A task that has ended, as the last line about it says. */
    public record Ended(boolean succeeded, String command) {}

    /** By number of the task; empty if there is no such file. */
    public static Map<Integer, Ended> read(Path file) throws IOException {
        Map<Integer, Ended> ended = new TreeMap<>();
        if (!Files.exists(file)) {
            return ended;
        }
        int number = 0;
        for (String line : NameText.of(Files.readAllBytes(file)).split("\n", -1)) {
            number++;
            if (number == 1 || line.isEmpty()) {
                continue;
            }
            String[] columns = line.split("\t", COLUMNS);
            try {
                boolean good =
                        Integer.parseInt(columns[EXITVAL]) == 0
                                && Integer.parseInt(columns[SIGNAL]) == 0;
                ended.put(Integer.parseInt(columns[0]), new Ended(good, columns[COMMAND]));
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "run",
                        file.toString(),
                        "line " + number + " is not of a log of jobs",
                        e);
            }
        }
        return ended;
    }

    /** A command in one line. */
    public static String shown(String command) {
        return command.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t");
    }

    /** A task that was never started has no line. */
    public void ended(int number, TaskInfo task, String command) {
        if (task.getAttempts() == 0) {
            return;
        }
        String line =
                String.format(
                        Locale.ROOT,
                        "%d\t%s\t%.3f\t%10.3f\t%d\t%d\t%d\t%d\t%s\n",
                        number,
                        task.getNode(),
                        task.getStarted() / MILLIS,
                        Math.max(0, task.getEnded() - task.getStarted()) / MILLIS,
                        task.getInputBytes() - task.getInputBytesLocal(),
                        task.getStdoutBytes(),
                        task.getExitCode(),
                        task.getSignal(),
                        shown(command));
        try {
            out.write(NameText.bytes(line));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
