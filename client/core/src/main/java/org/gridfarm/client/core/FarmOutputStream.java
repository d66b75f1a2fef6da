package org.gridfarm.client.core;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.Buffers;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Writes a file from an offset on, in chunks of which several are under way at once; close waits
 * for all of them, and is where a failure of the last ones is told. For one thread.
 */
public final class FarmOutputStream extends OutputStream {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int CHUNKS_UNDER_WAY = 8; // 8 MiB: several round trips of a fast network
    private static final int UNGATHERED_BYTES = 8 << 10;
    private static final int HERE_AT_ONCE = 256 << 10; // they pass through a buffer of the JDK

    private final FarmPath path;
    private final FileHandle handle;
    private final boolean append;
    private final Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();
    private long position;
    private ByteBuf chunk = newChunk();
    private boolean here; // the last bytes went into the plain file of this host
    private boolean closed;
    private @Nullable FarmException failure;

    FarmOutputStream(FarmPath path, FileHandle handle, boolean append) {
        this.path = path;
        this.handle = handle;
        this.append = append;
    }

    private static ByteBuf newChunk() {
        return Buffers.POOL.directBuffer(16 << 10, CHUNK_BYTES);
    }

    @Override
    public void write(int b) throws IOException {
        requireOpen();
        chunk.writeByte(b);
        sendIfFull();
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, from.length);
        requireOpen();
        int at = offset;
        while (at < offset + length) {
            int left = offset + length - at;
            if (here && left >= UNGATHERED_BYTES && !chunk.isReadable()) {
                int some = Math.min(left, HERE_AT_ONCE);
                if (wroteHere(ByteBuffer.wrap(from, at, some))) {
                    at += some;
                    continue;
                }
            }
            int run = Math.min(left, CHUNK_BYTES - chunk.readableBytes());
            chunk.writeBytes(from, at, run);
            at += run;
            sendIfFull();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (closed) {
            throw new ClosedChannelException();
        }
    }

    private void sendIfFull() throws IOException {
        if (chunk.readableBytes() == CHUNK_BYTES) {
            send();
        }
    }

    private void send() throws IOException {
        int length = chunk.readableBytes();
        if (length == 0) {
            return;
        }
        if (!append && handle.mayWriteHereSoon()) {
            awaitAllBut(0);
        }
        if (wroteHere(chunk.nioBuffer())) {
            chunk.clear();
            return;
        }
        ByteBuf full = chunk;
        chunk = newChunk();
        underWay.add(append ? handle.append(full) : handle.write(position, full));
        position += length;
        awaitAllBut(CHUNKS_UNDER_WAY - 1);
    }

    /** By this thread, without a copy; false: it is to be sent. */
    private boolean wroteHere(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        try {
            Blocking.requireNoInterrupt("write", path);
            here = !append && handle.writeHere(position, bytes);
        } catch (FarmException e) {
            failure = e.about("write", path.toString());
            throw failure.toIoException();
        }
        position += here ? length : 0;
        return here;
    }

    private void awaitAllBut(int count) throws IOException {
        try {
            while (underWay.size() > count) {
                Blocking.await(underWay.remove(), "write", path);
            }
        } catch (FarmException e) {
            failure = e;
            throw e.toIoException();
        }
    }

    /** What was written is at the nodes, in memory. */
    @Override
    public void flush() throws IOException {
        send();
        awaitAllBut(0);
    }

    /** What was written is on stable storage at every replica. */
    public void sync() throws IOException {
        flush();
        tellOfFailure();
        try {
            Blocking.await(handle.sync(), "sync", path);
        } catch (FarmException e) {
            throw e.toIoException();
        }
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            flush();
        } finally {
            chunk.release();
            try {
                Blocking.await(handle.close(), "close", path);
            } catch (FarmException e) {
                throw e.toIoException();
            }
        }
        tellOfFailure();
    }

    /** A write that failed is told again by whatever says that all is well. */
    private void tellOfFailure() throws IOException {
        if (failure != null) {
            throw failure.toIoException();
        }
    }
}
