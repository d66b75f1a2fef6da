package org.gridfarm.client.cli.gateway.http;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What a client sends with its request, as it arrives: the next piece is asked for when the one
 * before has been read. Reading ends with an IOException where the connection ends before the body,
 * where the body is broken, and where nothing comes for {@link #SILENCE_MAX}. For one reader.
 */
public final class Body extends InputStream {
    static final Duration SILENCE_MAX = Duration.ofSeconds(60);

    private final Consumer<Body> asksForMore;
    private final Deque<ByteBuf> arrived = new ArrayDeque<>(); // guarded by this
    private boolean whole; // guarded by this: the last piece is there
    private @Nullable String broken; // guarded by this
    private boolean given; // guarded by this: nobody will read on
    private boolean asked; // guarded by this
    private long bytes; // guarded by this

    /**
     * @param asksForMore one piece, on any thread
     */
    Body(Consumer<Body> asksForMore) {
        this.asksForMore = asksForMore;
    }

    // ---- the connection's side, on its event loop

    /**
     * @param last nothing comes after it: who reads must not ask for more in between
     */
    synchronized void arrives(ByteBuf piece, boolean last) {
        asked = false;
        whole = last;
        if (given || !piece.isReadable()) {
            piece.release();
        } else {
            bytes += piece.readableBytes();
            arrived.add(piece);
        }
        notifyAll();
    }

    synchronized void breaks(String why) {
        if (!whole) broken = why;
        notifyAll();
    }

    synchronized boolean isWhole() {
        return whole;
    }

    // ---- the reader's

    /** How many bytes came until now. */
    public synchronized long bytes() {
        return bytes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) return 0;
        if (!hasMore()) return -1;
        ByteBuf first = arrived.element();
        int run = Math.min(length, first.readableBytes());
        first.readBytes(into, offset, run);
        if (!first.isReadable()) arrived.remove().release();
        return run;
    }

    /** Whether a byte is there to be read, for which this waits. */
    private boolean hasMore() throws IOException {
        long until = System.nanoTime() + SILENCE_MAX.toNanos();
        while (arrived.isEmpty()) {
            if (whole) return false;
            if (broken != null) throw new EOFException(broken);
            if (!asked) {
                asked = true;
                asksForMore.accept(this);
            }
            long left = until - System.nanoTime();
            if (left <= 0) {
                throw new SocketTimeoutException(
                        "nothing came for " + SILENCE_MAX.toSeconds() + " seconds");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new java.io.InterruptedIOException("the gateway ends");
            }
        }
        return true;
    }

    /** What has come and what will come is nobody's. */
    synchronized void giveUp() {
        given = true;
        arrived.forEach(ByteBuf::release);
        arrived.clear();
    }
}
