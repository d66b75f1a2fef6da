package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.wire.TaskInfo;

/** Tasks that have ended: shown, logged and counted, whoever ran them. For one thread. */
public final class TaskEnds {
    private static final int FAILED_SHOWN_MAX = 100;

    private final JobRun.Task[] tasks;
    private final JobRun.Manner manner;
    private final Printer printer;
    private int failed;
    private int firstFailure; // its exit status
    private int lastStatus;

    public TaskEnds(Outputs outputs, JobRun.Task[] tasks, JobRun.Manner manner) {
        this.tasks = tasks;
        this.manner = manner;
        this.printer =
                new Printer(outputs, tasks, manner.keepOrder(), manner.tag(), manner.results());
    }

    /**
     * Each task once, one that never started as well.
     *
     * @param isShown its output was printed as it came
     */
    public void ended(TaskInfo task, boolean isShown) {
        boolean good = task.getState().equals("succeeded");
        lastStatus = good ? 0 : Math.max(1, task.getExitCode());
        if (task.getState().equals("failed")) {
            failed++;
            firstFailure = firstFailure == 0 ? lastStatus : firstFailure;
        }
        JobRun.Task of = tasks[task.getIndex()];
        if (manner.log() != null) {
            manner.log().ended(of.number(), task, of.command());
        }
        manner.each().accept(task);
        if (isShown) {
            Printer.failed(task, of);
        } else if (!manner.isQuiet()) {
            printer.ended(task);
        }
    }

    /** The exit status: that of the program for one task, else the number of those that failed. */
    public int status() {
        int status;
        if (tasks.length == 1) {
            status = lastStatus;
        } else if (manner.haltsAtOne()) {
            status = firstFailure;
        } else {
            status = Math.min(failed, FAILED_SHOWN_MAX + 1);
        }
        return status == 0 && printer.isOutputLost() ? Exit.INPUT_OUTPUT.code() : status;
    }
}
