package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.JobUsageReply;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.gridfarm.protocol.wire.TaskOutputRequest;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.worker.Runner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CompletableFuture;

/** What the nodes of attempts under way, or ended, are asked for. For the event thread. */
record AttemptCalls(Runner runner, Slots slots) {
    private static final Logger log = LoggerFactory.getLogger(AttemptCalls.class);

    /** Of a call for an attempt under way: its node is away, or it is on its way to it. */
    static boolean isPassing(Throwable failure) {
        return switch (FarmException.of(failure, "task", "").kind()) {
            case NOT_FOUND, DISCONNECTED, TIMED_OUT, UNAVAILABLE, NOT_READY -> true;
            default -> false;
        };
    }

    /** What the node of a task's last attempt has of its output. */
    CompletableFuture<ReadTaskOutputReply> output(Task task, TaskOutputRequest asked) {
        NodeInfo node = slots.find(task.node());
        if (node == null || node.getAddress().isEmpty()) {
            return CompletableFuture.failedFuture(
                    new FarmException(
                            ErrorKind.UNAVAILABLE,
                            "task output",
                            task.attemptId(),
                            "it is on node " + task.node() + ", which is not known"));
        }
        return runner.output(
                node.getAddress(),
                ReadTaskOutputRequest.newBuilder()
                        .setTask(task.attemptId())
                        .setError(asked.getError())
                        .setOffset(asked.getOffset())
                        .setMax(asked.getMax())
                        .setWaitMillis(asked.getWaitMillis())
                        .build());
    }

    /** Gives the attempt under way a piece of its standard input. */
    CompletableFuture<WriteTaskInputReply> input(Task task, TaskInputRequest piece) {
        return runner.input(slots.address(task.node()), Attempt.input(task, piece));
    }

    /** What the tasks of a job that run have used so far. */
    CompletableFuture<JobUsageReply> usage(Job job) {
        return new Usages(runner, slots).of(job);
    }

    /** Nobody waits for it; the outcome comes as every outcome does. */
    void kill(Task task, int signal) {
        killOne(task, signal);
        task.second().ifPresent(other -> killOne(other, signal));
    }

    void killOne(Task task, int signal) {
        String attempt = task.attemptId();
        NodeInfo node = slots.find(task.node());
        if (node != null) {
            runner.kill(node.getAddress(), attempt, signal)
                    .whenComplete((_, failure) -> {
                        if (failure != null) {
                            log.warn(
                                    "cannot kill {} on {}: {}",
                                    attempt,
                                    node.getName(),
                                    failure.getMessage());
                        }
                    });
        }
    }
}
