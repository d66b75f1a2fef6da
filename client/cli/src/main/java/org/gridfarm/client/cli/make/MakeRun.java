package org.gridfarm.client.cli.make;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.run.Interrupt;
import org.gridfarm.client.cli.run.TaskOutput;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.ListJobsRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs the steps that are out of date: those that are ready become one job, each where its input
 * was written, and what comes ready meanwhile the next one. Whoever is killed, the next run goes on
 * from what is there: outputs appear whole ({@code --out}). For one thread.
 */
public final class MakeRun {
    private static final int WAIT_MILLIS = 4_000;
    private static final int ASKED_AT_ONCE = 64;
    private static final int FAILED_SHOWN_MAX = 100;
    private static final int STEPS_A_JOB_MAX = 10_000;

    /** What ends in this time after another step is gathered for the next job. */
    private static final int GATHERED_MILLIS = 200;

    /**
     * @param name of the jobs, the same whenever this file is run
     * @param atOnceMax steps under way; 0: any number
     * @param stopsAtFailure begins nothing more then
     */
    public record Manner(String name, int atOnceMax, boolean stopsAtFailure) {}

    /** Makes a job of steps. */
    public interface Submitter {
        Submitted submit(List<Step> steps);
    }

    /**
     * @param ended runs when the job is not waited for any more
     */
    public record Submitted(long job, Runnable ended) {}

    private record News(long job, Optional<TaskInfo> ended, Optional<RuntimeException> failure) {}

    private record Under(Step step, Ledger.Made how) {}

    private final Supplier<SchedulerLine> lines;
    private final SchedulerLine scheduler;
    private final Submitter submitter;
    private final Manner manner;
    private final Progress progress;
    private final Freshness freshness;
    private final Ledger ledger;
    private final BlockingQueue<News> news = new LinkedBlockingQueue<>();
    private final Map<Long, List<Under>> jobs = new HashMap<>();
    private final Set<Long> active = ConcurrentHashMap.newKeySet();
    private int underWay;

    MakeRun(
            Supplier<SchedulerLine> lines,
            Submitter submitter,
            Manner manner,
            Progress progress,
            Freshness freshness,
            Ledger ledger) {
        this.lines = lines;
        this.scheduler = lines.get();
        this.submitter = submitter;
        this.manner = manner;
        this.progress = progress;
        this.freshness = freshness;
        this.ledger = ledger;
    }

    /** The exit status: the number of steps that failed, or 130. */
    int run() throws IOException, InterruptedException {
        awaitFormer();
        Interrupt interrupt = Interrupt.cancels("all jobs of " + manner.name(), this::cancel);
        begin();
        while (underWay > 0) {
            News first = news.take();
            take(first);
            News more = news.poll(GATHERED_MILLIS, TimeUnit.MILLISECONDS);
            while (more != null) {
                take(more);
                more = news.poll();
            }
            if (interrupt.isAsked() || manner.stopsAtFailure() && progress.failed() > 0) {
                progress.giveUp();
            }
            begin();
        }
        System.err.println("gf: " + progress.summary());
        return interrupt.isAsked()
                ? Exit.INTERRUPTED.code()
                : Math.min(progress.failed(), FAILED_SHOWN_MAX + 1);
    }

    /** Jobs of a run before whose command was killed go on: they may make what this one would. */
    private void awaitFormer() throws InterruptedException {
        for (JobInfo job :
                scheduler
                        .call(SchedulerMethods.LIST, ListJobsRequest.getDefaultInstance())
                        .getJobsList()) {
            if (job.getName().equals(manner.name())) {
                System.err.println(
                        "gf: waits for job %1$d of a run before (gf job cancel %1$d ends it)"
                                .formatted(job.getId()));
                jobs.put(job.getId(), List.of());
                follow(new Submitted(job.getId(), () -> {}), job.getTasks());
                underWay += job.getTasks();
            }
        }
        while (underWay > 0) {
            News one = news.take();
            one.failure()
                    .ifPresent(failure -> {
                        throw failure;
                    });
            underWay--;
        }
    }

