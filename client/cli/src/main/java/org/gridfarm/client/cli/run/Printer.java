package org.gridfarm.client.cli.run;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.TaskInfo;
import org.jspecify.annotations.Nullable;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;

/**
 * What tasks that have ended are shown as: their output, one task after the other, in the order of
 * ending or of the arguments, and a line for each that failed. For one thread.
 */
final class Printer {
    /** Output of tasks that wait for one before them; past this it is asked for again. */
    private static final long HELD_BYTES_MAX = 32 << 20;

    private final Outputs outputs;
    private final boolean keepOrder;
    private final boolean tag;
    private final @Nullable Results results;
    private final JobRun.Task[] tasks;
    private final Map<Integer, TaskInfo> early = new HashMap<>();
    private long held;
    private int next;
    private boolean lost;

    Printer(
            Outputs outputs,
            JobRun.Task[] tasks,
            boolean keepOrder,
            boolean tag,
            @Nullable Results results) {
        this.outputs = outputs;
        this.tasks = tasks;
        this.keepOrder = keepOrder;
        this.tag = tag;
        this.results = results;
    }

    void ended(TaskInfo task) {
        if (!keepOrder) {
            show(task);
            return;
        }
        TaskInfo kept =
                held > HELD_BYTES_MAX ? task.toBuilder().clearStdout().clearStderr().build() : task;
        held += kept.getSerializedSize();
        early.put(task.getIndex(), kept);
        TaskInfo ready = early.remove(next);
        while (ready != null) {
            held -= ready.getSerializedSize();
            show(ready);
            next++;
            ready = early.remove(next);
        }
    }

    /** Whether some output could not be had. */
    boolean isOutputLost() {
        return lost;
    }

    private void show(TaskInfo task) {
        JobRun.Task of = tasks[task.getIndex()];
        print(task, of, false, System.out);
        print(task, of, true, System.err);
        failed(task, of);
    }

    /** Nothing for one that succeeded. */
    static void failed(TaskInfo task, JobRun.Task of) {
        if (!task.getState().equals("succeeded") && task.getAttempts() > 0) {
            System.err.println(
                    "gf: task "
                            + of.number()
                            + (of.command().isEmpty()
                                    ? ""
                                    : " (" + Failures.onOneLine(of.shown()) + ")")
                            + " on "
                            + (task.getNode().isEmpty() ? "no node" : task.getNode())
                            + ": "
                            + task.getReason());
        }
    }

    private void print(TaskInfo task, JobRun.Task of, boolean isError, PrintStream to) {
        try {
            if (results != null && task.getAttempts() > 0) {
                try (OutputStream file = results.open(of.number(), of.arguments(), isError)) {
                    outputs.copy(task, isError, file);
                }
            }
            outputs.copy(task, isError, tag ? new Tagged(to, of.shown() + "\t") : to);
            to.flush();
        } catch (IOException | RuntimeException e) {
            lost = true;
            System.err.println("gf: task " + of.number() + ": " + e.getMessage());
        }
    }

    /** A word before each line. */
    private static final class Tagged extends FilterOutputStream {
        private final byte[] tag;
        private boolean begins = true;

        Tagged(OutputStream out, String tag) {
            super(out);
            this.tag = NameText.bytes(tag);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            int line = from;
            for (int i = from; i < from + count; i++) {
                if (begins) {
                    out.write(bytes, line, i - line);
                    out.write(tag);
                    line = i;
                }
                begins = bytes[i] == '\n';
            }
            out.write(bytes, line, from + count - line);
        }
    }
}
