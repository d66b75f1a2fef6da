package org.gridfarm.client.core.transfer.file;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.SeekObjectRequest;

import java.util.concurrent.CompletableFuture;

/** Where a file has data and where holes, as the head of its chain says. */
record Holes(Wiring wiring, OpenInode open) {
    CompletableFuture<Long> seek(long offset, boolean hole, long size) {
        if (offset >= size || offset < 0) {
            return CompletableFuture.failedFuture(
                    new FarmException(ErrorKind.NO_DATA_AFTER, "seek", ""));
        }
        return open.layout()
                .thenCompose(layout -> open.chains.claimed(layout).thenApply(done -> layout))
                .thenCompose(layout -> {
                    boolean single = layout.getObjectsCount() == 1 && layout.getStripeCount() <= 1;
                    if (!single || layout.getObjects(0).getReplicasCount() == 0) {
                        // Over several objects every byte counts as data, which POSIX allows.
                        return CompletableFuture.completedFuture(hole ? size : offset);
                    }
                    Replica head = layout.getObjects(0).getReplicas(0);
                    SeekObjectRequest request =
                            SeekObjectRequest.newBuilder()
                                    .setObject(layout.getObjects(0).getObject())
                                    .setTicket(head.getTicket())
                                    .setOffset(offset)
                                    .setHole(hole)
                                    .build();
                    return wiring.nodes()
                            .connect(head)
                            .thenCompose(peer ->
                                    peer.callPlain(
                                            StorageMethods.SEEK,
                                            request,
                                            wiring.session().deadline()))
                            .thenApply(reply -> {
                                if (hole) {
                                    return reply.getNone()
                                            ? size
                                            : Math.min(size, reply.getOffset());
                                }
                                if (reply.getNone() || reply.getOffset() >= size) {
                                    throw new FarmException(ErrorKind.NO_DATA_AFTER, "seek", "");
                                }
                                return reply.getOffset();
                            });
                });
    }
}
