package org.gridfarm.scheduler.worker;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;

import java.util.concurrent.CompletableFuture;

/** Runs attempts on nodes. */
public interface Runner {
    /**
     * Completes when the attempt has ended, however long that takes; asking again for the same
     * attempt joins the run under way. Fails with DISCONNECTED, TIMED_OUT or UNAVAILABLE when the
     * node cannot be reached, with OVERLOADED when it has no slot.
     */
    CompletableFuture<RunTaskReply> run(String address, RunTaskRequest request);

    /** What an attempt has written so far, or wrote. */
    CompletableFuture<ReadTaskOutputReply> output(String address, ReadTaskOutputRequest request);

    /**
     * An attempt that runs acts by this proxy from now on; nothing happens to one that has ended.
     */
    CompletableFuture<Void> renewProxy(String address, String attempt, ByteString proxy);

    /** Gives an attempt a piece of its standard input; NOT_FOUND if it has not come yet. */
    CompletableFuture<WriteTaskInputReply> input(String address, WriteTaskInputRequest request);

    /** What a node offers to tasks, and what those that run have used so far. */
    CompletableFuture<ListTasksReply> tasks(String address);

    CompletableFuture<Void> kill(String address, String attempt, int signal);
}
