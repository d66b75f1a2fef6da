package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.RefreshRequest;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** What an open file asks the leader. */
final class AtLeader {
    private AtLeader() {}

    /**
     * @param wantedSize bytes that are to be written up to; 0: nothing is to be written
     */
    public static RefreshRequest.Builder refreshRequest(
            Wiring wiring, FarmFileHandle handle, int generation, long wantedSize) {
        return RefreshRequest.newBuilder()
                .setSession(wiring.session().id())
                .setHandle(handle.id())
                .setInode(handle.inode())
                .setRead(handle.flags().read())
                .setWrite(handle.flags().write())
                .setGeneration(Math.max(0, generation))
                .setCredentials(handle.who())
                .setWantedSize(wantedSize);
    }

    /**
     * What failed.
     *
     * @param full for want of space
     * @param written what stands there must not be lost
     * @param rescue this process has all of it itself
     */
    record ChainReport(
            int stripe,
            Set<String> failed,
            String reason,
            boolean full,
            boolean written,
            boolean rescue) {}

    /**
     * Where all nodes of a chain are full, the answer waits until what was written has moved to
     * others.
     *
     * @param report of what it is that failed
     */
    static CompletableFuture<OpenReply> chainFailed(
            Wiring wiring, FarmFileHandle handle, ChainReport report) {
        long sequence = wiring.metadata().sequences().take();
        ChainFailureRequest request =
                ChainFailureRequest.newBuilder()
                        .setStripe(report.stripe)
                        .addAllFailedNodes(report.failed)
                        .setReason(report.reason)
                        .setFull(report.full)
                        .setWritten(report.written)
                        .setRescue(report.rescue)
                        .setSession(wiring.session().id())
                        .setSequence(sequence)
                        .setHandle(handle.id())
                        .setInode(handle.inode())
                        .build();
        CompletableFuture<OpenReply> answer =
                request.getFull()
                        ? wiring.session()
                                .leader(
                                        MetadataMethods.CHAIN_FAILURE,
                                        () -> request,
                                        TransferLimits.MOVE_FROM_FULL)
                        : wiring.session().leader(MetadataMethods.CHAIN_FAILURE, request);
        return answer.handle((reply, thrown) -> {
            wiring.metadata().sequences().answered(sequence);
            if (thrown != null) {
                throw FarmException.of(thrown, "write", "");
            }
            return reply;
        });
    }
}
