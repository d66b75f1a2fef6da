package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.WhyJobReply;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.placement.FairShare;
import org.gridfarm.scheduler.placement.Placed;
import org.gridfarm.scheduler.placement.Round;
import org.gridfarm.scheduler.worker.Farm;
import org.gridfarm.scheduler.worker.Runner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Owns all jobs: locates inputs, places tasks, starts attempts, takes their results. An attempt is
 * started after the row that says so is durable, so a scheduler that starts again asks the same
 * node for the same attempt; a result is told to clients after it is durable.
 *
 * <p>Everything here runs on the event thread; answers of the farm and of nodes come back to it
 * through {@code events}. Whatever goes wrong with one task ends that task and nothing else.
 */
final class Dispatcher {
    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);
    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;
    private static final int COMMAND_NOT_RUN = 126; // as the shell says it
    private static final double MICROS_PER_SECOND = 1e6; // nodes tell times in microseconds
    private static final double NANOS_PER_SECOND = 1e9;

    private final Farm farm;
    private final Runner runner;
    private final Recorder recorder;
    private final Clock clock;
    private final Executor events;
    private final Accounts accounts;
    private final KnownJobs jobs;
    private final Slots slots = new Slots();
    private final FairShare share = new FairShare();
    private final Queue queue = new Queue(share, slots);
    private final Map<String, Long> unreachableSince = new HashMap<>(); // of attempts
    private final List<Runnable> watchers = new ArrayList<>();
    private final Followers followers;
    private final Publisher publisher;
    private final Offers offers;
    private final AttemptCalls calls;
    private final HeldOutput outputs = new HeldOutput();
    private final Locating locating;
    private final Spreading spreading;
    private boolean isPlacing; // soon
    private boolean isTelling; // soon

    Dispatcher(
            Farm farm,
            Runner runner,
            Recorder recorder,
            Clock clock,
            Executor events,
            Accounts accounts,
            JobRoom room,
            Followers.Ends ends) {
        this.farm = farm;
        this.runner = runner;
        this.recorder = recorder;
        this.clock = clock;
        this.events = events;
        this.accounts = accounts;
        this.jobs = new KnownJobs(room);
        this.locating = new Locating(farm, clock, events, accounts, this::guarded, this::placeSoon);
        this.spreading = new Spreading(farm, accounts, slots, clock, events, this::placeSoon);
        this.followers =
                new Followers(
                        jobs,
                        queue,
                        ends,
                        clock,
                        events,
                        (job, why) -> cancel(job, why, SIGTERM),
                        this::placeSoon);
        this.calls = new AttemptCalls(runner, slots);
        this.offers = new Offers(runner, slots, clock, events);
        this.publisher = new Publisher(runner, slots, recorder, clock, events, this::isFirst);
    }

    /** Goes on with jobs read from the table, and begins to watch the nodes. */
    void begin(List<Job> restored) {
        for (Job job : restored) {
            jobs.add(job);
            job.durable();
            for (Task task : job.running()) {
                take(job, task);
                task.second().ifPresent(second -> take(job, second));
            }
        }
        restored.stream().filter(job -> !job.isDone()).forEach(this::admit);
        refreshNodes();
        for (Job job : restored) {
            for (Task task : job.running()) {
                guarded(job, task, () -> attempt(job, task, task.attemptId()));
                task.second()
                        .ifPresent(second ->
                                guarded(job, task, () -> attempt(job, task, second.attemptId())));
            }
        }
    }

    void submitted(long id, String user, SubmitJobRequest request) {
        if (jobs.find(id).isEmpty()) {
            Job job = new Job(id, user, request, nowMillis());
            jobs.add(job);
            if (job.isDone()) {
                recorder.add(
                        Recorder.Entry.of(List.of(), job, () -> events.execute(jobs::forgetOld)));
            } else {
                admit(job);
            }
            placeSoon();
        }
    }

    /** A job that cannot be queued, such as one written by another version, fails alone. */
    private void admit(Job job) {
        try {
            queue.add(job);
            followers.add(job);
        } catch (RuntimeException e) {
            log.error("job {} fails", job.id(), e);
            int before = job.finished().size();
            while (job.hasUntaken()) {
                job.abandon(job.takeNext(), String.valueOf(e.getMessage()), nowMillis());
            }
            recordFinished(job, before);
        }
    }

    Job require(long id) {
        return jobs.require(id);
    }

    Optional<Job> find(long id) {
        return jobs.find(id);
    }

    KnownJobs jobs() {
        return jobs;
    }

    JobFigures figures() {
        return JobFigures.of(jobs.all(), slots);
    }

    /** With what it waits for, as of now. */
    JobInfo info(Job job) {
        return job.info(job.runningCount() > 0 ? "" : queue.why(job, nowSeconds()));
    }

    void requireRunnable(NodePattern on, Needs needs, int mostSlots) {
        slots.requireNode(on);
        slots.requireRoom(on, needs, mostSlots);
    }

    /** Nothing more of it starts; or, for nobody, it goes on. Written down by the caller. */
    void hold(Job job, String who) {
        job.hold(who);
        changed();
        placeSoon();
    }

    WhyJobReply why(Job job, int number) {
        return new Reasons(slots, queue, nowSeconds()).of(job, number);
    }

    /** Beside starting them. */
    AttemptCalls calls() {
        return calls;
    }

    /** Of each user, to be written down. */
    Map<String, Double> shares() {
        return share.used(nowSeconds());
    }

    /** As they were written down so long ago. */
    void restoreShares(Map<String, Double> used, double ageSeconds) {
        used.forEach((user, had) -> share.restore(user, had, ageSeconds, nowSeconds()));
    }

    void cancel(Job job, String why, int signal) {
        int before = job.finished().size();
        job.cancel(why, nowMillis());
        recordFinished(job, before);
        job.running().forEach(task -> calls.kill(task, signal));
    }

    /** Runs after every change that clients may see. */
    void onChange(Runnable watcher) {
        watchers.add(watcher);
    }

    private void refreshNodes() {
        CompletableFuture.completedFuture(farm)
                .thenCompose(Farm::nodes)
                .whenCompleteAsync(
                        (list, failure) -> {
                            if (failure == null) {
                                slots.learn(list);
                                offers.ask(this::placeSoon);
                                place();
                                speculate();
                            } else {
                                log.debug("nodes are not known: {}", failure.getMessage());
                            }
                        },
                        events)
                .whenCompleteAsync(
                        (_, failure) -> {
                            if (failure != null) {
                                log.debug("nodes are asked for again: {}", failure.toString());
                            }
                            clock.after(
                                    Limits.NODES_EVERY, () -> events.execute(this::refreshNodes));
                        },
                        events);
    }

    /** Once, after whatever else the event thread has before it. */
    private void placeSoon() {
        if (!isPlacing) {
            isPlacing = true;
            events.execute(() -> {
                isPlacing = false;
                place();
            });
        }
    }

    private void place() {
        List<Queue.Waiting> inOrder = queue.inOrder(nowSeconds());
        locating.fill(inOrder);
        spreading.look(inOrder);
        Round round = new Round(slots.usable());
        Set<Queue.Waiting> passed = new HashSet<>();
        Optional<Queue.Next> next = queue.large().start(round, nowSeconds());
        next.ifPresent(this::start);
        do {
            next = round.hasFree() ? queue.next(round, passed, nowSeconds()) : Optional.empty();
            next.ifPresent(this::start);
        } while (next.isPresent());
        queue.large().reserve(queue.inOrder(nowSeconds()), nowSeconds());
    }

    private void start(Queue.Next next) {
        Queue.Waiting of = next.of();
        guarded(of.job, next.placed().task(), () -> start(of.job, next.placed()));
        locating.fill(of);
    }

    /** A defect that one task brings to light is that task's failure. */
    private void guarded(Job job, Task task, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            String why = String.valueOf(e.getMessage());
            if (!(e instanceof FarmException)) {
                log.error("task {}.{} fails", job.id(), task.index(), e);
                why = "the scheduler cannot go on with it: " + e;
            }
            if (task.state() == TaskState.RUNNING) {
                ended(job, task, failure(why));
            } else if (task.state() == TaskState.PENDING) {
                int before = job.finished().size();
                queue.find(job).ifPresent(waiting -> waiting.backlog.remove(task));
                job.abandon(task, why, nowMillis());
                recordFinished(job, before);
            }
        }
    }

    private static RunTaskReply failure(String why) {
        return RunTaskReply.newBuilder().setExitCode(COMMAND_NOT_RUN).setFailure(why).build();
    }

    private void take(Job job, Task attempt) {
        slots.take(attempt, Needs.of(job.request()), nowSeconds());
        share.started(job.user(), attempt.slots(), nowSeconds());
    }

    private void start(Job job, Placed<Task> placed) {
        Task task = placed.task();
        job.start(task, placed.node(), placed.locality(), nowMillis());
        queue.find(job).ifPresent(queue::update);
        begin(job, task, task);
    }

    /** The task itself, or its second attempt. */
    private void begin(Job job, Task task, Task one) {
        take(job, one);
        String id = one.attemptId();
        recorder.add(
                Recorder.Entry.of(
                        List.of(task),
                        job,
                        () ->
                                events.execute(
                                        () -> guarded(job, task, () -> attempt(job, task, id)))));
        changed();
    }

    /** In slots that are left when everybody has been served. */
    private void speculate() {
        Speculation speculation = new Speculation(slots);
        Round round = new Round(slots.usable());
        queue.large().start(round, nowSeconds()).ifPresent(this::start);
        for (Job job : jobs.all()) {
            Optional<Speculation.Found> found = speculation.next(job, round, nowMillis());
            while (found.isPresent()) {
                Task task = found.get().task();
                Placed<Task> placed = found.get().placed();
                begin(
                        job,
                        task,
                        job.startSecond(task, placed.node(), placed.locality(), nowMillis()));
                found = speculation.next(job, round, nowMillis());
            }
        }
    }

    private void attempt(Job job, Task task, String id) {
        Optional<Task> known = task.attempt(id);
        if (known.isEmpty()) {
            release(job, id); // another one was first
            return;
        }
        Task one = known.get();
        String address = slots.address(one.node());
        if (address.isEmpty() && !one.isPublishing()) {
            nodeAway(job, task, one, "node " + one.node() + " is not known");
            return;
        }
        accounts.of(job.user())
                .whenCompleteAsync(
                        (account, failure) ->
                                guarded(
                                        job,
                                        task,
                                        () -> {
                                            if (failure == null) {
                                                run(job, task, one, address, account);
                                            } else {
                                                calls.kill(task, SIGKILL); // of before a restart
                                                outcome(
                                                        job,
                                                        task,
                                                        id,
                                                        failure(reason(id, failure).getMessage()));
                                            }
                                        }),
                        events);
    }

    private void run(Job job, Task task, Task one, String address, Accounts.Account account) {
        String id = one.attemptId();
        locals(one, account)
                .thenComposeAsync(
                        locals ->
                                task.attempt(id).isPresent()
                                        ? publisher.run(address, job, one, account, locals)
                                        : CompletableFuture.completedFuture(
                                                failure("another attempt was first")),
                        events)
                .whenCompleteAsync(
                        (reply, failure) ->
                                guarded(
                                        job,
                                        task,
                                        () -> {
                                            if (failure == null) {
                                                outcome(job, task, id, reply);
                                            } else {
                                                notRun(job, task, id, reason(id, failure));
                                            }
                                        }),
                        events);
    }

    /** An attempt has ended. Of two it is the first that succeeds, or else the last that counts. */
    private void outcome(Job job, Task task, String id, RunTaskReply reply) {
        Optional<Task> one = task.attempt(id);
        if (one.isEmpty()) {
            release(job, id);
            placeSoon();
            return;
        }
        boolean isGood = reply.getExitCode() == 0 && reply.getFailure().isEmpty();
        if (task.second().isPresent() && !isGood && job.halted().isEmpty()) {
            drop(job, task, one.get(), "failed");
        } else {
            settle(job, task, one.get());
            ended(job, task, reply);
        }
    }

    /** Another attempt of the task goes on. */
    private void drop(Job job, Task task, Task one, String why) {
        release(job, one.attemptId());
        job.settle(task, one == task ? task.second().orElseThrow() : task, why);
        recorder.add(Recorder.Entry.of(List.of(task), job, () -> {}));
        changed();
        placeSoon();
    }

    /** This attempt counts; the other one, if there is one, is ended. */
    private void settle(Job job, Task task, Task one) {
        task.second()
                .ifPresent(second -> {
                    calls.killOne(one == task ? second : task, SIGKILL);
                    job.settle(task, one, "was slower");
                });
    }

    private boolean isFirst(Job job, Task task, String id) {
        Optional<Task> one = task.attempt(id);
        one.ifPresent(first -> settle(job, task, first));
        return one.isPresent();
    }

    private CompletableFuture<List<LocalInput>> locals(Task task, Accounts.Account account) {
        List<ByteString> wanted = task.spec().getLocalsList();
        return wanted.isEmpty() || task.isPublishing()
                ? CompletableFuture.completedFuture(List.of())
                : farm.locals(account.credentials(), wanted, task.node());
    }

    private static FarmException reason(String attempt, Throwable failure) {
        return FarmException.of(failure, "run task", attempt);
    }

    private void notRun(Job job, Task task, String id, FarmException failure) {
        Optional<Task> one = task.attempt(id);
        if (one.isEmpty()) {
            release(job, id);
            placeSoon();
            return;
        }
        switch (failure.kind()) {
            case DISCONNECTED, TIMED_OUT, UNAVAILABLE, NOT_READY ->
                    nodeAway(job, task, one.get(), failure.getMessage());
            case OVERLOADED, BUSY -> giveBack(job, task, one.get(), failure.getMessage());
            default -> outcome(job, task, id, failure(failure.getMessage()));
        }
    }

    /**
     * The node may come back with the attempt still running: ask again for a while before another
     * node gets the task.
     */
    private void nodeAway(Job job, Task task, Task one, String why) {
        long now = clock.nanoTime();
        String id = one.attemptId();
        long since = unreachableSince.computeIfAbsent(id, _ -> now);
        if (now - since < Limits.NODE_LOST_AFTER.toNanos()) {
            clock.after(
                    Limits.RETRY_AFTER,
                    () -> events.execute(() -> guarded(job, task, () -> attempt(job, task, id))));
            return;
        }
        log.warn("task {} is taken from {}: {}", id, one.node(), why);
        giveBack(job, task, one, "node " + one.node() + " was lost");
    }

    private void giveBack(Job job, Task task, Task one, String why) {
        if (task.second().isPresent()) {
            drop(job, task, one, "was given up: " + why);
            return;
        }
        release(job, task.attemptId());
        int before = job.finished().size();
        job.giveBack(task, why, nowMillis());
        again(job, task);
        recordFinished(job, before);
        placeSoon();
    }

    /** If it waits for another attempt. */
    private void again(Job job, Task task) {
        if (task.state() == TaskState.PENDING) {
            queue.add(job);
            recorder.add(Recorder.Entry.of(List.of(task), job, () -> {}));
        }
    }

    private void ended(Job job, Task task, RunTaskReply reply) {
        release(job, task.attemptId());
        if (reply.getEnded() > reply.getStarted() && reply.getStarted() > 0) {
            queue.ran(job, (reply.getEnded() - reply.getStarted()) / MICROS_PER_SECOND);
        }
        int before = job.finished().size();
        boolean killOthers = job.finish(task, reply, nowMillis());
        again(job, task);
        recordFinished(job, before);
        if (killOthers) {
            job.running().forEach(other -> calls.kill(other, SIGTERM));
        }
        placeSoon();
    }

    /** Writes down the tasks that ended since; clients hear of it when it is durable. */
    private void recordFinished(Job job, int from) {
        List<Task> ended = List.copyOf(job.finished().subList(from, job.finished().size()));
        if (!ended.isEmpty()) {
            int upTo = job.finished().size();
            recorder.add(
                    Recorder.Entry.of(
                            ended.stream().filter(task -> task.attempts() > 0).toList(),
                            job,
                            () ->
                                    events.execute(() -> {
                                        job.durable(upTo);
                                        outputs.hold(ended);
                                        changed();
                                        if (job.isTold()) {
                                            events.execute(jobs::forgetOld); // after clients heard
                                        }
                                    })));
        }
        if (!job.hasPending()) {
            queue.find(job).ifPresent(queue::update);
        }
        if (job.isDone()) {
            queue.remove(job);
            spreading.end(job);
            followers.ended(job);
            placeSoon();
        }
    }

    private void release(Job job, String attempt) {
        int count = slots.giveBack(attempt);
        if (count > 0) {
            share.ended(job.user(), count, nowSeconds());
        }
        unreachableSince.remove(attempt);
    }

    /** Once for all that the event thread has before it. */
    private void changed() {
        if (!isTelling) {
            isTelling = true;
            events.execute(() -> {
                isTelling = false;
                tell();
            });
        }
    }

    private void tell() {
        for (Runnable watcher : watchers) {
            try {
                watcher.run();
            } catch (RuntimeException e) {
                log.error("telling clients", e);
            }
        }
    }

    private double nowSeconds() {
        return clock.nanoTime() / NANOS_PER_SECOND;
    }

    private long nowMillis() {
        return clock.now().toEpochMilli();
    }
}
