package org.gridfarm.scheduler.job;

import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * One submitted job: its tasks and the counts of their states. Every change raises {@link
 * #change()}, on which waiting clients sleep.
 *
 * <p>Owned by the scheduler's event thread.
 */
public final class Job {
    private static final int COMMAND_NOT_RUN = 126; // as the shell says it

    private final long id;
    private final String user;
    private final SubmitJobRequest request;
    private final Halt halt;
    private final long submitted;
    private final List<Task> tasks = new ArrayList<>();
    private final Deque<Task> pending = new ArrayDeque<>();
    private final List<Task> finished = new ArrayList<>();
    private int running;
    private int succeeded;
    private int failed;
    private int cancelled;
    private boolean halted;
    private long started;
    private long ended;
    private long change;

    public Job(long id, String user, SubmitJobRequest request, long submitted) {
        this.id = id;
        this.user = user;
        this.request = request;
        this.halt = Halt.of(request.getHalt());
        this.submitted = submitted;
        for (int i = 0; i < request.getTasksCount(); i++) {
            Task task = new Task(id, i, request.getTasks(i), submitted);
            tasks.add(task);
            pending.add(task);
        }
        endWhenDone(submitted);
    }

    /**
     * Goes on from what was written down. Tasks that were running still count as running: their
     * nodes are asked for the outcome.
     */
    public static Job restored(
            long id, String user, SubmitJobRequest request, long submitted, List<KeptTask> kept) {
        Job job = new Job(id, user, request, submitted);
        job.pending.clear();
        for (KeptTask row : kept) {
            job.tasks
                    .get(row.info().getIndex())
                    .restore(row.info(), row.state(), row.finishOrder());
        }
        for (Task task : job.tasks) {
            job.count(task.state(), 1);
            if (task.state() == TaskState.PENDING) {
                job.pending.add(task);
            } else if (task.state().isFinal()) {
                job.finished.add(task);
                job.ended = Math.max(job.ended, task.info(false).getEnded());
            }
            long at = task.info(false).getStarted();
            job.started = job.started == 0 ? at : Math.min(job.started, at == 0 ? job.started : at);
        }
        job.finished.sort(java.util.Comparator.comparingLong(Task::finishOrder));
        job.halted = job.failed > 0 && job.halt != Halt.NEVER;
        return job;
    }

    /** A task's row in the table. */
    public record KeptTask(TaskInfo info, TaskState state, long finishOrder) {}

    public long id() {
        return id;
    }

    public String user() {
        return user;
    }

    public SubmitJobRequest request() {
        return request;
    }

    public List<Task> tasks() {
        return Collections.unmodifiableList(tasks);
    }

    /** Waiting to be placed, in the order of submission. */
    public List<Task> pending() {
        return List.copyOf(pending);
    }

    /** The first of those that wait; there has to be one. */
    public Task next() {
        return pending.element();
    }

    public boolean hasPending() {
        return !pending.isEmpty();
    }

    public List<Task> running() {
        return tasks.stream().filter(t -> t.state() == TaskState.RUNNING).toList();
    }

    /** In the order in which they ended. */
    public List<Task> finished() {
        return Collections.unmodifiableList(finished);
    }

    public long change() {
        return change;
    }

    public boolean isDone() {
        return finished.size() == tasks.size();
    }

    /** How many more tasks may run now by the job's own limit. */
    public int room() {
        int most = request.getParallelMax() == 0 ? Integer.MAX_VALUE : request.getParallelMax();
        return Math.max(0, most - running);
    }

    public void locate(Task task, Map<String, Long> bytesByNode, long totalBytes) {
        task.locate(bytesByNode, totalBytes);
    }

    public void waitFor(Task task, String why) {
        task.waitFor(why);
    }

    public void start(Task task, String node, String locality, long now) {
        pending.remove(task);
        task.start(node, locality, now);
        running++;
        started = started == 0 ? now : started;
        change++;
    }

    /** A task that waits is given up. */
    public void abandon(Task task, String why, long now) {
        pending.remove(task);
        end(
                task,
                TaskState.FAILED,
                RunTaskReply.newBuilder().setExitCode(COMMAND_NOT_RUN).build(),
                why,
                now);
    }

    /** The attempt could not be run or its node was lost: it does not count against the retries. */
    public void giveBack(Task task, String why) {
        running--;
        if (halted) {
            end(
                    task,
                    TaskState.CANCELLED,
                    RunTaskReply.getDefaultInstance(),
                    why,
                    task.info(false).getStarted());
            return;
        }
        task.backToPending(why);
        pending.addFirst(task);
        change++;
    }

    /**
     * What the node says of an attempt. True when a task has failed for good and the running ones
     * are to be killed.
     */
    public boolean finish(Task task, RunTaskReply reply, long now) {
        running--;
        if (reply.getExitCode() == 0 && reply.getFailure().isEmpty()) {
            end(task, TaskState.SUCCEEDED, reply, "", now);
            return false;
        }
        String why =
                reply.getFailure().isEmpty()
                        ? "exit status " + reply.getExitCode()
                        : reply.getFailure();
        if (task.attempts() <= request.getRetries() && !halted) {
            task.backToPending("attempt " + task.attempts() + ": " + why);
            pending.addLast(task);
            change++;
            return false;
        }
        end(
                task,
                halted && reply.getSignal() != 0 ? TaskState.CANCELLED : TaskState.FAILED,
                reply,
                why,
                now);
        if (halt != Halt.NEVER && !halted) {
            halted = true;
            cancelPending("another task failed", now);
            return halt == Halt.NOW;
        }
        return false;
    }

    /** Ends everything that has not started; what runs is for the caller to kill. */
    public void cancel(long now) {
        halted = true;
        cancelPending("cancelled", now);
    }

    private void cancelPending(String why, long now) {
        for (Task task : List.copyOf(pending)) {
            pending.remove(task);
            end(task, TaskState.CANCELLED, RunTaskReply.getDefaultInstance(), why, now);
        }
    }

    private void end(Task task, TaskState state, RunTaskReply reply, String why, long now) {
        task.finish(state, reply, why, now, finished.size() + 1L);
        finished.add(task);
        count(state, 1);
        change++;
        endWhenDone(now);
    }

    private void endWhenDone(long now) {
        if (isDone()) {
            ended = now;
        }
    }

    private void count(TaskState state, int by) {
        switch (state) {
            case PENDING -> {}
            case RUNNING -> running += by;
            case SUCCEEDED -> succeeded += by;
            case FAILED -> failed += by;
            case CANCELLED -> cancelled += by;
        }
    }

    public String state() {
        if (!isDone()) {
            return running > 0 || !finished.isEmpty() ? "running" : "pending";
        }
        if (failed > 0) {
            return "failed";
        }
        return cancelled > 0 ? "cancelled" : "succeeded";
    }

    public JobInfo info() {
        JobInfo.Builder info =
                JobInfo.newBuilder()
                        .setId(id)
                        .setName(request.getName())
                        .setUser(user)
                        .setState(state())
                        .setTasks(tasks.size())
                        .setPending(pending.size())
                        .setRunning(running)
                        .setSucceeded(succeeded)
                        .setFailed(failed)
                        .setCancelled(cancelled)
                        .setSubmitted(submitted)
                        .setStarted(started)
                        .setEnded(isDone() ? ended : 0)
                        .setChange(change)
                        .setWaiting(pending.isEmpty() ? "" : pending.element().reason());
        for (Task task : tasks) {
            if (task.attempts() > 0) {
                TaskInfo t = task.info(false);
                info.setInputBytesLocal(info.getInputBytesLocal() + t.getInputBytesLocal());
                info.setInputBytesRemote(
                        info.getInputBytesRemote() + t.getInputBytes() - t.getInputBytesLocal());
                if (t.getLocality().equals("local")) {
                    info.setLocalTasks(info.getLocalTasks() + 1);
                }
            }
        }
        return info.build();
    }
}
