package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.gridfarm.scheduler.worker.Runner;

import java.util.concurrent.CompletableFuture;

/** Of which a test expects no call but those that it has a body for. */
interface UnaskedRunner extends Runner {
    @Override
    default CompletableFuture<ReadTaskOutputReply> output(
            String address, ReadTaskOutputRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    default CompletableFuture<WriteTaskInputReply> input(
            String address, WriteTaskInputRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    default CompletableFuture<Void> renewProxy(String address, String attempt, ByteString proxy) {
        throw new UnsupportedOperationException();
    }

    @Override
    default CompletableFuture<ListTasksReply> tasks(String address) {
        throw new UnsupportedOperationException();
    }

    @Override
    default CompletableFuture<Void> kill(String address, String attempt, int signal) {
        throw new UnsupportedOperationException();
    }
}
