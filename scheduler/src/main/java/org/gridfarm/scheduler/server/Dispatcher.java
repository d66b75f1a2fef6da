package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.placement.Candidate;
import org.gridfarm.scheduler.placement.Costs;
import org.gridfarm.scheduler.placement.NodeSlots;
import org.gridfarm.scheduler.placement.Placed;
import org.gridfarm.scheduler.placement.Placement;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;
import org.gridfarm.scheduler.worker.Farm;
import org.gridfarm.scheduler.worker.Runner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

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
    private static final int COMMAND_NOT_RUN = 126; // as the shell says it
    private static final double MEAN_WEIGHT = 0.1; // of the newest run time in the running mean

    private final Farm farm;
    private final Runner runner;
    private final Recorder recorder;
    private final Clock clock;
    private final Executor events;
    private final Accounts accounts;
    private final Map<Long, Job> jobs = new TreeMap<>();
    private final Map<String, NodeInfo> nodes = new HashMap<>();
    private final Map<String, Integer> taken = new HashMap<>();
    private final Map<Task, Long> unreachableSince = new HashMap<>();
    private final Set<Task> locating = new HashSet<>();
    private final Map<Long, NodePattern> patterns = new HashMap<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private double meanSeconds = Costs.UNMEASURED.taskSeconds();

    Dispatcher(
            Farm farm,
            Runner runner,
            Recorder recorder,
            Clock clock,
            Executor events,
            Accounts accounts) {
        this.farm = farm;
        this.runner = runner;
        this.recorder = recorder;
        this.clock = clock;
        this.events = events;
        this.accounts = accounts;
    }

    /** Goes on with jobs read from the table, and begins to watch the nodes. */
    void begin(List<Job> restored) {
        for (Job job : restored) {
            jobs.put(job.id(), job);
            for (Task task : job.running()) {
                taken.merge(task.node(), task.slots(), Integer::sum);
            }
        }
        refreshNodes();
        for (Job job : restored) {
            job.running().forEach(task -> guarded(job, task, () -> attempt(job, task)));
        }
    }

    void submitted(long id, String user, SubmitJobRequest request) {
        if (!jobs.containsKey(id)) {
            jobs.put(id, new Job(id, user, request, nowMillis()));
            if (jobs.get(id).isDone()) {
                recorder.add(new Recorder.Entry(List.of(), id, () -> {}));
            }
            place();
        }
    }

    Job require(long id) {
        return find(id).orElseThrow(() ->
                new FarmException(
                        ErrorKind.NOT_FOUND, "job", Long.toString(id), "see gf jobs --all"));
    }

    Optional<Job> find(long id) {
        return Optional.ofNullable(jobs.get(id));
    }

    List<Job> jobs() {
        return List.copyOf(jobs.values());
    }

    void cancel(Job job, int signal) {
        List<Task> before = List.copyOf(job.finished());
        job.cancel(nowMillis());
        recordFinished(job, before.size());
        job.running().forEach(task -> kill(task, signal));
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
                                nodes.clear();
                                list.forEach(node -> nodes.put(node.getName(), node));
                                place();
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

    /** NOT_FOUND if the farm has nodes and the job may run on none of them. */
    void requireNode(NodePattern on) {
        if (!nodes.isEmpty() && nodes.keySet().stream().noneMatch(on)) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "run on nodes",
                    on.glob(),
                    "no node has such a name; there are "
                            + nodes.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
    }

    private NodePattern on(Job job) {
        return patterns.computeIfAbsent(
                job.id(), _ -> NodePattern.of(job.request().getNodePattern()));
    }

    /** Why nothing of a job can start now. */
    private String absent(NodePattern on) {
        String known =
                nodes.values().stream()
                        .filter(node -> on.test(node.getName()))
                        .map(node ->
                                node.getName()
                                        + (node.getSlots() == 0
                                                ? " runs no tasks"
                                                : " is " + node.getState()))
                        .sorted()
                        .collect(Collectors.joining(", "));
        return "waits for a node named "
                + on.glob()
                + (known.isEmpty() ? ": there is none" : ": " + known);
    }

    private List<NodeSlots> freeSlots() {
        List<NodeSlots> free = new ArrayList<>();
        for (NodeInfo node : nodes.values()) {
            boolean usable = node.getState().equals("up") || node.getState().equals("readonly");
            int room = node.getSlots() - taken.getOrDefault(node.getName(), 0);
            if (usable && node.getSlots() > 0) {
                free.add(
                        new NodeSlots(
                                node.getName(),
                                node.getRack(),
                                Math.max(0, room),
                                node.getSlots()));
            }
        }
        return free;
    }

    private void place() {
        List<NodeSlots> slots = freeSlots();
        List<Candidate<Task>> candidates = new ArrayList<>();
        for (Job job : List.copyOf(jobs.values())) {
            if (job.hasPending()) {
                guarded(job, job.next(), () -> addCandidates(job, slots, candidates));
            }
        }
        if (candidates.isEmpty() || slots.stream().allMatch(node -> node.free() == 0)) {
            return;
        }
        Costs costs = new Costs(meanSeconds, Costs.UNMEASURED.networkBytesPerSecond());
        for (Placed<Task> placed : Placement.plan(candidates, slots, costs)) {
            start(require(placed.task().job()), placed.task(), placed.node(), placed.locality());
        }
    }

    private void addCandidates(Job job, List<NodeSlots> slots, List<Candidate<Task>> candidates) {
        NodePattern on = on(job);
        List<NodeSlots> usable = slots.stream().filter(node -> on.test(node.name())).toList();
        if (usable.isEmpty()) {
            if (!on.isAny()) {
                job.waitFor(job.next(), absent(on));
            }
            return;
        }
        int room = Math.min(job.room(), Limits.CANDIDATES_MAX - candidates.size());
        if (!on.isAny()) { // those that wait for busy nodes take no place in this round
            room = Math.min(room, usable.stream().mapToInt(NodeSlots::free).sum());
        }
        if (room <= 0) {
            return;
        }
        for (Task task : job.pending()) {
            Map<String, Long> holders = task.holders();
            if (holders == null) {
                locate(job, task);
            } else if (room-- > 0) {
                candidates.add(new Candidate<>(task, task.slots(), task.inputBytes(), holders, on));
            }
            if (room <= 0 || locating.size() >= Limits.LOCATING_MAX) {
                break;
            }
        }
    }

    private void locate(Job job, Task task) {
        if (!locating.add(task)) {
            return;
        }
        accounts.of(job.user())
                .thenCompose(account ->
                        farm.holdings(account.credentials(), task.spec().getInputsList()))
                .whenCompleteAsync(
                        (holdings, failure) -> {
                            locating.remove(task);
                            guarded(job, task, () -> located(job, task, holdings, failure));
                        },
                        events);
    }

    private void located(
            Job job, Task task, Farm.@Nullable Holdings holdings, @Nullable Throwable failure) {
        if (task.state() != TaskState.PENDING) {
            return;
        }
        if (holdings == null) {
            FarmException reason =
                    FarmException.of(
                            failure == null ? new IllegalStateException("no answer") : failure,
                            "locate",
                            "input");
            job.waitFor(task, "its input cannot be located: " + reason.getMessage());
            return; // asked again in the next round
        }
        job.locate(task, holdings.bytesByNode(), holdings.totalBytes());
        place();
    }

    /** A defect that one task brings to light is that task's failure. */
    private void guarded(Job job, Task task, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.error("task {}.{} fails", job.id(), task.index(), e);
            String why = "the scheduler cannot go on with it: " + e;
            if (task.state() == TaskState.RUNNING) {
                ended(job, task, failure(why));
            } else if (task.state() == TaskState.PENDING) {
                int before = job.finished().size();
                job.abandon(task, why, nowMillis());
                recordFinished(job, before);
            }
        }
    }

    private static RunTaskReply failure(String why) {
        return RunTaskReply.newBuilder().setExitCode(COMMAND_NOT_RUN).setFailure(why).build();
    }

    private void start(Job job, Task task, String node, String locality) {
        taken.merge(node, task.slots(), Integer::sum);
        job.start(task, node, locality, nowMillis());
        recorder.add(
                new Recorder.Entry(
                        List.of(new TaskRow(task.info(true), 0)),
                        0,
                        () -> events.execute(() -> guarded(job, task, () -> attempt(job, task)))));
        changed();
    }

    private void attempt(Job job, Task task) {
        NodeInfo node = nodes.get(task.node());
        if (node == null || node.getAddress().isEmpty()) {
            nodeAway(job, task, "node " + task.node() + " is not known");
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
                                                run(job, task, node.getAddress(), account);
                                            } else {
                                                kill(task, SIGKILL); // of before a restart
                                                ended(
                                                        job,
                                                        task,
                                                        failure(
                                                                reason(task, failure)
                                                                        .getMessage()));
                                            }
                                        }),
                        events);
    }

    private void run(Job job, Task task, String address, Accounts.Account account) {
        runner.run(address, request(job, task, account))
                .whenCompleteAsync(
                        (reply, failure) ->
                                guarded(
                                        job,
                                        task,
                                        () -> {
                                            if (failure == null) {
                                                ended(job, task, reply);
                                            } else {
                                                notRun(job, task, reason(task, failure));
                                            }
                                        }),
                        events);
    }

    private static FarmException reason(Task task, Throwable failure) {
        return FarmException.of(failure, "run task", task.attemptId());
    }

    private void notRun(Job job, Task task, FarmException failure) {
        switch (failure.kind()) {
            case DISCONNECTED, TIMED_OUT, UNAVAILABLE, NOT_READY ->
                    nodeAway(job, task, failure.getMessage());
            case OVERLOADED, BUSY -> {
                release(task);
                job.giveBack(task, failure.getMessage());
                recorder.add(
                        new Recorder.Entry(List.of(new TaskRow(task.info(true), 0)), 0, () -> {}));
            }
            default -> ended(job, task, failure(failure.getMessage()));
        }
    }

    /**
     * The node may come back with the attempt still running: ask again for a while before another
     * node gets the task.
     */
    private void nodeAway(Job job, Task task, String why) {
        long now = clock.nanoTime();
        long since = unreachableSince.computeIfAbsent(task, _ -> now);
        if (now - since < Limits.NODE_LOST_AFTER.toNanos()) {
            clock.after(
                    Limits.RETRY_AFTER,
                    () -> events.execute(() -> guarded(job, task, () -> attempt(job, task))));
            return;
        }
        log.warn("task {} is taken from {}: {}", task.attemptId(), task.node(), why);
        release(task);
        int before = job.finished().size();
        job.giveBack(task, "node " + task.node() + " was lost");
        if (task.state().isFinal()) {
            recordFinished(job, before);
        } else {
            recorder.add(new Recorder.Entry(List.of(new TaskRow(task.info(true), 0)), 0, () -> {}));
        }
        place();
    }

    private void ended(Job job, Task task, RunTaskReply reply) {
        release(task);
        if (reply.getEnded() > reply.getStarted() && reply.getStarted() > 0) {
            double seconds = (reply.getEnded() - reply.getStarted()) / 1e3;
            meanSeconds += MEAN_WEIGHT * (seconds - meanSeconds);
        }
        int before = job.finished().size();
        boolean killOthers = job.finish(task, reply, nowMillis());
        if (task.state() == TaskState.PENDING) {
            recorder.add(new Recorder.Entry(List.of(new TaskRow(task.info(true), 0)), 0, () -> {}));
        }
        recordFinished(job, before);
        if (killOthers) {
            job.running().forEach(other -> kill(other, 15));
        }
        place();
    }

    /** Writes down the tasks that ended since; clients hear of it when it is durable. */
    private void recordFinished(Job job, int from) {
        List<TaskRow> rows =
                job.finished().subList(from, job.finished().size()).stream()
                        .map(task -> new TaskRow(task.info(true), task.finishOrder()))
                        .toList();
        if (!rows.isEmpty()) {
            recorder.add(
                    new Recorder.Entry(
                            rows,
                            job.isDone() ? job.id() : 0,
                            () -> events.execute(this::changed)));
        }
        forgetOldJobs();
    }

    private void forgetOldJobs() {
        List<Long> done = jobs.values().stream().filter(Job::isDone).map(Job::id).toList();
        for (int i = 0; i < done.size() - Limits.DONE_JOBS_KEPT; i++) {
            jobs.remove(done.get(i));
            patterns.remove(done.get(i));
        }
    }

    private void release(Task task) {
        taken.merge(task.node(), -task.slots(), Integer::sum);
        unreachableSince.remove(task);
    }

    private void kill(Task task, int signal) {
        NodeInfo node = nodes.get(task.node());
        if (node != null) {
            runner.kill(node.getAddress(), task.attemptId(), signal)
                    .whenComplete((_, failure) -> {
                        if (failure != null) {
                            log.warn(
                                    "cannot kill {} on {}: {}",
                                    task.attemptId(),
                                    task.node(),
                                    failure.getMessage());
                        }
                    });
        }
    }

    private void changed() {
        for (Runnable watcher : watchers) {
            try {
                watcher.run();
            } catch (RuntimeException e) {
                log.error("telling clients", e);
            }
        }
    }

    private static RunTaskRequest request(Job job, Task task, Accounts.Account account) {
        return RunTaskRequest.newBuilder()
                .setTask(task.attemptId())
                .addAllArgv(task.spec().getArgvList())
                .putAllEnvironment(job.request().getEnvironmentMap())
                .putEnvironment("GF_JOB_ID", ByteString.copyFromUtf8(Long.toString(job.id())))
                .putEnvironment(
                        "GF_TASK_INDEX", ByteString.copyFromUtf8(Integer.toString(task.index())))
                .putEnvironment("GF_NODE", ByteString.copyFromUtf8(task.node()))
                .setDirectory(job.request().getDirectory())
                .setUser(job.user())
                .setUid(account.uid())
                .setGid(account.gid())
                .setOutputBytesMax(job.request().getOutputBytesMax())
                .setTimeoutMillis(job.request().getTimeoutMillis())
                .setNeedsMount(task.spec().getNeedsMount())
                .build();
    }

    private long nowMillis() {
        return clock.now().toEpochMilli();
    }
}
