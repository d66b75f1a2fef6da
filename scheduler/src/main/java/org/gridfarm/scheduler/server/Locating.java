package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.placement.Candidate;
import org.gridfarm.scheduler.worker.Farm;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Where the input of waiting tasks lies: asked for before they can be placed. On the event thread.
 */
final class Locating {
    /** Whatever goes wrong in a step ends its task and nothing else. */
    interface Guard {
        void run(Job job, Task task, Runnable step);
    }

    private final Farm farm;
    private final Clock clock;
    private final Executor events;
    private final Accounts accounts;
    private final Guard guard;
    private final Runnable located;
    private int asked; // tasks

    /**
     * @param located runs when something more can be placed
     */
    Locating(
            Farm farm,
            Clock clock,
            Executor events,
            Accounts accounts,
            Guard guard,
            Runnable located) {
        this.farm = farm;
        this.clock = clock;
        this.events = events;
        this.accounts = accounts;
        this.guard = guard;
        this.located = located;
    }

    /** In this order, as many as may be asked for at once. */
    void fill(List<Queue.Waiting> inOrder) {
        for (Queue.Waiting waiting : inOrder) {
            if (asked >= Limits.LOCATING_MAX) {
                break;
            }
            fill(waiting);
        }
    }

    /** Hands tasks of a job to its backlog, as far as a window goes. */
    void fill(Queue.Waiting waiting) {
        Job job = waiting.job;
        while (waiting.before.isEmpty()
                && job.hasUntaken()
                && asked < Limits.LOCATING_MAX
                && waiting.backlog.size() + waiting.locating.size() < Limits.WINDOW_TASKS) {
            Task task = job.takeNext();
            guard.run(
                    job,
                    task,
                    () -> {
                        Map<String, Long> holders = task.holders();
                        if (holders == null) {
                            locate(waiting, task);
                        } else {
                            wait(waiting, task, holders);
                        }
                    });
        }
    }

    private static void wait(Queue.Waiting waiting, Task task, Map<String, Long> holders) {
        waiting.backlog.add(new Candidate<>(task, task.slots(), task.inputBytes(), holders));
    }

    private void locate(Queue.Waiting waiting, Task task) {
        waiting.locating.add(task);
        asked++;
        CompletableFuture.completedFuture(waiting.job.user())
                .thenCompose(accounts::of)
                .thenCompose(account ->
                        farm.holdings(account.credentials(), task.spec().getInputsList()))
                .whenCompleteAsync(
                        (holdings, failure) -> {
                            asked--;
                            waiting.locating.remove(task);
                            guard.run(
                                    waiting.job,
                                    task,
                                    () -> located(waiting, task, holdings, failure));
                            located.run();
                        },
                        events);
    }

    private void located(
            Queue.Waiting waiting,
            Task task,
            Farm.@Nullable Holdings holdings,
            @Nullable Throwable failure) {
        if (task.state() != TaskState.PENDING) {
            return;
        }
        if (holdings != null) {
            waiting.problem = "";
            waiting.job.locate(task, holdings.bytesByNode(), holdings.totalBytes());
            wait(waiting, task, holdings.bytesByNode());
            return;
        }
        FarmException reason =
                FarmException.of(
                        failure == null ? new IllegalStateException("no answer") : failure,
                        "locate",
                        "input");
        String why = "its input cannot be located: " + reason.getMessage();
        if (reason.kind().retry() == Retry.NEVER && reason.kind() != ErrorKind.SESSION_ENDED) {
            throw new FarmException(reason.kind(), "run", "task", why);
        }
        waiting.problem = why;
        clock.after(
                Limits.RETRY_AFTER,
                () ->
                        events.execute(() ->
                                guard.run(
                                        waiting.job,
                                        task,
                                        () -> {
                                            if (task.state() == TaskState.PENDING) {
                                                locate(waiting, task);
                                            }
                                        })));
    }
}
