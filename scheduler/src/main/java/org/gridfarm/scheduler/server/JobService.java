package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Audit;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.After;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.DelegationKeyReply;
import org.gridfarm.protocol.wire.DelegationKeyRequest;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.HoldJobRequest;
import org.gridfarm.protocol.wire.JobReply;
import org.gridfarm.protocol.wire.JobRequest;
import org.gridfarm.protocol.wire.JobUsageReply;
import org.gridfarm.protocol.wire.JobUsageRequest;
import org.gridfarm.protocol.wire.ListJobsReply;
import org.gridfarm.protocol.wire.ListJobsRequest;
import org.gridfarm.protocol.wire.RenewDelegationRequest;
import org.gridfarm.protocol.wire.RetryJobRequest;
import org.gridfarm.protocol.wire.SubmitJobReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskInputReply;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.gridfarm.protocol.wire.TaskOutputReply;
import org.gridfarm.protocol.wire.TaskOutputRequest;
import org.gridfarm.protocol.wire.UsageReply;
import org.gridfarm.protocol.wire.UsageRequest;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;
import org.gridfarm.protocol.wire.WhyJobReply;
import org.gridfarm.protocol.wire.WhyJobRequest;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.queue.JobStore;
import org.gridfarm.scheduler.queue.JobStore.KeptProxy;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Answers clients. Jobs belong to their user: others see that they exist and how far they are
 * ({@link JobView}), only the owner and administrators may cancel them. Calls come in on network
 * threads and go on on the event thread; the submit waits for the table on a thread of its own.
 */
final class JobService {
    static final int TASKS_PER_PAGE = 1_000;

    private final Dispatcher dispatcher;
    private final JobStore store;
    private final long epoch;
    private final Accounts accounts;
    private final Executor events;
    private final Executor blocking;
    private final Clock clock;
    private final Waiters waiters;
    private final Outputs outputs;
    private final Delegations delegations;
    private final DelegatedRunner runner;
    private final Inputs inputs;

    JobService(
            Dispatcher dispatcher,
            JobStore store,
            long epoch,
            Accounts accounts,
            Executor events,
            Executor blocking,
            Clock clock,
            Delegations delegations,
            DelegatedRunner runner) {
        this.dispatcher = dispatcher;
        this.store = store;
        this.epoch = epoch;
        this.accounts = accounts;
        this.events = events;
        this.blocking = blocking;
        this.clock = clock;
        this.delegations = delegations;
        this.runner = runner;
        this.outputs =
                new Outputs(
                        dispatcher,
                        (job, index) -> store.task(job, index),
                        events,
                        blocking,
                        clock);
        this.inputs = new Inputs(dispatcher, events, clock);
        this.waiters = new Waiters(dispatcher, events, clock, this::recalled);
    }

    void submit(Exchange<SubmitJobRequest, SubmitJobReply> exchange) {
        guard(
                exchange,
                () -> {
                    Submission submission =
                            Submission.of(exchange.peer().identity(), exchange.request());
                    accounts.of(submission.user())
                            .whenCompleteAsync(
                                    (_, failure) ->
                                            guard(
                                                    exchange,
                                                    () -> admit(exchange, submission, failure)),
                                    events);
                });
    }

    private void admit(
            Exchange<SubmitJobRequest, SubmitJobReply> exchange,
            Submission submission,
            @Nullable Throwable noAccount) {
        if (noAccount != null) {
            throw FarmException.of(noAccount, "look up account", submission.user());
        }
        dispatcher.requireRunnable(submission.on(), submission.needs(), submission.mostSlots());
        List<Long> before =
                submission.request().getAfterList().stream().map(After::getJob).toList();
        existing(
                exchange,
                before,
                () -> {
                    long bytes = Job.bytes(submission.request());
                    long number = submission.request().getSubmission();
                    dispatcher.jobs().reserve(submission.user(), number, bytes);
                    blocking.execute(() ->
                            guard(exchange, () -> record(exchange, () -> submission, number)));
                });
    }

