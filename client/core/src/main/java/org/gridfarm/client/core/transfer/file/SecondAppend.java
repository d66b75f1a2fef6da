package org.gridfarm.client.core.transfer.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.DataMode;

import java.util.concurrent.CompletableFuture;

/**
 * An append that a former process may have begun or done: what stands behind the end that the file
 * had then tells. What is there is written once more where it is, since not every member of the
 * chain need have it; what is not goes to the end like any append.
 *
 * <p>Another client's append of the very same bytes in between would be taken for this one.
 */
final class SecondAppend {
    private final OpenInode open;
    private final FileReads reads;
    private final FileWrites writes;

    SecondAppend(OpenInode open, FileReads reads, FileWrites writes) {
        this.open = open;
        this.reads = reads;
        this.writes = writes;
    }

    /** Where it is; the buffer is taken over. */
    public CompletableFuture<Long> append(ByteBuf bytes, long end) {
        return reads.read(end, TransferLimits.TRANSFER_BYTES_MAX)
                .handle((there, thrown) -> {
                    if (thrown != null) {
                        bytes.release();
                        throw FarmException.of(thrown, "append", "");
                    }
                    try {
                        return placeIn(there, bytes);
                    } finally {
                        there.release();
                    }
                })
                .thenCompose(place ->
                        place < 0
                                ? writes.append(bytes)
                                : writes.write(end + place, bytes).thenApply(done -> end + place));
    }

    /** Behind the former end; -1: it is not there. */
    private int placeIn(ByteBuf there, ByteBuf bytes) {
        int found = ByteBufUtil.indexOf(bytes, there);
        if (found >= 0) {
            return found - there.readerIndex();
        }
        int begun = there.readableBytes();
        boolean alone = open.mode() == DataMode.EXCLUSIVE;
        boolean isBegun =
                alone
                        && begun > 0
                        && begun < bytes.readableBytes()
                        && there.equals(bytes.slice(bytes.readerIndex(), begun));
        return isBegun ? 0 : -1;
    }
}
