package org.gridfarm.client.core;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.FileHandle;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** Reads a file from begin to end; the handle reads ahead. For one thread. */
public final class FarmInputStream extends InputStream {
    private static final int BYTES_AT_ONCE = 1 << 20;
    private static final int UNBUFFERED_BYTES = 8 << 10;
    private static final int HERE_AT_ONCE = 256 << 10; // they pass through a buffer of the JDK

    private final FarmPath path;
    private final FileHandle handle;
    private long position;
    private ByteBuf buffered = io.netty.buffer.Unpooled.EMPTY_BUFFER;

    FarmInputStream(FarmPath path, FileHandle handle) {
        this.path = path;
        this.handle = handle;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffered.readUnsignedByte() : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        if (length >= UNBUFFERED_BYTES && !buffered.isReadable()) {
            int got = readHere(ByteBuffer.wrap(into, offset, Math.min(length, HERE_AT_ONCE)));
            if (got >= 0) {
                return got == 0 ? -1 : got;
            }
        }
        if (!fill()) {
            return -1;
        }
        int run = Math.min(length, buffered.readableBytes());
        buffered.readBytes(into, offset, run);
        return run;
    }

    /** Negative: it is to be asked for. */
    private int readHere(ByteBuffer into) throws IOException {
        try {
            Blocking.requireNoInterrupt("read", path);
        } catch (FarmException e) {
            throw e.toIoException();
        }
        int got = handle.readHere(position, into);
        position += Math.max(0, got);
        return got;
    }

    private boolean fill() throws IOException {
        if (buffered.isReadable()) {
            return true;
        }
        drop();
        try {
            buffered = Blocking.await(handle.read(position, BYTES_AT_ONCE), "read", path);
        } catch (FarmException e) {
            throw e.toIoException();
        }
        position += buffered.readableBytes();
        return buffered.isReadable();
    }

    /** Moves to an offset of the file. */
    public void seek(long offset) {
        drop();
        position = offset;
    }

    @Override
    public long skip(long count) {
        long here = position - buffered.readableBytes();
        long left = Math.max(0, handle.attributes().getSize() - here);
        long run = Math.max(0, Math.min(count, left));
        seek(here + run);
        return run;
    }

    private void drop() {
        buffered.release();
        buffered = io.netty.buffer.Unpooled.EMPTY_BUFFER;
    }

    @Override
    public void close() throws IOException {
        drop();
        try {
            Blocking.await(handle.close(), "close", path);
        } catch (FarmException e) {
            throw e.toIoException();
        }
    }
}
