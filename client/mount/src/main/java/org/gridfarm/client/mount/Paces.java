package org.gridfarm.client.mount;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.rpc.Buffers;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * How much of what is read and written through this process is under way at once. Each write is in
 * memory twice, as it came and as it is sent; hundreds of programs would need more than a mount may
 * have. Thread-safe.
 */
final class Paces {
    private static final long READS_BYTES = 48 << 20;
    private static final long WRITES_BYTES = 32 << 20;
    private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

    private final Admission reads = new Admission(READS_BYTES);
    private final Admission writes = new Admission(WRITES_BYTES);
    private final WaitingWrites waiting = new WaitingWrites(MountOptions.WRITE_BYTES_LIMIT);

    /**
     * @param read what it reads is to be held no more when its result is there; not called where
     *     the kernel had an answer before it was this read's turn
     */
    CompletableFuture<Void> read(
            Request request, int bytes, Supplier<CompletableFuture<Void>> read) {
        if (reads.hasRoom(bytes)) {
            return reads.enter(bytes, read);
        }
        AtomicBoolean answered = answered(request);
        return reads.enter(bytes, () -> answered.get() ? NOTHING : read.get());
    }

    /**
     * @param data of the request, valid during this call only
     * @param write is given the data to own and what it completes when it holds them no more. Not
     *     called where the kernel had an answer before it was this write's turn.
     * @return fails where it could not be called
     */
    CompletableFuture<Void> write(
            Request request, ByteBuffer data, BiConsumer<ByteBuf, CompletableFuture<Void>> write) {
        int bytes = data.remaining();
        if (writes.hasRoom(bytes)) {
            ByteBuf copy = Buffers.POOL.directBuffer(bytes).writeBytes(data);
            return writes.enter(bytes, () -> carriedOut(write, copy));
        }
        AtomicBoolean answered = answered(request);
        WaitingWrites.Slot slot = waiting.put(data);
        return writes.enter(
                bytes,
                () -> {
                    if (answered.get()) {
                        waiting.drop(slot);
                        return NOTHING;
                    }
                    return carriedOut(write, waiting.take(slot));
                });
    }

    private static AtomicBoolean answered(Request request) {
        AtomicBoolean answered = new AtomicBoolean();
        request.afterAnswer(() -> answered.set(true));
        return answered;
    }

    private static CompletableFuture<Void> carriedOut(
            BiConsumer<ByteBuf, CompletableFuture<Void>> write, ByteBuf bytes) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        write.accept(bytes, done);
        return done;
    }
}
