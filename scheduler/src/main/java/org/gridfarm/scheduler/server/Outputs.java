package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskOutputReply;
import org.gridfarm.protocol.wire.TaskOutputRequest;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Answers what tasks wrote: of one that runs what its node has so far, of one that has ended its
 * beginning, which is in memory until it is written down and in the table from then on, and the
 * rest from the node. Keeps none of it.
 */
final class Outputs {
    private static final int MAX = 1 << 20; // in one answer

    /** What was written down of a task; may take a while. */
    interface Table {
        Optional<TaskInfo> task(long job, int index);
    }

    private final Dispatcher dispatcher;
    private final Table table;
    private final Executor events;
    private final Executor blocking;
    private final Clock clock;

    Outputs(Dispatcher dispatcher, Table table, Executor events, Executor blocking, Clock clock) {
        this.dispatcher = dispatcher;
        this.table = table;
        this.events = events;
        this.blocking = blocking;
        this.clock = clock;
    }

    /** On the event thread. */
    void answer(Exchange<TaskOutputRequest, TaskOutputReply> exchange) {
        TaskOutputRequest asked = exchange.request();
        Job job = dispatcher.require(asked.getJob());
        new JobView(exchange.peer().identity(), job, job.info("")).requireOwn("task output");
        if (asked.getIndex() < 0 || asked.getIndex() >= job.tasks().size()) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "task",
                    job.id() + "." + (asked.getIndex() + 1L),
                    "the job has " + job.tasks().size());
        }
        if (asked.getMax() <= 0 || asked.getMax() > MAX || asked.getOffset() < 0) {
            throw new FarmException(
                    ErrorKind.INVALID, "task output", "", "ask for up to " + MAX + " bytes");
        }
        Task task = job.tasks().get(asked.getIndex());
        TaskState state = task.state();
        boolean isOver = asked.getAttempt() != 0 && task.attempts() > asked.getAttempt();
        if (isOver || state.isFinal() && task.attempts() == 0) {
            exchange.reply(
                    TaskOutputReply.newBuilder().setEnd(true).setAttempt(task.attempts()).build());
        } else if (state == TaskState.PENDING) {
            await(exchange);
        } else if (state == TaskState.RUNNING) {
            fromNode(exchange, task);
        } else {
            fromOutcome(exchange, task);
        }
    }

    /** Nothing is there yet: once more in a while, if the caller has the time. */
    private void await(Exchange<TaskOutputRequest, TaskOutputReply> exchange) {
        if (exchange.request().getWaitMillis() == 0) {
            exchange.reply(TaskOutputReply.getDefaultInstance());
            return;
        }
        Duration pause =
                Duration.ofMillis(
                        Math.min(
                                exchange.request().getWaitMillis(),
                                Limits.OUTPUT_RETRY.toMillis()));
        clock.after(
                pause,
                () -> events.execute(() -> exchange.reply(TaskOutputReply.getDefaultInstance())));
    }

    /**
     * A node that cannot answer while its task runs, because the task has not come to it yet or
     * because the node is gone, is asked again: the task goes on there or is begun elsewhere.
     */
    private void fromNode(Exchange<TaskOutputRequest, TaskOutputReply> exchange, Task task) {
        int attempt = task.attempts();
        dispatcher
                .calls()
                .output(task, exchange.request())
                .whenCompleteAsync(
                        (reply, failure) -> {
                            if (failure == null) {
                                exchange.reply(
                                        TaskOutputReply.newBuilder()
                                                .setData(reply.getData())
                                                .setEnd(reply.getEnd())
                                                .setAttempt(attempt)
                                                .build());
                            } else if (exchange.request().getWaitMillis() > 0
                                    && !task.state().isFinal()
                                    && AttemptCalls.isPassing(failure)) {
                                await(exchange);
                            } else {
                                exchange.failWith(failure);
                            }
                        },
                        events);
    }

    /** What has ended may not be in the table yet; what was dropped from memory is there. */
    private void fromOutcome(Exchange<TaskOutputRequest, TaskOutputReply> exchange, Task task) {
        boolean isError = exchange.request().getError();
        TaskInfo outcome = task.info(true);
        long all = isError ? outcome.getStderrBytes() : outcome.getStdoutBytes();
        ByteString held = start(outcome, isError);
        if (all == 0 || !held.isEmpty()) {
            reply(exchange, task, held, all);
            return;
        }
        blocking.execute(() ->
                JobService.guard(
                        exchange,
                        () -> {
                            ByteString kept =
                                    table.task(task.job(), task.index())
                                            .map(row -> start(row, isError))
                                            .orElse(ByteString.EMPTY);
                            events.execute(() ->
                                    JobService.guard(
                                            exchange, () -> reply(exchange, task, kept, all)));
                        }));
    }

    private static ByteString start(TaskInfo of, boolean isError) {
        return isError ? of.getStderr() : of.getStdout();
    }

    private void reply(
            Exchange<TaskOutputRequest, TaskOutputReply> exchange,
            Task task,
            ByteString start,
            long all) {
        TaskOutputRequest asked = exchange.request();
        if (asked.getOffset() >= start.size() && asked.getOffset() < all) {
            fromNode(exchange, task);
            return;
        }
        int from = (int) Math.min(start.size(), asked.getOffset());
        int to = (int) Math.min(start.size(), (long) from + asked.getMax());
        exchange.reply(
                TaskOutputReply.newBuilder()
                        .setData(start.substring(from, to))
                        .setEnd(asked.getOffset() + (to - from) >= all)
                        .setAttempt(task.attempts())
                        .build());
    }
}