    /** The tasks of a job that did not succeed, once more. */
    void retry(Exchange<RetryJobRequest, SubmitJobReply> exchange) {
        known(
                exchange,
                exchange.request().getJob(),
                () -> {
                    Job job = dispatcher.require(exchange.request().getJob());
                    view(exchange.peer().identity(), job).requireOwner("retry job");
                    if (!job.isDone()) {
                        throw new FarmException(
                                ErrorKind.BUSY,
                                "retry job",
                                Long.toString(job.id()),
                                "it has not ended");
                    }
                    Set<Integer> left =
                            job.tasks().stream()
                                    .filter(task -> task.state() != TaskState.SUCCEEDED)
                                    .map(Task::index)
                                    .collect(Collectors.toSet());
                    if (left.isEmpty()) {
                        throw new FarmException(
                                ErrorKind.INVALID,
                                "retry job",
                                Long.toString(job.id()),
                                "all its tasks have succeeded");
                    }
                    long number = exchange.request().getSubmission();
                    dispatcher.jobs().reserve(job.user(), number, job.bytes());
                    blocking.execute(() ->
                            guard(
                                    exchange,
                                    () ->
                                            record(
                                                    exchange,
                                                    () -> again(exchange, job, left),
                                                    number)));
                });
    }

    private Submission again(
            Exchange<RetryJobRequest, SubmitJobReply> exchange, Job job, Set<Integer> left) {
        SubmitJobRequest before =
                store.request(job.id())
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.NOT_FOUND, "job", Long.toString(job.id())));
        SubmitJobRequest.Builder once =
                before.toBuilder()
                        .clearTasks()
                        .clearAfter()
                        .clearHeld()
                        .setSubmission(exchange.request().getSubmission());
        if (exchange.request().hasDelegation()) {
            once.setDelegation(exchange.request().getDelegation());
        }
        left.stream().sorted().forEach(index -> once.addTasks(before.getTasks(index)));
        return Submission.of(exchange.peer().identity(), once.build());
    }

    void job(Exchange<JobRequest, JobReply> exchange) {
        known(exchange, exchange.request().getJob(), () -> exchange.reply(describe(exchange)));
    }

    void list(Exchange<ListJobsRequest, ListJobsReply> exchange) {
        onEvents(
                exchange,
                () -> exchange.reply(list(exchange.peer().identity(), exchange.request())));
    }

    void cancel(Exchange<CancelJobRequest, Empty> exchange) {
        known(exchange, exchange.request().getJob(), () -> exchange.reply(end(exchange)));
    }

    void await(Exchange<WaitJobRequest, WaitJobReply> exchange) {
        known(exchange, exchange.request().getJob(), () -> waiters.park(exchange));
    }

    void output(Exchange<TaskOutputRequest, TaskOutputReply> exchange) {
        known(exchange, exchange.request().getJob(), () -> outputs.answer(exchange));
    }

    void input(Exchange<TaskInputRequest, TaskInputReply> exchange) {
        known(exchange, exchange.request().getJob(), () -> inputs.answer(exchange));
    }

    /** Answered when it is written down. */
    void hold(Exchange<HoldJobRequest, Empty> exchange) {
        known(
                exchange,
                exchange.request().getJob(),
                () -> {
                    Identity asking = exchange.peer().identity();
                    Job job = dispatcher.require(exchange.request().getJob());
                    view(asking, job).requireOwn("hold job");
                    boolean isRelease = exchange.request().getRelease();
                    boolean isOthers = job.isHeld() && !job.heldBy().equals(asking.user());
                    if (isRelease && isOthers && !asking.isAdmin()) {
                        throw new FarmException(
                                ErrorKind.NOT_PERMITTED,
                                "release job",
                                Long.toString(job.id()),
                                "it is held by " + job.heldBy() + ": ask there");
                    }
                    if (job.isDone()) {
                        throw new FarmException(
                                ErrorKind.INVALID,
                                isRelease ? "release job" : "hold job",
                                Long.toString(job.id()),
                                "it has ended: " + job.state());
                    }
                    String who = isRelease ? "" : asking.user();
                    blocking.execute(() ->
                            guard(
                                    exchange,
                                    () -> {
                                        store.hold(epoch, job.id(), who);
                                        onEvents(
                                                exchange,
                                                () -> {
                                                    dispatcher.hold(job, who);
                                                    exchange.reply(Empty.getDefaultInstance());
                                                });
                                    }));
                });
    }

    void why(Exchange<WhyJobRequest, WhyJobReply> exchange) {
        known(
                exchange,
                exchange.request().getJob(),
                () -> {
                    Job job = dispatcher.require(exchange.request().getJob());
                    view(exchange.peer().identity(), job).requireOwn("explain job");
                    int task = exchange.request().getTask();
                    if (task < 0 || task > job.tasks().size()) {
                        throw new FarmException(
                                ErrorKind.NOT_FOUND,
                                "task",
                                job.id() + "." + task,
                                "the job has tasks 1 to " + job.tasks().size());
                    }
                    exchange.reply(dispatcher.why(job, task));
                });
    }

    void usage(Exchange<JobUsageRequest, JobUsageReply> exchange) {
        known(
                exchange,
                exchange.request().getJob(),
                () -> {
                    Job job = dispatcher.require(exchange.request().getJob());
                    view(exchange.peer().identity(), job).requireOwn("usage of job");
                    dispatcher
                            .calls()
                            .usage(job)
                            .whenComplete((reply, failure) -> {
                                if (failure == null) {
                                    exchange.reply(reply);
                                } else {
                                    exchange.failWith(failure);
                                }
                            });
                });
    }

    /** Of the asking user alone, unless he is an administrator. */
    void accounts(Exchange<UsageRequest, UsageReply> exchange) {
        blocking.execute(() ->
                guard(
                        exchange,
                        () -> {
                            Identity asking = exchange.peer().identity();
                            UsageRequest request = exchange.request();
                            String user =
                                    request.getUser().isEmpty() && !asking.isAdmin()
                                            ? asking.user()
                                            : request.getUser();
                            if (!asking.isAdmin() && !user.equals(asking.user())) {
                                throw new FarmException(
                                        ErrorKind.NOT_PERMITTED,
                                        "usage",
                                        user,
                                        "others' usage is for administrators");
                            }
                            exchange.reply(
                                    UsageReply.newBuilder()
                                            .addAllRows(
                                                    store.usage(
                                                            day(request.getFromDay()),
                                                            day(request.getToDay()),
                                                            user))
                                            .build());
                        }));
    }

    /** INVALID for what is no day of a calendar with years of four digits. */
    private static LocalDate day(long number) {
        if (number < LocalDate.of(0, 1, 1).toEpochDay()
                || number > LocalDate.of(9999, 12, 31).toEpochDay()) {
            throw new FarmException(
                    ErrorKind.INVALID, "usage", Long.toString(number), "no such day");
        }
        return LocalDate.ofEpochDay(number);
    }

    /**
     * Goes on, on the event thread, when this job is in memory: one that ended long ago is read
     * from the table. What is in neither is for the work to refuse.
     */
    private void known(Exchange<?, ?> exchange, long job, Runnable work) {
        onEvents(exchange, () -> recalled(exchange, job, work));
    }

    /** The same on the event thread. */
    private void recalled(Exchange<?, ?> exchange, long job, Runnable work) {
        if (dispatcher.find(job).isPresent()) {
            work.run();
            return;
        }
        blocking.execute(() ->
                guard(
                        exchange,
                        () -> {
                            Optional<Job> kept = store.job(job);
                            onEvents(
                                    exchange,
                                    () -> {
                                        kept.ifPresent(dispatcher.jobs()::recall);
                                        work.run();
                                    });
                        }));
    }

    /**
     * Goes on, on the event thread, if there are such jobs. Those that have ended are not read for
     * it: together they may be more than there is memory for.
     */
    private void existing(Exchange<?, ?> exchange, List<Long> jobs, Runnable work) {
        onEvents(
                exchange,
                () -> {
                    List<Long> absent =
                            jobs.stream().filter(id -> dispatcher.find(id).isEmpty()).toList();
                    if (absent.isEmpty()) {
                        work.run();
                        return;
                    }
                    blocking.execute(() ->
                            guard(
                                    exchange,
                                    () -> {
                                        Set<Long> ended = store.ended(absent);
                                        onEvents(
                                                exchange,
                                                () -> {
                                                    absent.stream()
                                                            .filter(id -> !ended.contains(id))
                                                            .forEach(dispatcher::require);
                                                    work.run();
                                                });
                                    }));
                });
    }

    private void onEvents(Exchange<?, ?> exchange, Runnable work) {
        events.execute(() -> guard(exchange, work));
    }

    /** A refusal, or a defect, is the answer to this call and to no other. */
    static void guard(Exchange<?, ?> exchange, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            exchange.failWith(e);
        }
    }

    /**
     * @param number that room was reserved for
     */
    private void record(
            Exchange<?, SubmitJobReply> exchange, Supplier<Submission> submitted, long number) {
        String user = exchange.peer().identity().user();
        try {
            record(exchange, submitted.get());
        } finally {
            events.execute(() -> dispatcher.jobs().came(user, number)); // after it was added
        }
    }

    private void record(Exchange<?, SubmitJobReply> exchange, Submission submission) {
        String user = submission.user();
        Optional<KeptProxy> proxy =
                submission.request().hasDelegation()
                        ? Optional.of(
                                delegations.accept(
                                        exchange.peer(), submission.request().getDelegation()))
                        : Optional.empty();
        SubmitJobRequest request = submission.request().toBuilder().clearDelegation().build();
        JobStore.Kept kept = store.submit(epoch, user, request, proxy, clock.now().toEpochMilli());
        long id = kept.id();
        onEvents(
                exchange,
                () -> {
                    if (!kept.hasEnded()) {
                        proxy.ifPresent(one -> hold(exchange.peer(), id, one));
                        dispatcher.submitted(id, user, request);
                    }
                    exchange.reply(SubmitJobReply.newBuilder().setJob(id).build());
                });
    }

    private void hold(Peer caller, long job, KeptProxy proxy) {
        delegations.hold(job, proxy);
        Audit.delegated(caller, "job " + job, Instant.ofEpochMilli(proxy.untilMillis()));
    }

    /** A key is made, which takes its time. */
    void delegationKey(Exchange<DelegationKeyRequest, DelegationKeyReply> exchange) {
        Thread.startVirtualThread(() ->
                guard(
                        exchange,
                        () ->
                                exchange.reply(
                                        DelegationKeyReply.newBuilder()
                                                .setRequest(
                                                        ByteString.copyFrom(
                                                                delegations.request(
                                                                        exchange.peer(),
                                                                        exchange.request()
                                                                                .getNumber())))
                                                .build())));
    }

    /** Answered when it is kept; nodes whose tasks run are told after it. */
    void renew(Exchange<RenewDelegationRequest, Empty> exchange) {
        known(
                exchange,
                exchange.request().getJob(),
                () -> {
                    Job job = dispatcher.require(exchange.request().getJob());
                    view(exchange.peer().identity(), job).requireOwner("renew proxy");
                    blocking.execute(() -> guard(exchange, () -> renew(exchange, job)));
                });
    }

    private void renew(Exchange<RenewDelegationRequest, Empty> exchange, Job job) {
        KeptProxy proxy = delegations.accept(exchange.peer(), exchange.request().getDelegation());
        store.keep(epoch, job.id(), proxy);
        onEvents(
                exchange,
                () -> {
                    if (!job.isDone()) {
                        hold(exchange.peer(), job.id(), proxy);
                        runner.renew(job.id());
                    }
                    exchange.reply(Empty.getDefaultInstance());
                });
    }

    private JobReply describe(Exchange<JobRequest, JobReply> exchange) {
        JobRequest request = exchange.request();
        Job job = dispatcher.require(request.getJob());
        JobView view = view(exchange.peer().identity(), job);
        int from = (int) Math.min(request.getFromTask(), job.tasks().size());
        int limit =
                request.getLimit() == 0
                        ? TASKS_PER_PAGE
                        : Math.min(request.getLimit(), TASKS_PER_PAGE);
        int to = Math.min(job.tasks().size(), from + limit);
        List<TaskInfo> page = view.tasks(job.tasks().subList(from, to), request.getWithOutput());
        return JobReply.newBuilder()
                .setJob(view.job())
                .addAllTasks(page)
                .setEnd(from + page.size() == job.tasks().size())
                .build();
    }

    private JobView view(Identity asking, Job job) {
        return new JobView(asking, job, dispatcher.info(job));
    }

    private ListJobsReply list(Identity identity, ListJobsRequest request) {
        ListJobsReply.Builder reply = ListJobsReply.newBuilder();
        dispatcher.jobs().all().stream()
                .filter(job -> request.getAll() || !job.isDone())
                .sorted(Comparator.comparingLong(Job::id).reversed())
                .limit(request.getLimit() == 0 ? Long.MAX_VALUE : request.getLimit())
                .forEach(job -> reply.addJobs(view(identity, job).job()));
        return reply.build();
    }

    private Empty end(Exchange<CancelJobRequest, Empty> exchange) {
        Job job = dispatcher.require(exchange.request().getJob());
        view(exchange.peer().identity(), job).requireOwn("cancel job");
        int signal = exchange.request().getSignal() == 0 ? 15 : exchange.request().getSignal();
        dispatcher.cancel(job, Job.CANCELLED, signal);
        if (!job.user().equals(exchange.peer().identity().user())) {
            Audit.done(exchange.peer(), "cancel-job", "job " + job.id() + " of " + job.user());
        }
        return Empty.getDefaultInstance();
    }
}
