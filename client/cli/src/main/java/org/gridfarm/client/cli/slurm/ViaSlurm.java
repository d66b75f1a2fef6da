package org.gridfarm.client.cli.slurm;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.run.Bar;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.TaskEnds;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.job.Halt;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskUsage;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs the tasks of a job in Slurm: submits them as arrays, one for each node that they prefer,
 * looks how they do until all are over, and begins those anew that failed or were lost. What it
 * asks Slurm about stands in {@link SlurmTask}; how a task ended and what it printed stands in the
 * {@link Spool}.
 *
 * <p>For one thread, but for {@link #cancel}.
 */
final class ViaSlurm {
    private static final long PAUSE_MIN_MILLIS = 250;
    private static final long PAUSE_MAX_MILLIS = 5_000;
    private static final long LIVE_PAUSE_MAX_MILLIS = 500;

    /** Of the time that has passed since anything changed. */
    private static final double PAUSE_SHARE = 0.1;

    /** Slurm has a limit for all jobs of all users, 10,000 by default. */
    private static final int IN_SLURM_MAX = 5_000;

    private static final int LOST_MAX = 10;
    private static final int NOTHING_WRITTEN = 73;

    private final Gridfarm farm;
    private final Slurm slurm;
    private final SubmitJobRequest job;
    private final List<ViaTask> tasks;
    private final JobRun.Manner manner;
    private final SlurmArrays arrays;
    private final Spool spool;
    private final TaskEnds ends;
    private final Halt halt;
    private final @Nullable Bar bar;
    private final @Nullable LiveOutput live;
    private final Semaphore woken = new Semaphore(0);
    private final JobInfo.Builder counts = JobInfo.newBuilder();
    private volatile boolean isCancelled;
    private Halt.When stop = Halt.When.NEVER;
    private String said = "";
    private double taskMillis; // of those that have ended, in all
    private int measured;

    ViaSlurm(
            Gridfarm farm,
            Slurm slurm,
            SubmitJobRequest job,
            List<ViaTask> tasks,
            List<JobRun.Task> shown,
            JobRun.Manner manner,
            SlurmArrays arrays,
            Spool spool) {
        this.farm = farm;
        this.slurm = slurm;
        this.job = job;
        this.tasks = tasks;
        this.manner = manner;
        this.arrays = arrays;
        this.spool = spool;
        this.ends = new TaskEnds(spool, shown.toArray(JobRun.Task[]::new), manner);
        this.halt = Halt.of(job.getHalt());
        this.bar = manner.bar() ? new Bar() : null;
        boolean isLive = tasks.size() == 1 && !manner.isQuiet() && manner.results() == null;
        this.live = isLive ? new LiveOutput(spool, 0) : null;
        counts.setName(job.getName())
                .setUser(farm.user())
                .setTasks(tasks.size())
                .setSubmitted(System.currentTimeMillis());
    }

    /** From any thread: ends all tasks; {@link #await} returns when they have ended. */
    void cancel() {
        isCancelled = true;
        slurm.cancel(arrays.name(), false);
        woken.release();
    }

    /** The exit status, as of {@link TaskEnds#status()}. */
    int await(Consumer<JobInfo> end) throws IOException, InterruptedException {
        long changed = System.nanoTime();
        while (counts.getSucceeded() + counts.getFailed() + counts.getCancelled() < tasks.size()) {
            boolean hasChanged = round();
            if (bar != null) {
                bar.show(info());
            }
            long now = System.nanoTime();
            changed = hasChanged ? now : changed;
            pause(TimeUnit.NANOSECONDS.toMillis(now - changed));
        }
        if (bar != null) {
            bar.end();
        }
        counts.setEnded(System.currentTimeMillis())
                .setState(counts.getSucceeded() == tasks.size() ? "succeeded" : "failed");
        end.accept(info());
        return isCancelled ? Exit.INTERRUPTED.code() : ends.status();
    }

    private void pause(long unchanged) throws InterruptedException {
        long most = live != null ? LIVE_PAUSE_MAX_MILLIS : PAUSE_MAX_MILLIS;
        long millis = Math.clamp((long) (unchanged * PAUSE_SHARE), PAUSE_MIN_MILLIS, most);
        if (woken.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
            woken.drainPermits();
        }
    }

    /** Whether anything is otherwise than before. While Slurm does not answer, nothing is. */
    private boolean round() throws IOException {
        boolean isChanged = false;
        try {
            if (isCancelled || stop == Halt.When.NOW) {
                slurm.cancel(arrays.name(), false); // also what was just being submitted
            } else if (stop == Halt.When.SOON) {
                slurm.cancel(arrays.name(), true);
            }
            isChanged = isStopped() ? giveUpWaiting() : submit();
            Map<String, SlurmTask> known = slurm.tasks(arrays.name());
            for (ViaTask task : tasks) {
                if (task.isInSlurm()) {
                    isChanged |= look(task, Optional.ofNullable(known.get(task.slurmId)));
                }
            }
            if (!isStopped()) {
                arrays.spill(tasks, measured == 0 ? 0 : taskMillis / measured);
            }
            said = "";
        } catch (FarmException e) {
            if (e.kind().retry() == Retry.NEVER || counts.getStarted() == 0) {
                throw e;
            }
            tell(e);
        }
        if (live != null && tasks.getFirst().phase == ViaTask.Phase.RUNNING) {
            live.more(tasks.getFirst().attempt());
        }
        return isChanged;
    }

    /** Once for each reason: the tasks go on without us, and Slurm and the farm are asked again. */
    private void tell(FarmException failure) {
        String why = String.valueOf(failure.getMessage());
        if (!why.equals(said)) {
            said = why;
            Failures.report(failure);
        }
    }

    private boolean isStopped() {
        return isCancelled || stop != Halt.When.NEVER;
    }

    /** What Slurm never saw, or sees no more. */
    private boolean giveUpWaiting() {
        boolean isChanged = false;
        for (ViaTask task : tasks) {
            if (task.phase == ViaTask.Phase.HERE) {
                cancelled(task);
                isChanged = true;
            }
        }
        return isChanged;
    }

    private boolean submit() throws IOException {
        int most = IN_SLURM_MAX;
        if (job.getParallelMax() > 0) {
            most = Math.min(most, job.getParallelMax());
        }
        int inSlurm = (int) tasks.stream().filter(ViaTask::isInSlurm).count();
        Map<String, List<ViaTask>> ready = new LinkedHashMap<>();
        for (ViaTask task : tasks) {
            if (task.phase == ViaTask.Phase.HERE) {
                ready.computeIfAbsent(task.preferred, _ -> new ArrayList<>()).add(task);
            }
        }
        boolean isChanged = false;
        while (inSlurm < most && !ready.isEmpty()) {
            int share = Math.max(1, (most - inSlurm) / ready.size());
            for (String node : List.copyOf(ready.keySet())) {
                List<ViaTask> queue = ready.getOrDefault(node, List.of());
                int count = Math.min(Math.min(share, queue.size()), most - inSlurm);
                if (count > 0) {
                    List<ViaTask> chunk = queue.subList(0, Math.min(count, arrays.arraySizeMax()));
                    inSlurm += chunk.size();
                    String id = arrays.submit(List.copyOf(chunk));
                    submitted(id);
                    chunk.clear();
                    isChanged = true;
                }
                if (queue.isEmpty()) {
                    ready.remove(node);
                }
            }
        }
        return isChanged;
    }

    private void submitted(String array) {
        if (counts.getStarted() == 0) {
            counts.setId(Long.parseLong(array)).setStarted(System.currentTimeMillis());
        }
    }

    private boolean look(ViaTask task, Optional<SlurmTask> known) throws IOException {
        ViaTask.Phase before = task.phase;
        if (known.isPresent() && !known.get().isOver()) {
            SlurmTask seen = known.get();
            task.restarts = seen.restarts();
            task.phase = seen.isWaiting() ? ViaTask.Phase.QUEUED : ViaTask.Phase.RUNNING;
            if (task.phase == ViaTask.Phase.QUEUED) {
                task.started = 0;
            } else if (task.started == 0) {
                task.started = System.currentTimeMillis();
                task.node = arrays.farmNode(seen.node());
            }
            return task.phase != before;
        }
        known.ifPresent(seen -> {
            task.restarts = seen.restarts();
            task.node = arrays.farmNode(seen.node());
        });
        Optional<Spool.End> end = spool.end(task.index, task.attempt());
        Outcome outcome = Outcome.of(known, end, job.getTimeoutMillis());
        // Slurm drops at once what was cancelled before it began.
        boolean isCancelledThere = known.isEmpty() || known.get().state().equals("CANCELLED");
        if (end.isEmpty() && isStopped() && isCancelledThere) {
            cancelled(task);
        } else if (outcome.isLost() && task.lost < LOST_MAX && !isStopped()) {
            task.lost++;
            task.takeBack();
        } else if (outcome.status() != 0 && task.failures < job.getRetries() && !isStopped()) {
            task.failures++;
            task.takeBack();
        } else {
            ended(task, outcome, end);
        }
        return true;
    }

    private void cancelled(ViaTask task) {
        boolean wasBegun = task.started != 0 || task.begun > 0;
        task.out.ifPresent(out -> out.discard(farm, task.attempt()));
        TaskInfo.Builder info =
                task.info()
                        .setState("cancelled")
                        .setReason("cancelled")
                        .setExitCode(wasBegun ? Exit.INTERRUPTED.code() : 0)
                        .setAttempts(wasBegun ? task.attempt() : 0)
                        .setStarted(task.started)
                        .setEnded(System.currentTimeMillis());
        over(task, info);
        counts.setCancelled(counts.getCancelled() + 1);
    }

    private void ended(ViaTask task, Outcome outcome, Optional<Spool.End> end) {
        int attempt = task.attempt();
        Outcome last = outcome;
        if (task.out.isPresent()) {
            last = publish(task, task.out.get(), outcome);
        }
        long now = System.currentTimeMillis();
        end.ifPresent(of -> {
            task.node = of.node();
            taskMillis += of.ended() - of.started();
            measured++;
        });
        boolean isGood = last.status() == 0;
        TaskInfo.Builder info =
                task.info()
                        .setState(isGood ? "succeeded" : "failed")
                        .setReason(last.reason())
                        .setExitCode(last.status())
                        .setSignal(last.signal())
                        .setAttempts(attempt)
                        .setFailures(task.failures)
                        .setStarted(end.map(Spool.End::started).orElse(task.started))
                        .setEnded(end.map(Spool.End::ended).orElse(now))
                        .setUsage(
                                TaskUsage.newBuilder()
                                        .setCpuMicros(end.map(Spool.End::cpuMicros).orElse(0L)));
        over(task, info);
        if (isGood) {
            counts.setSucceeded(counts.getSucceeded() + 1);
        } else {
            counts.setFailed(counts.getFailed() + 1);
        }
        if (stop == Halt.When.NEVER
                && halt.isReached(counts.getFailed(), counts.getSucceeded(), tasks.size())) {
            stop = halt.when();
            woken.release();
        }
    }

    private Outcome publish(ViaTask task, Publishing out, Outcome outcome) {
        try {
            if (outcome.status() != 0) {
                out.discard(farm, task.attempt());
            } else if (!out.publish(farm, task.attempt(), task.attempt())) {
                return new Outcome(false, NOTHING_WRITTEN, "nothing was written to $GF_OUT");
            }
            return outcome;
        } catch (FarmException e) {
            return outcome.status() != 0
                    ? outcome
                    : new Outcome(
                            false,
                            NOTHING_WRITTEN,
                            "its output is not in its place: " + e.getMessage());
        }
    }

    private void over(ViaTask task, TaskInfo.Builder info) {
        if (info.getAttempts() > 0) {
            info.setStdoutBytes(spool.size(task.index, info.getAttempts(), false))
                    .setStderrBytes(spool.size(task.index, info.getAttempts(), true));
        }
        task.phase = ViaTask.Phase.OVER;
        if (!task.node.isEmpty()) {
            count(info);
        }
        LiveOutput printed = info.getAttempts() > 0 ? live : null;
        if (printed != null) {
            printed.more(info.getAttempts());
        }
        ends.ended(info.build(), printed != null);
    }

    private void count(TaskInfo.Builder ran) {
        long local = ran.getInputBytesLocal();
        counts.setInputBytesLocal(counts.getInputBytesLocal() + local)
                .setInputBytesRemote(counts.getInputBytesRemote() + ran.getInputBytes() - local)
                .setLocalTasks(counts.getLocalTasks() + (ran.getLocality().equals("local") ? 1 : 0))
                .setCpuMicros(counts.getCpuMicros() + ran.getUsage().getCpuMicros());
    }

    private JobInfo info() {
        Map<ViaTask.Phase, Integer> phases = new HashMap<>();
        tasks.forEach(task -> phases.merge(task.phase, 1, Integer::sum));
        int running = phases.getOrDefault(ViaTask.Phase.RUNNING, 0);
        return counts.setRunning(running)
                .setPending(tasks.size() - running - phases.getOrDefault(ViaTask.Phase.OVER, 0))
                .build();
    }
}
