package org.gridfarm.client;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Buffers;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * An open file. Thread-safe: reads and writes name their offset, may overlap, and those that touch
 * the same bytes take effect in the order in which they were started. A buffer belongs to the call
 * until it has ended.
 *
 * <p>What was written is at every copy's node when the call ends, on stable storage after {@link
 * #sync()}, and seen by whoever opens the file after {@link #close()}. Failures are {@link
 * FarmException}s about the path; a futures' dependents run on the common pool and may block.
 */
public final class FarmFile implements AutoCloseable {
    private static final int BYTES_AT_ONCE = 4 << 20;

    private final org.gridfarm.client.core.FarmFile file;

    FarmFile(org.gridfarm.client.core.FarmFile file) {
        this.file = file;
    }

    public String path() {
        return file.path().toString();
    }

    public FileStatus stat() {
        return FileStatus.of(file.stat());
    }

    /** Bytes; with other writers about, at this moment. */
    public long size() {
        return file.size();
    }

    /**
     * Fills the buffer from the offset on; fewer bytes only at the end of the file.
     *
     * @return the number of bytes, -1 at or behind the end
     */
    public int read(long offset, ByteBuffer into) {
        return file.read(Gridfarm.position(offset, "read", path()), into);
    }

    /** Writes all of the buffer at the offset. */
    public void write(long offset, ByteBuffer from) {
        file.write(Gridfarm.position(offset, "write", path()), from);
    }

    /**
     * Writes at the end, up to 4 MiB atomically among all writers. The file has to be open for
     * appending.
     *
     * @return where the last part of it begins
     */
    public long append(ByteBuffer from) {
        return file.append(from);
    }

    /**
     * Copies bytes of another open file of the same farm to an offset of this one, on the nodes
     * where the layouts permit.
     *
     * @return the number of bytes, fewer than asked only at the end of the source
     */
    public long copyFrom(FarmFile source, long from, long to, long count) {
        Gridfarm.position(from, "copy", source.path());
        return file.copyFrom(source.file, from, Gridfarm.position(to, "copy", path()), count);
    }

    /** A stream to its begin, or its end if open for appending, which closes this file. */
    public FarmOutput output() {
        return new FarmOutput(file.output());
    }

    public void truncate(long size) {
        file.truncate(Gridfarm.position(size, "truncate", path()));
    }

    /** What was written is on stable storage at every copy, and the size is durable. */
    public void sync() {
        file.sync();
    }

    /** As {@link #read}. */
    public CompletableFuture<Integer> readAsync(long offset, ByteBuffer into) {
        return begun(
                "read",
                () -> {
                    Gridfarm.position(offset, "read", path());
                    return readOn(offset, into, 0);
                });
    }

    private CompletableFuture<Integer> readOn(long offset, ByteBuffer into, int before) {
        if (!into.hasRemaining()) {
            return CompletableFuture.completedFuture(before);
        }
        return handle().read(offset + before, Math.min(into.remaining(), BYTES_AT_ONCE))
                .thenCompose(bytes -> {
                    int got = taken(bytes, into);
                    return got == 0
                            ? CompletableFuture.completedFuture(before == 0 ? -1 : before)
                            : readOn(offset, into, before + got);
                });
    }

    private static int taken(ByteBuf bytes, ByteBuffer into) {
        try {
            int got = bytes.readableBytes();
            bytes.readBytes(into.duplicate().limit(into.position() + got));
            into.position(into.position() + got);
            return got;
        } finally {
            bytes.release();
        }
    }

    /** As {@link #write}; the buffer is read before this returns. */
    public CompletableFuture<Void> writeAsync(long offset, ByteBuffer from) {
        return begun(
                "write",
                () -> {
                    long at = Gridfarm.position(offset, "write", path());
                    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
                    while (from.hasRemaining()) {
                        int length = Math.min(from.remaining(), BYTES_AT_ONCE);
                        ByteBuf bytes = Buffers.POOL.directBuffer(length, length);
                        bytes.writeBytes(from.duplicate().limit(from.position() + length));
                        from.position(from.position() + length);
                        all = CompletableFuture.allOf(all, handle().write(at, bytes));
                        at += length;
                    }
                    return all;
                });
    }

    /** As {@link #sync}. */
    public CompletableFuture<Void> syncAsync() {
        return begun("sync", () -> handle().sync());
    }

    /** As {@link #close}. */
    public CompletableFuture<Void> closeAsync() {
        return begun("close", () -> handle().close());
    }

    private FileHandle handle() {
        return file.handle();
    }

    private <T> CompletableFuture<T> begun(String operation, Supplier<CompletableFuture<T>> call) {
        return Gridfarm.told(operation, path(), call);
    }

    /** Gives the file up; a failure of a write that nobody heard of is told here. */
    @Override
    public void close() {
        file.close();
    }
}
