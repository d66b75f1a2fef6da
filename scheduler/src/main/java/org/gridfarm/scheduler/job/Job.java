package org.gridfarm.scheduler.job;

import org.gridfarm.protocol.job.Halt;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One submitted job: its tasks and the counts of their states. Every change raises {@link
 * #change()}, on which waiting clients sleep.
 *
 * <p>Owned by the scheduler's event thread.
 */
public final class Job {
    /** Why tasks were cancelled, as it is shown and kept. */
    public static final String CANCELLED = "cancelled";

    private static final String HALTED = "halted by other tasks";
    private static final int COMMAND_NOT_RUN = 126; // as the shell says it

    /** Without tasks, with a proxy. */
    private static final int JOB_BYTES = 6 << 10;

    /** A {@link Task} without what it was made of, and its places in lists. */
    private static final int TASK_BYTES = 256;

    /** A variable, or a job that this one comes after. */
    private static final int PART_BYTES = 128;

    private final long id;
    private final String user;
    private final SubmitJobRequest request; // without the tasks
    private final Halt halt;
    private final long submitted;
    private final long bytes;
    private final List<Task> tasks = new ArrayList<>();
    private final Deque<Task> returned = new ArrayDeque<>(); // of those that were taken before
    private final Set<Task> taken = new LinkedHashSet<>(); // and wait for a place
    private final Set<Task> running = new LinkedHashSet<>();
    private final List<Task> finished = new ArrayList<>();
    private int untaken; // index of the first that nobody took yet
    private int waiting; // in all
    private int succeeded;
    private int failed;
    private int cancelled;
    private String halted = "";
    private long started;
    private long ended;
    private long change;
    private int told;
    private int localTasks; // these three count the last attempt of each task
    private long inputBytesLocal;
    private long inputBytesRemote;
    private final Used used = new Used();
    private int secondAttempts;
    private int secondWon;
    private String heldBy;

    public Job(long id, String user, SubmitJobRequest request, long submitted) {
        this.id = id;
        this.user = user;
        this.request = request.toBuilder().clearTasks().build();
        this.halt = Halt.of(request.getHalt());
        this.submitted = submitted;
        this.bytes = bytes(request);
        for (int i = 0; i < request.getTasksCount(); i++) {
            tasks.add(new Task(id, i, request.getTasks(i), submitted));
        }
        waiting = tasks.size();
        heldBy = request.getHeld() ? user : "";
        endWhenDone(submitted);
    }

    /**
     * Goes on from what was written down. Tasks that were running still count as running: their
     * nodes are asked for the outcome. Where nothing more was to start, what has no final row was
     * cancelled then, in the order of the tasks.
     *
     * @param halted why nothing more was to start; empty otherwise
     */
    public static Job restored(
            long id,
            String user,
            SubmitJobRequest request,
            long submitted,
            String halted,
            List<KeptTask> kept) {
        Job job = new Job(id, user, request, submitted);
        for (KeptTask row : kept) {
            job.tasks
                    .get(row.info().getIndex())
                    .restore(row.info(), row.state(), row.finishOrder());
        }
        job.halted = halted;
        Task[] order = new Task[job.tasks.size()];
        List<Task> waiting = new ArrayList<>();
        for (Task task : job.tasks) {
            if (task.state() == TaskState.PENDING) {
                waiting.add(task);
            } else if (task.state() == TaskState.RUNNING) {
                job.running.add(task);
            } else {
                order[(int) task.finishOrder() - 1] = task;
            }
            job.countInput(task, 1);
            long at = task.started();
            job.started = job.started == 0 ? at : Math.min(job.started, at == 0 ? job.started : at);
        }
        job.returned.addAll(waiting);
        job.untaken = job.tasks.size();
        job.waiting = waiting.size();
        for (int at = 0; at < order.length; at++) {
            Task task = order[at];
            if (task == null && !halted.isEmpty() && !job.returned.isEmpty()) {
                task = job.returned.remove();
                job.waiting--;
                task.cancel(halted, at + 1L);
            }
            if (task != null) {
                job.finished.add(task);
                job.count(task.state());
                job.used.add(task);
                job.ended = Math.max(job.ended, task.ended());
            }
        }
        return job;
    }

    /** A task's row in the table. */
    public record KeptTask(TaskInfo info, TaskState state, long finishOrder) {}

    public long id() {
        return id;
    }

    /** About what a job takes in memory. */
    public static long bytes(SubmitJobRequest request) {
        return JOB_BYTES
                + 2L * request.getSerializedSize()
                + (long) TASK_BYTES * request.getTasksCount()
                + (long) PART_BYTES * (request.getEnvironmentCount() + request.getAfterCount());
    }

    /** The same of this one. */
    public long bytes() {
        return bytes;
    }

    public String user() {
        return user;
    }

    /** As it was submitted, without its tasks. */
    public SubmitJobRequest request() {
        return request;
    }

    public List<Task> tasks() {
        return Collections.unmodifiableList(tasks);
    }

    /** That wait for a place. */
    public List<Task> pending() {
        return tasks.stream().filter(task -> task.state() == TaskState.PENDING).toList();
    }

    public boolean hasPending() {
        return waiting > 0;
    }

    /** Whether {@link #takeNext} has one. */
    public boolean hasUntaken() {
        return untaken < tasks.size() || !returned.isEmpty();
    }

    /** The next that waits, in the order of submission; each is handed out once. */
    public Task takeNext() {
        Task task = returned.isEmpty() ? tasks.get(untaken++) : returned.remove();
        taken.add(task);
        return task;
    }

    public List<Task> running() {
        return List.copyOf(running);
    }

    public int runningCount() {
        return running.size();
    }

    /** Who holds it back; empty if nobody does. */
    public String heldBy() {
        return heldBy;
    }

    public boolean isHeld() {
        return !heldBy.isEmpty();
    }

    /** Nothing more of it starts; or, for nobody, it goes on. */
    public void hold(String who) {
        heldBy = who;
        change++;
    }

    /** Why nothing more is started; empty while it is. */
    public String halted() {
        return halted;
    }

    public int succeeded() {
        return succeeded;
    }

    public int failed() {
        return failed;
    }

    /** In the order in which they ended. */
    public List<Task> finished() {
        return Collections.unmodifiableList(finished);
    }

    /** Those of {@link #finished} that clients may hear of: they are written down. */
    public List<Task> told() {
        return finished().subList(0, told);
    }

    /** The first so many that have ended are written down. */
    public void durable(int ended) {
        if (ended > told) {
            told = ended;
            change++;
        }
    }

    /** All that has ended is. */
    public void durable() {
        durable(finished.size());
    }

    /** It has ended, and clients may hear of all of it. */
    public boolean isTold() {
        return told == tasks.size();
    }

    public long change() {
        return change;
    }

    public boolean isDone() {
        return finished.size() == tasks.size();
    }

    /** Once, or more often. */
    public boolean hasStarted() {
        return started > 0;
    }

    /** How many more tasks may run now by the job's own limit. */
    public int room() {
        int most = request.getParallelMax() == 0 ? Integer.MAX_VALUE : request.getParallelMax();
        return Math.max(0, most - running.size() - secondRunning());
    }

    private int secondRunning() {
        return request.getSpeculate()
                ? (int) running.stream().filter(task -> task.second().isPresent()).count()
                : 0;
    }

    /** One more attempt of a task that runs. */
    public Task startSecond(Task task, String node, String locality, long now) {
        secondAttempts++;
        change++;
        return task.startSecond(node, locality, now);
    }

    /** This attempt of the task is the one that counts; nothing happens if there is no other. */
    public void settle(Task task, Task attempt, String why) {
        if (attempt == task) {
            task.dropSecond(why);
        } else {
            countInput(task, -1);
            task.takeSecond(why);
            countInput(task, 1);
            secondWon++;
        }
        change++;
    }

    public void locate(Task task, Map<String, Long> bytesByNode, long totalBytes) {
        task.locate(bytesByNode, totalBytes);
    }

    /** A task that was taken. */
    public void start(Task task, String node, String locality, long now) {
        if (!taken.remove(task)) {
            throw new IllegalStateException("task " + task.index() + " was not taken");
        }
        waiting--;
        countInput(task, -1);
        task.start(node, locality, now);
        countInput(task, 1);
        running.add(task);
        started = started == 0 ? now : started;
        change++;
    }

    /** A task that was taken is given up. */
    public void abandon(Task task, String why, long now) {
        taken.remove(task);
        waiting--;
        RunTaskReply reply = RunTaskReply.newBuilder().setExitCode(COMMAND_NOT_RUN).build();
        end(task, TaskState.FAILED, reply, why, now);
        haltIfReached(now);
    }

    /** The attempt could not be run or its node was lost: it does not count against the retries. */
    public void giveBack(Task task, String why, long now) {
        running.remove(task);
        if (!halted.isEmpty()) {
            end(task, TaskState.CANCELLED, RunTaskReply.getDefaultInstance(), why, now);
            return;
        }
        task.backToPending(why);
        returned.addFirst(task);
        waiting++;
        change++;
    }

    /**
     * What the node says of an attempt. True when the others that run are to be killed because of
     * it.
     */
    public boolean finish(Task task, RunTaskReply reply, long now) {
        running.remove(task);
        if (reply.getExitCode() == 0 && reply.getFailure().isEmpty()) {
            end(task, TaskState.SUCCEEDED, reply, "", now);
            return haltIfReached(now);
        }
        String why =
                reply.getFailure().isEmpty()
                        ? "exit status " + reply.getExitCode()
                        : reply.getFailure();
        if (task.failures() < request.getRetries() && halted.isEmpty()) {
            task.failedOnce();
            task.backToPending("attempt " + task.attempts() + ": " + why);
            returned.addLast(task);
            waiting++;
            change++;
            return false;
        }
        boolean wasKilled = !halted.isEmpty() && reply.getSignal() != 0;
        end(task, wasKilled ? TaskState.CANCELLED : TaskState.FAILED, reply, why, now);
        return haltIfReached(now);
    }

    private boolean haltIfReached(long now) {
        if (!halted.isEmpty() || !halt.isReached(failed, succeeded, tasks.size())) {
            return false;
        }
        cancelWaiting(HALTED, now);
        return halt.when() == Halt.When.NOW;
    }

    /** Ends everything that has not started; what runs is for the caller to kill. */
    public void cancel(String why, long now) {
        if (halted.isEmpty()) {
            cancelWaiting(why, now);
        }
    }

    /** Needs no row for each: see {@link #restored}. */
    private void cancelWaiting(String why, long now) {
        halted = why;
        if (waiting == 0) {
            return;
        }
        for (Task task : tasks) {
            if (task.state() == TaskState.PENDING) {
                task.cancel(why, finished.size() + 1L);
                finished.add(task);
                count(TaskState.CANCELLED);
            }
        }
        returned.clear();
        taken.clear();
        untaken = tasks.size();
        waiting = 0;
        change++;
        endWhenDone(now);
    }

    private void end(Task task, TaskState state, RunTaskReply reply, String why, long now) {
        task.finish(state, reply, why, now, finished.size() + 1L);
        finished.add(task);
        count(state);
        used.add(task);
        change++;
        endWhenDone(now);
    }

    private void endWhenDone(long now) {
        if (isDone()) {
            ended = now;
        }
    }

    private void count(TaskState state) {
        switch (state) {
            case PENDING, RUNNING -> throw new IllegalStateException("has not ended");
            case SUCCEEDED -> succeeded++;
            case FAILED -> failed++;
            case CANCELLED -> cancelled++;
        }
    }

    private void countInput(Task task, int by) {
        if (task.attempts() > 0) {
            localTasks += task.isLocal() ? by : 0;
            inputBytesLocal += by * task.inputBytesLocal();
            inputBytesRemote += by * (task.inputBytes() - task.inputBytesLocal());
        }
    }

    public String state() {
        if (!isDone()) {
            return !running.isEmpty() || !finished.isEmpty() ? "running" : "pending";
        }
        if (failed > 0) {
            return "failed";
        }
        return cancelled > 0 ? "cancelled" : "succeeded";
    }

    /**
     * @param why nothing of it runs
     */
    public JobInfo info(String why) {
        return used.shownIn(JobInfo.newBuilder())
                .setHeldBy(isDone() ? "" : heldBy)
                .setId(id)
                .setName(request.getName())
                .setUser(user)
                .setState(state())
                .setTasks(tasks.size())
                .setPending(waiting)
                .setRunning(running.size())
                .setSucceeded(succeeded)
                .setFailed(failed)
                .setCancelled(cancelled)
                .setSubmitted(submitted)
                .setStarted(started)
                .setEnded(isDone() ? ended : 0)
                .setChange(change)
                .setWaiting(why)
                .setSecondAttempts(secondAttempts)
                .setSecondWon(secondWon)
                .setLocalTasks(localTasks)
                .setInputBytesLocal(inputBytesLocal)
                .setInputBytesRemote(inputBytesRemote)
                .build();
    }
}
