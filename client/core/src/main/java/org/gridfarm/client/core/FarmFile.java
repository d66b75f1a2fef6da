package org.gridfarm.client.core;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.Buffers;

import java.nio.ByteBuffer;

/**
 * An open file with a position of its own, like {@code RandomAccessFile}. Positional reads and
 * writes are thread-safe; those at the position are for one thread. Failures are {@link
 * org.gridfarm.protocol.error.FarmException}s about the path.
 */
public final class FarmFile implements AutoCloseable {
    private static final int BYTES_AT_ONCE = 4 << 20;

    private final FarmPath path;
    private final FileHandle handle;
    private long position;

    FarmFile(FarmPath path, FileHandle handle) {
        this.path = path;
        this.handle = handle;
    }

    public FarmPath path() {
        return path;
    }

    /** For asynchronous work on the same open file. */
    public FileHandle handle() {
        return handle;
    }

    /** Bytes; with other writers about, at this moment. */
    public long size() {
        long here = handle.sizeHere();
        return here >= 0 ? here : Blocking.await(handle.stat(), "stat", path).getSize();
    }

    public FileInfo stat() {
        return new FileInfo(path, Blocking.await(handle.stat(), "stat", path));
    }

    public long position() {
        return position;
    }

    public void seek(long newPosition) {
        position = newPosition;
    }

    /** Reads into the buffer from the offset; the number of bytes read, -1 at or behind the end. */
    public int read(long offset, ByteBuffer into) {
        Blocking.requireNoInterrupt("read", path);
        int total = handle.readHere(offset, into);
        if (total >= 0) {
            return total == 0 && into.hasRemaining() ? -1 : total;
        }
        total = 0;
        while (into.hasRemaining()) {
            ByteBuf bytes =
                    Blocking.await(
                            handle.read(offset + total, Math.min(into.remaining(), BYTES_AT_ONCE)),
                            "read",
                            path);
            try {
                int got = bytes.readableBytes();
                if (got == 0) {
                    return total == 0 ? -1 : total;
                }
                ByteBuffer part = into.duplicate().limit(into.position() + got);
                bytes.readBytes(part);
                into.position(into.position() + got);
                total += got;
            } finally {
                bytes.release();
            }
        }
        return total;
    }

    /** Reads at the position and moves it. */
    public int read(ByteBuffer into) {
        int got = read(position, into);
        position += Math.max(0, got);
        return got;
    }

    /** Writes all of the buffer at the offset. */
    public void write(long offset, ByteBuffer from) {
        Blocking.requireNoInterrupt("write", path);
        long at = offset;
        while (from.hasRemaining()) {
            if (wroteHere(at, from)) {
                return;
            }
            int run = Math.min(from.remaining(), BYTES_AT_ONCE);
            Blocking.await(handle.write(at, taken(from, run)), "write", path);
            at += run;
        }
    }

    private boolean wroteHere(long at, ByteBuffer from) {
        try {
            return handle.writeHere(at, from);
        } catch (FarmException e) {
            throw e.about("write", path.toString());
        }
    }

    /** Writes at the position and moves it. */
    public void write(ByteBuffer from) {
        int length = from.remaining();
        write(position, from);
        position += length;
    }

    /**
     * Appends all of the buffer, at most 4 MiB at once atomically; the offset where its last part
     * began.
     */
    public long append(ByteBuffer from) {
        long at = 0;
        while (from.hasRemaining()) {
            at =
                    Blocking.await(
                            handle.append(taken(from, Math.min(from.remaining(), BYTES_AT_ONCE))),
                            "append",
                            path);
        }
        return at;
    }

    static ByteBuf taken(ByteBuffer from, int length) {
        ByteBuf bytes = Buffers.POOL.directBuffer(length, length);
        ByteBuffer part = from.duplicate().limit(from.position() + length);
        bytes.writeBytes(part);
        from.position(from.position() + length);
        return bytes;
    }

    /**
     * Copies bytes of another open file of the same farm, on the nodes where the layouts permit;
     * the number of bytes copied, fewer than asked only at the end of the source.
     */
    public long copyFrom(FarmFile source, long from, long to, long count) {
        return Blocking.await(handle.copyRange(source.handle, from, to, count), "copy", path);
    }

    /** A stream that writes from the begin on, or appends, and closes this file. */
    public FarmOutputStream output() {
        return new FarmOutputStream(path, handle, handle.flags().append());
    }

    public void truncate(long size) {
        Blocking.await(handle.truncate(size), "truncate", path);
    }

    /** What was written is on stable storage at every replica. */
    public void sync() {
        Blocking.await(handle.sync(), "sync", path);
    }

    @Override
    public void close() {
        Blocking.await(handle.close(), "close", path);
    }
}
