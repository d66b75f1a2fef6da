package org.gridfarm.client;

import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.JobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskOutputReply;
import org.gridfarm.protocol.wire.TaskOutputRequest;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A job at the scheduler, which goes on whether or not anybody waits for it. Thread-safe; several
 * may follow the same. NOT_FOUND: there is none of that number, or it is long ended; ACCESS_DENIED:
 * it is somebody else's.
 */
public final class Job {
    private static final int WAIT_MILLIS = 4_000;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int SIGTERM = 15;

    private final Jobs jobs;
    private final long id;

    Job(Jobs jobs, long id) {
        this.jobs = jobs;
        this.id = id;
    }

    public long id() {
        return id;
    }

    public JobStatus status() {
        return JobStatus.of(
                jobs.call(
                                SchedulerMethods.JOB,
                                JobRequest.newBuilder().setJob(id).setLimit(1).build(),
                                toString())
                        .getJob());
    }

    /**
     * Waits until all tasks have ended, however long that takes, and past any change of scheduler;
     * their outputs in the farm can be read then. Whether they succeeded is for the caller to look
     * at.
     *
     * @return in the order of the job
     */
    public List<TaskResult> await() {
        List<TaskResult> ended = new ArrayList<>();
        follow(ended::add);
        ended.sort((a, b) -> Integer.compare(a.index(), b.index()));
        return List.copyOf(ended);
    }

    /** The same with an end; TIMED_OUT leaves the job as it is. */
    public List<TaskResult> await(Duration longest) {
        List<TaskResult> ended = new ArrayList<>();
        follow(ended::add, System.nanoTime() + longest.toNanos());
        ended.sort((a, b) -> Integer.compare(a.index(), b.index()));
        return List.copyOf(ended);
    }

    /**
     * Tells of each task when it has ended, in that order, in the calling thread; returns when the
     * job has.
     */
    public JobStatus follow(Consumer<TaskResult> each) {
        return follow(each, Long.MAX_VALUE);
    }

    private JobStatus follow(Consumer<TaskResult> each, long until) {
        int next = 0;
        long change = 0;
        while (true) {
            long left =
                    until == Long.MAX_VALUE ? WAIT_MILLIS : (until - System.nanoTime()) / 1_000_000;
            WaitJobReply reply =
                    jobs.call(
                            SchedulerMethods.WAIT,
                            WaitJobRequest.newBuilder()
                                    .setJob(id)
                                    .setWaitMillis((int) Math.max(1, Math.min(WAIT_MILLIS, left)))
                                    .setChange(change)
                                    .setFromFinished(next)
                                    .build(),
                            toString());
            for (TaskInfo task : reply.getFinishedList()) {
                each.accept(TaskResult.of(task));
            }
            next = reply.getNextFinished();
            change = reply.getJob().getChange();
            JobStatus status = JobStatus.of(reply.getJob());
            if (status.hasEnded() && next >= status.tasks()) {
                return status;
            }
            if (left <= 0) {
                throw new FarmException(
                        ErrorKind.TIMED_OUT,
                        "await",
                        toString(),
                        next + " of " + status.tasks() + " tasks have ended");
            }
        }
    }

    /** Its tasks are ended by SIGTERM, and by SIGKILL where that is not enough. */
    public void cancel() {
        jobs.call(
                SchedulerMethods.CANCEL,
                CancelJobRequest.newBuilder().setJob(id).setSignal(SIGTERM).build(),
                toString());
    }

    /**
     * Copies all that the last attempt of a task wrote to its standard output, until it has ended.
     */
    public void copyOutput(int task, OutputStream to) throws IOException {
        copy(task, false, to);
    }

    /** The same of its standard error. */
    public void copyErrors(int task, OutputStream to) throws IOException {
        copy(task, true, to);
    }

    private void copy(int task, boolean isError, OutputStream to) throws IOException {
        long at = 0;
        int attempt = 0;
        while (true) {
            TaskOutputReply reply =
                    jobs.call(
                            SchedulerMethods.OUTPUT,
                            TaskOutputRequest.newBuilder()
                                    .setJob(id)
                                    .setIndex(task)
                                    .setError(isError)
                                    .setOffset(at)
                                    .setMax(PIECE_BYTES)
                                    .setAttempt(attempt)
                                    .setWaitMillis(WAIT_MILLIS)
                                    .build(),
                            this + "." + (task + 1));
            attempt = reply.getAttempt();
            reply.getData().writeTo(to);
            at += reply.getData().size();
            if (reply.getEnd()) {
                return;
            }
        }
    }

    @Override
    public String toString() {
        return "job " + id;
    }
}