    /** Submits what is ready and out of date. */
    private void begin() {
        while (progress.hasReady()) {
            int room =
                    manner.atOnceMax() == 0
                            ? STEPS_A_JOB_MAX
                            : Math.min(STEPS_A_JOB_MAX, manner.atOnceMax() - underWay);
            if (room <= 0) {
                return;
            }
            List<Step> ready = progress.takeReady(room);
            List<Freshness.Judgement> judged = judged(ready);
            List<Under> stale = new ArrayList<>();
            for (int i = 0; i < ready.size(); i++) {
                if (judged.get(i).stale().isEmpty()) {
                    progress.fresh(ready.get(i));
                } else {
                    stale.add(new Under(ready.get(i), judged.get(i).how()));
                }
            }
            if (!stale.isEmpty()) {
                Submitted job = submitter.submit(stale.stream().map(Under::step).toList());
                jobs.put(job.job(), stale);
                underWay += stale.size();
                follow(job, stale.size());
            }
        }
    }

    /** All of them at once: each costs some calls. */
    private List<Freshness.Judgement> judged(List<Step> steps) {
        Semaphore room = new Semaphore(ASKED_AT_ONCE);
        List<Future<Freshness.Judgement>> asked = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Step step : steps) {
                Optional<Ledger.Made> before = ledger.of(step.output().toString());
                asked.add(
                        threads.submit(() -> {
                            room.acquire();
                            try {
                                return freshness.of(step, before);
                            } finally {
                                room.release();
                            }
                        }));
            }
            List<Freshness.Judgement> judged = new ArrayList<>();
            for (Future<Freshness.Judgement> one : asked) {
                judged.add(one.get());
            }
            return judged;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarmException.of(e, "make", "");
        } catch (ExecutionException e) {
            throw FarmException.of(e, "make", "input");
        }
    }

    private void follow(Submitted submitted, int count) {
        long job = submitted.job();
        active.add(job);
        SchedulerLine line = lines.get();
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        int next = 0;
                        while (next < count) {
                            WaitJobReply reply =
                                    line.call(
                                            SchedulerMethods.WAIT,
                                            WaitJobRequest.newBuilder()
                                                    .setJob(job)
                                                    .setWaitMillis(WAIT_MILLIS)
                                                    .setChange(Long.MAX_VALUE)
                                                    .setFromFinished(next)
                                                    .setWithOutput(true)
                                                    .build());
                            next = reply.getNextFinished();
                            for (TaskInfo task : reply.getFinishedList()) {
                                news.add(new News(job, Optional.of(task), Optional.empty()));
                            }
                        }
                        active.remove(job);
                    } catch (RuntimeException e) {
                        news.add(new News(job, Optional.empty(), Optional.of(e)));
                    } finally {
                        submitted.ended().run();
                    }
                });
    }

    private void take(News one) throws IOException {
        one.failure()
                .ifPresent(failure -> {
                    throw failure;
                });
        TaskInfo task =
                one.ended()
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.INTERNAL, "make", "", "news of nothing"));
        underWay--;
        Under under = jobs.getOrDefault(one.job(), List.of()).get(task.getIndex());
        Step step = under.step();
        TaskOutput output = new TaskOutput(scheduler);
        output.copy(task, false, System.out);
        output.copy(task, true, System.err);
        System.out.flush();
        freshness.forget(step.output());
        if (task.getState().equals("succeeded")) {
            ledger.add(step.output().toString(), under.how());
            progress.made(step);
        } else {
            progress.failed(step);
        }
        if (task.getState().equals("failed")) {
            System.err.println(
                    "gf: %s: not made on %s: %s (gf job log %d.%d)"
                            .formatted(
                                    Output.name(step.output().toString()),
                                    task.getNode().isEmpty() ? "any node" : task.getNode(),
                                    task.getReason(),
                                    one.job(),
                                    task.getIndex() + 1));
        }
    }

    /** By ^C; on another thread. */
    private void cancel() {
        SchedulerLine line = lines.get();
        active.forEach(job ->
                line.call(
                        SchedulerMethods.CANCEL,
                        CancelJobRequest.newBuilder().setJob(job).build()));
    }
}
