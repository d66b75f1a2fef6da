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
import org.gridfarm.scheduler.queue.JobStore;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Answers what tasks wrote: of one that runs what its node has so far, of one that has ended its
 * beginning from the table and the rest from the node. Keeps none of it.
 */
final class Outputs {
    private static final int MAX = 1 << 20; // in one answer

    private final Dispatcher dispatcher;
    private final JobStore store;
    private final Executor events;
    private final Executor blocking;
    private final Clock clock;

    Outputs(
            Dispatcher dispatcher,
            JobStore store,
            Executor events,
            Executor blocking,
            Clock clock) {
        this.dispatcher = dispatcher;
        this.store = store;
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
            blocking.execute(() -> JobService.guard(exchange, () -> fromTable(exchange, task)));
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

    private void fromNode(Exchange<TaskOutputRequest, TaskOutputReply> exchange, Task task) {
        int attempt = task.attempts();
        dispatcher
                .calls()
                .output(task, exchange.request())
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        exchange.failWith(failure);
                    } else {
                        exchange.reply(
                                TaskOutputReply.newBuilder()
                                        .setData(reply.getData())
                                        .setEnd(reply.getEnd())
                                        .setAttempt(attempt)
                                        .build());
                    }
                });
    }

    /** On a thread that may wait. */
    private void fromTable(Exchange<TaskOutputRequest, TaskOutputReply> exchange, Task task) {
        TaskOutputRequest asked = exchange.request();
        TaskInfo kept = store.task(task.job(), task.index()).orElse(TaskInfo.getDefaultInstance());
        ByteString start = asked.getError() ? kept.getStderr() : kept.getStdout();
        long all = asked.getError() ? kept.getStderrBytes() : kept.getStdoutBytes();
        if (asked.getOffset() >= start.size() && asked.getOffset() < all) {
            events.execute(() -> JobService.guard(exchange, () -> fromNode(exchange, task)));
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
