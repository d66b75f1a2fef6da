package org.gridfarm.client.cli.gateway.content;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Bytes of a file on their way to a client: the next piece is read while one is sent, and the
 * buffers of the network are those that the nodes' bytes came in. For one thread.
 */
public final class Download {
    private static final int PIECE_BYTES = 1 << 20;

    private final Call call;
    private final FarmFile file;

    public Download(Call call, FarmFile file) {
        this.call = call;
        this.file = file;
    }

    /**
     * Sends the file, or the range of it that was asked for; of a HEAD what is said before it.
     *
     * @throws FarmException as {@link #send}
     */
    public void answer(Optional<ByteRange> range, long size) throws IOException {
        long length = range.map(ByteRange::length).orElse(size);
        range.ifPresent(part ->
                call.answer().header(HttpHeaderNames.CONTENT_RANGE, part.contentRange(size)));
        int status = range.isPresent() ? 206 : 200;
        if (call.request().method().equals("HEAD")) {
            call.answer().begin(status, length);
            call.answer().end();
        } else {
            send(status, range.map(ByteRange::offset).orElse(0L), length);
        }
    }

    /**
     * Sends the whole answer.
     *
     * @throws FarmException before the status was told, or told of a part: then the connection says
     *     that the rest is missing
     */
    public void send(int status, long offset, long length) throws IOException {
        if (length == 0) {
            call.answer().begin(status, 0);
            call.answer().end();
            return;
        }
        long end = offset + length;
        long at = offset;
        CompletableFuture<ByteBuf> next = read(at, end);
        try {
            while (at < end) {
                CompletableFuture<ByteBuf> asked = next;
                next = none();
                ByteBuf piece = await(asked);
                int got = piece.readableBytes();
                if (at + got < end && got > 0) next = read(at + got, end);
                // Only now: a file that cannot be read is told by a status of its own.
                if (at == offset) begin(status, length, piece);
                if (got == 0) {
                    piece.release();
                    throw new IOException(call.path() + " became shorter while it was read");
                }
                call.answer().piece(piece);
                at += got;
            }
        } finally {
            next.thenAccept(ByteBuf::release);
        }
        call.answer().end();
    }

    private void begin(int status, long length, ByteBuf first) throws IOException {
        try {
            call.answer().begin(status, length);
        } catch (IOException e) {
            first.release();
            throw e;
        }
    }

    private CompletableFuture<ByteBuf> read(long offset, long end) {
        return file.handle().read(offset, (int) Math.min(PIECE_BYTES, end - offset));
    }

    private static CompletableFuture<ByteBuf> none() {
        return CompletableFuture.completedFuture(io.netty.buffer.Unpooled.EMPTY_BUFFER);
    }

    private ByteBuf await(CompletableFuture<ByteBuf> piece) {
        try {
            return piece.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "read", call.path().toString());
        } catch (ExecutionException e) {
            throw FarmException.of(e, "read", call.path().toString())
                    .about("read", call.path().toString());
        }
    }
}
