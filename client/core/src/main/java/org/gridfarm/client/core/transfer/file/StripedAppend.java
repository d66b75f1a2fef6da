package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CompletableFuture;

/**
 * One append to a striped file that others write, too. No single node knows where such a file ends:
 * appenders take turns by a lock at the metaserver, under which the end is asked of all stripes and
 * written to.
 */
final class StripedAppend {
    private static final Logger LOG = LoggerFactory.getLogger(StripedAppend.class);

    /** Writes all of the buffer, which it takes over, at the offset. */
    interface Writing {
        CompletableFuture<Void> write(long offset, ByteBuf bytes);
    }

    private final Wiring wiring;
    private final LockRequest lock;

    StripedAppend(Wiring wiring, long inode) {
        this.wiring = wiring;
        this.lock =
                LockRequest.newBuilder()
                        .setInode(inode)
                        .setOwner(wiring.entropy().nextLong())
                        .setAppend(true)
                        .setKind(LockKind.EXCLUSIVE_LOCK)
                        .setEnd(Long.MAX_VALUE)
                        .setWait(true)
                        .build();
    }

    /** Where it went; the buffer is taken over. */
    public CompletableFuture<Long> append(ByteBuf bytes, Writing writing) {
        return wiring.metadata()
                .lock(lock)
                .handle((granted, thrown) -> {
                    if (thrown != null) {
                        bytes.release();
                        throw FarmException.of(thrown, "append", "");
                    }
                    return granted;
                })
                .thenCompose(
                        granted -> atEnd(bytes, writing).whenComplete((at, failed) -> unlock()));
    }

    private CompletableFuture<Long> atEnd(ByteBuf bytes, Writing writing) {
        return wiring.metadata()
                .attributes(lock.getInode())
                .handle((found, thrown) -> {
                    if (thrown == null) {
                        return found.require("append", "").getSize();
                    }
                    bytes.release();
                    throw FarmException.of(thrown, "append", "");
                })
                .thenCompose(end -> writing.write(end, bytes).thenApply(done -> end));
    }

    private void unlock() {
        wiring.metadata()
                .lock(lock.toBuilder().setKind(LockKind.UNLOCK).setWait(false).build())
                .whenComplete((reply, thrown) -> {
                    if (thrown != null) {
                        LOG.warn(
                                "the end of {} stays locked until this session ends: {}",
                                Long.toHexString(lock.getInode()),
                                thrown.getMessage());
                    }
                });
    }
}
