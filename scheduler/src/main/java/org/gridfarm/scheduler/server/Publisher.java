package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.placement.NodeSlots;
import org.gridfarm.scheduler.worker.Runner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Runs an attempt and then publishes what it left, or discards it ({@link Publication}). That an
 * attempt is published is durable before it begins: from then on no other attempt is started, and
 * whoever leads brings it to its end, on another node if need be. So one attempt's output appears,
 * and never that of a second one.
 *
 * <p>Called on the event thread.
 */
final class Publisher {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);
    private static final int NOT_PUBLISHED = 73; // EX_CANTCREAT

    private final Runner runner;
    private final Slots slots;
    private final Recorder recorder;
    private final Clock clock;
    private final Executor events;
    private final Judge judge;

    Publisher(
            Runner runner,
            Slots slots,
            Recorder recorder,
            Clock clock,
            Executor events,
            Judge judge) {
        this.runner = runner;
        this.slots = slots;
        this.recorder = recorder;
        this.clock = clock;
        this.events = events;
        this.judge = judge;
    }

    /** Says which of the attempts of a task counts. */
    interface Judge {
        /** This one, which has succeeded; false if another one was before it. */
        boolean isFirst(Job job, Task task, String attempt);
    }

    /**
     * As {@link Runner#run}; a success is told when the output is where it belongs.
     *
     * @param one the task itself, or its second attempt
     */
    CompletableFuture<RunTaskReply> run(
            String address, Job job, Task one, Accounts.Account account, List<LocalInput> locals) {
        Task task = job.tasks().get(one.index());
        RunTaskRequest attempt = Attempt.request(job, one, account, locals);
        Optional<Publication> wanted = Publication.of(task.spec());
        if (wanted.isEmpty()) {
            return runner.run(address, attempt);
        }
        Publication publication = wanted.get();
        if (task.isPublishing()) { // a scheduler before this one had begun
            return publish(publication, attempt, task, task.ran());
        }
        return runner.run(address, publication.prepared(attempt))
                .thenComposeAsync(
                        reply -> {
                            if (!isGood(reply)) {
                                return discard(publication, address, attempt, task, reply);
                            }
                            return judge.isFirst(job, task, attempt.getTask())
                                    ? intend(job, task, reply)
                                            .thenComposeAsync(
                                                    _ -> publish(publication, attempt, task, reply),
                                                    events)
                                    : discard(publication, address, attempt, task, reply);
                        },
                        events);
    }

    private static boolean isGood(RunTaskReply reply) {
        return reply.getExitCode() == 0 && reply.getFailure().isEmpty();
    }

    private CompletableFuture<Boolean> intend(Job job, Task task, RunTaskReply reply) {
        task.publish(reply);
        CompletableFuture<Boolean> durable = new CompletableFuture<>();
        recorder.add(Recorder.Entry.of(List.of(task), job, () -> durable.complete(true)));
        return durable;
    }

    private CompletableFuture<RunTaskReply> publish(
            Publication publication, RunTaskRequest attempt, Task task, RunTaskReply reply) {
        CompletableFuture<RunTaskReply> outcome = new CompletableFuture<>();
        long since = clock.nanoTime();
        untilRun(publication.published(attempt), task, since, 0, outcome);
        return outcome.thenComposeAsync(
                published -> {
                    if (isGood(published)) {
                        return CompletableFuture.completedFuture(reply);
                    }
                    String why =
                            published.getFailure().isEmpty()
                                    ? published.getStderr().toStringUtf8().strip()
                                    : published.getFailure();
                    RunTaskReply failed =
                            reply.toBuilder()
                                    .setExitCode(NOT_PUBLISHED)
                                    .setFailure("its output cannot be published: " + why)
                                    .build();
                    return discard(publication, slots.address(task.node()), attempt, task, failed);
                },
                events);
    }

    /** However often nodes are lost: nothing else can bring the task to its end any more. */
    private void untilRun(
            RunTaskRequest request,
            Task task,
            long since,
            int tries,
            CompletableFuture<RunTaskReply> outcome) {
        boolean isLost = clock.nanoTime() - since >= Limits.NODE_LOST_AFTER.toNanos();
        String own = slots.address(task.node());
        String address = isLost || own.isEmpty() ? another(task.node(), tries, own) : own;
        CompletableFuture<RunTaskReply> run =
                address.isEmpty()
                        ? CompletableFuture.failedFuture(new IllegalStateException("no node is up"))
                        : runner.run(address, request);
        run.whenCompleteAsync(
                (reply, failure) -> {
                    if (failure == null) {
                        outcome.complete(reply);
                        return;
                    }
                    LOG.debug("{} is tried again: {}", request.getTask(), failure.getMessage());
                    clock.after(
                            Limits.RETRY_AFTER,
                            () ->
                                    events.execute(() ->
                                            untilRun(request, task, since, tries + 1, outcome)));
                },
                events);
    }

    /** One node after another. */
    private String another(String than, int tries, String own) {
        List<String> names =
                slots.usable().stream()
                        .map(NodeSlots::name)
                        .filter(name -> !name.equals(than))
                        .sorted()
                        .toList();
        return names.isEmpty() ? own : slots.address(names.get(tries % names.size()));
    }

    /** The task has its outcome whether this works or not; a later attempt removes it as well. */
    private CompletableFuture<RunTaskReply> discard(
            Publication publication,
            String address,
            RunTaskRequest attempt,
            Task task,
            RunTaskReply reply) {
        if (address.isEmpty()) {
            return CompletableFuture.completedFuture(reply);
        }
        boolean isAlone = task.attempt(attempt.getTask()).isPresent() && task.second().isEmpty();
        return runner.run(
                        address,
                        isAlone
                                ? publication.discarded(attempt)
                                : publication.discardedOwn(attempt))
                .handle((removed, failure) -> {
                    if (failure != null || !isGood(removed)) {
                        LOG.warn(
                                "what attempt {} left is not removed: {}",
                                attempt.getTask(),
                                failure == null
                                        ? removed.getStderr().toStringUtf8().strip()
                                        : FarmException.of(failure, "run task", attempt.getTask())
                                                .getMessage());
                    }
                    return reply;
                });
    }
}
