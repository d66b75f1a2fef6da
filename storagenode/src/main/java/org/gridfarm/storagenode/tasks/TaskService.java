package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.KillTaskRequest;
import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.RenewTaskProxyRequest;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.gridfarm.storagenode.disk.ReadOnlyViews;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Answers RUN_TASK, KILL_TASK, LIST_TASKS, READ_TASK_OUTPUT and WRITE_TASK_INPUT to schedulers
 * alone: they know whose job it is. Thread-safe.
 */
public final class TaskService implements AutoCloseable {
    /** In one answer. */
    private static final int OUTPUT_READ_MAX = 1 << 20;

    /** Below what a call may take. */
    private static final Duration OUTPUT_WAIT_MAX = Duration.ofSeconds(5);

    /**
     * @param outcome is there once the task counts as ended
     */
    private record Entry(TaskRun run, CompletableFuture<RunTaskReply> outcome) {}

    private final TaskSettings settings;
    private final ProcessTree.Maker trees;
    private final Clock clock;
    private final Spool spool;
    private final TaskLocals.Source locals;

    private final KnownTasks<Entry> tasks;

    @GuardedBy("this")
    private boolean closed;

    public TaskService(TaskSettings settings, Clock clock, PlainFiles files, ReadOnlyViews views) {
        this.settings = settings;
        this.trees = ProcessTrees.ofThisHost();
        this.clock = clock;
        this.tasks = new KnownTasks<>(clock);
        this.locals = new TaskLocals.Source(files, views, settings.scratch(), settings.spool());
        this.spool = new Spool(settings.spool(), settings.spoolReserve(), clock, tasks::isRunning);
    }

    public void register(Services.Builder services) {
        spool.cleanFromNowOn();
        TaskProxy.removeLeft(settings.scratch(), settings.spool());
        locals.removeLeft();
        services.onAsync(StorageMethods.RUN_TASK, this::run)
                .onAsync(StorageMethods.KILL_TASK, this::kill)
                .onAsync(StorageMethods.RENEW_TASK_PROXY, this::renew)
                .onAsync(StorageMethods.LIST_TASKS, this::list)
                .onAsync(StorageMethods.READ_TASK_OUTPUT, this::output)
                .onAsync(StorageMethods.WRITE_TASK_INPUT, this::input);
    }

    private static void admit(Exchange<?, ?> exchange) {
        exchange.peer().identity().require(Role.SCHEDULER, exchange.method().name());
    }

    private CompletableFuture<RunTaskReply> run(Exchange<RunTaskRequest, RunTaskReply> exchange) {
        admit(exchange);
        RunTaskRequest request = exchange.request();
        Entry begun;
        synchronized (this) {
            Entry known = tasks.find(request.getTask());
            if (known != null) {
                return known.outcome();
            }
            if (closed || tasks.runningCount() >= settings.slots()) {
                throw new FarmException(
                        ErrorKind.OVERLOADED,
                        "run-task",
                        request.getTask(),
                        closed
                                ? "the node is going down"
                                : "all " + settings.slots() + " slots are taken");
            }
            begun = entry(request, exchange.peer());
            tasks.begin(request.getTask(), begun);
        }
        begun.run().start();
        return begun.outcome();
    }

    private Entry entry(RunTaskRequest request, Peer scheduler) {
        TaskLocals shown = new TaskLocals(locals, Optional.of(scheduler), request.getLocalsList());
        TaskRun run = new TaskRun(request, settings, trees, spool, clock, shown);
        return new Entry(
                run,
                run.outcome()
                        .whenComplete((reply, _) ->
                                tasks.end(
                                        request.getTask(),
                                        reply == null ? 0 : reply.getSerializedSize())));
    }

    /** Of a task that runs, or of one that ended and whose file is still there. */
    private CompletableFuture<ReadTaskOutputReply> output(
            Exchange<ReadTaskOutputRequest, ReadTaskOutputReply> exchange) {
        admit(exchange);
        ReadTaskOutputRequest request = exchange.request();
        Path file = spool.file(request.getTask(), request.getError());
        int max = Math.min(request.getMax(), OUTPUT_READ_MAX);
        Entry entry = tasks.find(request.getTask());
        if (max <= 0 || request.getOffset() < 0) {
            throw new FarmException(
                    ErrorKind.INVALID, "task output", request.getTask(), "nothing is asked for");
        }
        if (entry != null) {
            Duration most =
                    Duration.ofMillis(
                            Math.min(request.getWaitMillis(), OUTPUT_WAIT_MAX.toMillis()));
            return entry.run().output(request.getError()).read(request.getOffset(), max, most);
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    ByteString data = TaskOutput.inFile(file, request.getOffset(), max);
                    return ReadTaskOutputReply.newBuilder()
                            .setData(data)
                            .setEnd(data.size() < max)
                            .build();
                },
                Thread::startVirtualThread);
    }

    /** NOT_FOUND for a task that has not come yet, or was forgotten. */
    private CompletableFuture<WriteTaskInputReply> input(
            Exchange<WriteTaskInputRequest, WriteTaskInputReply> exchange) {
        admit(exchange);
        WriteTaskInputRequest request = exchange.request();
        Entry entry = tasks.find(request.getTask());
        if (entry == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "task input", request.getTask());
        }
        return entry.run().input().write(request);
    }

    /** Answered once the task has ended; a task that is not known has ended long ago. */
    private CompletableFuture<Empty> kill(Exchange<KillTaskRequest, Empty> exchange) {
        admit(exchange);
        KillTaskRequest request = exchange.request();
        Entry entry = tasks.find(request.getTask());
        if (entry == null) {
            return CompletableFuture.completedFuture(Empty.getDefaultInstance());
        }
        entry.run().kill(request.getSignal());
        return entry.outcome().handle((_, _) -> Empty.getDefaultInstance());
    }

    private CompletableFuture<Empty> renew(Exchange<RenewTaskProxyRequest, Empty> exchange) {
        admit(exchange);
        RenewTaskProxyRequest request = exchange.request();
        Entry entry = tasks.find(request.getTask());
        if (entry == null) {
            return CompletableFuture.completedFuture(Empty.getDefaultInstance());
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        entry.run().renew(request.getProxy());
                        return Empty.getDefaultInstance();
                    } catch (IOException e) {
                        throw new FarmException(
                                ErrorKind.DISK_FAILED,
                                "renew proxy",
                                request.getTask(),
                                e.toString(),
                                e);
                    }
                },
                Thread::startVirtualThread);
    }

    private CompletableFuture<ListTasksReply> list(Exchange<Empty, ListTasksReply> exchange) {
        admit(exchange);
        return CompletableFuture.supplyAsync(
                () -> list(tasks.running()), Thread::startVirtualThread);
    }

    private ListTasksReply list(Map<String, Entry> running) {
        ListTasksReply.Builder reply =
                ListTasksReply.newBuilder()
                        .setSlots(settings.slots())
                        .setMemoryBytes(settings.memory())
                        .setGpus(settings.gpus());
        running.forEach((task, entry) -> reply.addTasks(task).addUsage(entry.run().usage()));
        return reply.build();
    }

    public int runningCount() {
        return tasks.runningCount();
    }

    /** Ends all tasks; the scheduler will run them elsewhere. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        List<Entry> all = tasks.all();
        all.forEach(entry -> entry.run().kill(0));
        all.forEach(entry -> entry.outcome().handle((_, _) -> true).join());
    }
}
