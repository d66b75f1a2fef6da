package org.gridfarm.client.cli.run;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskOutputReply;
import org.gridfarm.protocol.wire.TaskOutputRequest;

import java.io.IOException;
import java.io.OutputStream;

/** What tasks wrote, however much: read in pieces by way of the scheduler. For one thread. */
public final class TaskOutput implements Outputs {
    private static final int PIECE_BYTES = 1 << 20;
    private static final int WAIT_MILLIS = 4_000;

    private final SchedulerLine scheduler;

    public TaskOutput(SchedulerLine scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public void copy(TaskInfo task, boolean isError, OutputStream to) throws IOException {
        ByteString known = isError ? task.getStderr() : task.getStdout();
        long all = isError ? task.getStderrBytes() : task.getStdoutBytes();
        known.writeTo(to);
        long at = known.size();
        while (at < all) {
            TaskOutputReply reply = ask(task.getJob(), task.getIndex(), isError, at, 0, 0);
            if (reply.getData().isEmpty()) {
                throw new IOException(
                        "%d bytes of the output of task %d were not kept"
                                .formatted(all - at, task.getIndex() + 1));
            }
            reply.getData().writeTo(to);
            at += reply.getData().size();
        }
    }

    /**
     * Of a task that waits or runs, as it comes, until it has ended; of each attempt one after the
     * other.
     */
    public void follow(long job, int index, boolean isError, OutputStream to) throws IOException {
        int attempt = 0;
        long at = 0;
        while (true) {
            TaskOutputReply reply = ask(job, index, isError, at, attempt, WAIT_MILLIS);
            if (reply.getAttempt() > attempt) {
                boolean isFirst = attempt == 0;
                attempt = reply.getAttempt();
                if (!isFirst) {
                    at = 0;
                    continue;
                }
            }
            reply.getData().writeTo(to);
            to.flush();
            at += reply.getData().size();
            if (reply.getEnd()) {
                return;
            }
        }
    }

    private TaskOutputReply ask(
            long job, int index, boolean isError, long at, int attempt, int waitMillis) {
        return scheduler.call(
                SchedulerMethods.OUTPUT,
                TaskOutputRequest.newBuilder()
                        .setJob(job)
                        .setIndex(index)
                        .setError(isError)
                        .setOffset(at)
                        .setMax(PIECE_BYTES)
                        .setAttempt(attempt)
                        .setWaitMillis(waitMillis)
                        .build());
    }
}
