package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.TaskInputReply;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Passes the standard input of a job's only task on to its node. Keeps none of it. */
final class Inputs {
    /** A job that has waited for so many times as long is looked at again after that. */
    private static final long WAIT_SHARE = 8;

    private static final Duration PAUSE_MAX = Duration.ofSeconds(2);

    private final Dispatcher dispatcher;
    private final Executor events;
    private final Clock clock;

    Inputs(Dispatcher dispatcher, Executor events, Clock clock) {
        this.dispatcher = dispatcher;
        this.events = events;
        this.clock = clock;
    }

    /** On the event thread. */
    void answer(Exchange<TaskInputRequest, TaskInputReply> exchange) {
        TaskInputRequest piece = exchange.request();
        Job job = dispatcher.require(piece.getJob());
        new JobView(exchange.peer().identity(), job, job.info("")).requireOwner("task input");
        if (!job.request().getStreamsInput()) {
            throw new FarmException(
                    ErrorKind.INVALID, "task input", Long.toString(job.id()), "it takes none");
        }
        Task task = job.tasks().getFirst();
        if (task.state().isFinal() || task.isPublishing()) {
            exchange.reply(TaskInputReply.newBuilder().setClosed(true).build());
        } else if (task.state() == TaskState.RUNNING) {
            toNode(exchange, task);
        } else {
            later(exchange, task);
        }
    }

    /** Nobody can take it yet; the sender comes again. */
    private void later(Exchange<TaskInputRequest, TaskInputReply> exchange, Task task) {
        long waited = clock.now().toEpochMilli() - task.queued();
        Duration pause =
                Duration.ofMillis(
                        Math.clamp(
                                waited / WAIT_SHARE,
                                Limits.OUTPUT_RETRY.toMillis(),
                                PAUSE_MAX.toMillis()));
        long offset = exchange.request().getOffset();
        clock.after(
                pause,
                () ->
                        events.execute(() ->
                                exchange.reply(
                                        TaskInputReply.newBuilder().setAccepted(offset).build())));
    }

    private void toNode(Exchange<TaskInputRequest, TaskInputReply> exchange, Task task) {
        dispatcher
                .calls()
                .input(task, exchange.request())
                .whenCompleteAsync(
                        (reply, failure) -> {
                            if (failure == null) {
                                exchange.reply(
                                        TaskInputReply.newBuilder()
                                                .setAccepted(reply.getAccepted())
                                                .setClosed(reply.getClosed())
                                                .build());
                            } else if (AttemptCalls.isPassing(failure)) {
                                later(exchange, task);
                            } else {
                                exchange.failWith(failure);
                            }
                        },
                        events);
    }
}
