package org.gridfarm.client.cli.run;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Follows a job until it has ended: shows, logs and counts its tasks. For one thread. */
public final class JobRun {
    private static final int WAIT_MILLIS = 4_000;

    /** A task that ends sooner is shown when it has; the output of another one as it comes. */
    private static final int LIVE_AFTER_MILLIS = 200;

    /**
     * A task as it was asked for.
     *
     * @param number from 1 on, of all that the command line named
     */
    public record Task(int number, List<Argument> arguments, String command) {
        String shown() {
            return arguments.isEmpty()
                    ? command
                    : String.join(" ", arguments.stream().map(Argument::text).toList());
        }
    }

    /**
     * @param each told of each task that has ended, in that order
     * @param isQuiet nothing is printed
     */
    public record Manner(
            boolean keepOrder,
            boolean tag,
            boolean bar,
            boolean haltsAtOne,
            @Nullable JobLog log,
            @Nullable Results results,
            boolean isQuiet,
            Consumer<TaskInfo> each) {}

    private final Supplier<SchedulerLine> lines;
    private final SchedulerLine scheduler;
    private final long job;
    private final Task[] tasks;
    private final Manner manner;
    private final TaskEnds ends;
    private final @Nullable Bar bar;
    private final List<Thread> live = new ArrayList<>();
    private String said = "";

    /** One line to the scheduler for each thread that asks. */
    public JobRun(Supplier<SchedulerLine> lines, long job, List<Task> tasks, Manner manner) {
        this.lines = lines;
        this.scheduler = lines.get();
        this.job = job;
        this.tasks = tasks.toArray(new Task[0]);
        this.manner = manner;
        this.bar = manner.bar() ? new Bar() : null;
        this.ends = new TaskEnds(new TaskOutput(scheduler), this.tasks, manner);
    }

    /** The exit status, as of {@link TaskEnds#status()}. */
    public int await(Consumer<JobInfo> end) {
        int next = 0;
        long change = 0;
        boolean mayBeLive = tasks.length == 1 && !manner.isQuiet() && manner.results() == null;
        while (true) {
            boolean isFirst = change == 0;
            WaitJobReply reply =
                    scheduler.call(
                            SchedulerMethods.WAIT,
                            WaitJobRequest.newBuilder()
                                    .setJob(job)
                                    .setWaitMillis(mayBeLive ? LIVE_AFTER_MILLIS : WAIT_MILLIS)
                                    .setChange(change)
                                    .setFromFinished(next)
                                    .setWithOutput(!manner.isQuiet() && live.isEmpty())
                                    .build());
            JobInfo info = reply.getJob();
            boolean isUnchanged = change == info.getChange();
            change = info.getChange();
            next = reply.getNextFinished();
            tellWaiting(info);
            if (mayBeLive && !isFirst && isUnchanged && next == 0 && info.getRunning() > 0) {
                mayBeLive = false;
                goLive();
            }
            reply.getFinishedList().forEach(this::ended);
            if (bar != null) {
                bar.show(info);
            }
            if (next >= tasks.length
                    && !info.getState().equals("pending")
                    && !info.getState().equals("running")) {
                if (bar != null) {
                    bar.end();
                }
                end.accept(info);
                return ends.status();
            }
        }
    }

    private void ended(TaskInfo task) {
        awaitLive();
        ends.ended(task, !live.isEmpty());
    }

    private void goLive() {
        for (boolean isError : new boolean[] {false, true}) {
            SchedulerLine line = lines.get();
            live.add(Thread.ofVirtual().start(() -> follow(new TaskOutput(line), isError)));
        }
    }

    private void follow(TaskOutput output, boolean isError) {
        try {
            output.follow(job, 0, isError, isError ? System.err : System.out);
        } catch (IOException | RuntimeException e) {
            Failures.report(e);
        }
    }

    private void awaitLive() {
        try {
            for (Thread thread : live) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Once for each reason, while nothing runs. */
    private void tellWaiting(JobInfo info) {
        String why = info.getWaiting();
        if (!why.isEmpty() && !why.equals(said) && info.getRunning() == 0 && bar == null) {
            System.err.println("gf: job " + info.getId() + " " + why);
            said = why;
        }
    }
}
