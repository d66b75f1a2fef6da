package org.gridfarm.client.cli.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What a client is told. One piece is under way while the next is made; an IOException says that
 * the connection has ended, or that the client has taken nothing for {@link #SILENCE_MAX}. For one
 * thread.
 */
public final class Answer {
    private static final Duration SILENCE_MAX = Duration.ofSeconds(120);
    private static final int PIECE_BYTES = 64 << 10;

    /** The length of a body that is told by its end. */
    public static final long UNKNOWN = -1;

    private final Channel channel;
    private final HttpRequest request;
    private final BooleanSupplier bodyAwaitsCall;
    private final HttpHeaders headers;
    private final DefaultHttpResponse head;
    private @Nullable ChannelFuture underWay;
    private boolean begun;
    private boolean ended;
    private boolean last;
    private long bytes;

    /**
     * @param bodyAwaitsCall whether the client still holds the body back until it is told to send
     *     it: then nobody can tell whether what comes next is that body or another request
     */
    Answer(Channel channel, HttpRequest request, BooleanSupplier bodyAwaitsCall) {
        this.channel = channel;
        this.bodyAwaitsCall = bodyAwaitsCall;
        this.request = request;
        head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        headers = head.headers();
        last = !HttpUtil.isKeepAlive(request);
    }

    public Answer header(CharSequence name, Object value) {
        headers.set(name, value);
        return this;
    }

    /** This answer is the last on its connection. */
    public void endsConnection() {
        last = true;
    }

    /** The client was told a status; another one cannot follow. */
    public boolean isBegun() {
        return begun;
    }

    public int status() {
        return head.status().code();
    }

    /** Of the body, until now. */
    public long bytes() {
        return bytes;
    }

    boolean isWhole() {
        return ended;
    }

    boolean isLast() {
        return last;
    }

    /** Without a body. */
    public void empty(int status) throws IOException {
        begin(status, 0);
        end();
    }

    /** A line of text. */
    public void text(int status, String text) throws IOException {
        header(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8");
        whole(status, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public void whole(int status, byte[] body) throws IOException {
        begin(status, body.length);
        piece(Unpooled.wrappedBuffer(body));
        end();
    }

    /** A body of so many bytes follows, in pieces. */
    public void begin(int status, long length) throws IOException {
        head.setStatus(HttpResponseStatus.valueOf(status));
        if (length == UNKNOWN && request.protocolVersion().isKeepAliveDefault()) {
            HttpUtil.setTransferEncodingChunked(head, true);
        } else if (length == UNKNOWN) {
            last = true; // the end of the connection is the end of the body
        } else if (status != HttpResponseStatus.NO_CONTENT.code()
                && status != HttpResponseStatus.NOT_MODIFIED.code()) {
            HttpUtil.setContentLength(head, length);
        }
        last |= bodyAwaitsCall.getAsBoolean();
        HttpUtil.setKeepAlive(head, !last);
        headers.set(HttpHeaderNames.DATE, DateFormatter.format(new Date()));
        begun = true;
        if (channel.isActive()) send(head);
        else throw new IOException("the client has gone");
    }

    /** Takes the buffer over, in every case. */
    public void piece(ByteBuf piece) throws IOException {
        if (isForHead() || !piece.isReadable()) {
            piece.release();
            return;
        }
        try {
            await(underWay);
        } catch (IOException e) {
            piece.release();
            throw e;
        }
        bytes += piece.readableBytes();
        underWay = channel.writeAndFlush(new DefaultHttpContent(piece));
    }

    public void end() throws IOException {
        await(underWay);
        ended = true;
        // Who has counted the bytes may be gone by now.
        channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private void send(Object message) throws IOException {
        await(underWay);
        underWay = channel.writeAndFlush(message);
    }

    private boolean isForHead() {
        return request.method().equals(HttpMethod.HEAD);
    }

    private static void await(@Nullable ChannelFuture sent) throws IOException {
        if (sent == null) return;
        try {
            if (!sent.await(SILENCE_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SocketTimeoutException(
                        "the client took nothing for " + SILENCE_MAX.toSeconds() + " seconds");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new java.io.InterruptedIOException("the gateway ends");
        }
        if (!sent.isSuccess()) throw new IOException("the client has gone", sent.cause());
    }

    /** A body whose length is not known before; the status is told with its first piece. */
    public OutputStream stream(int status, String type) {
        header(HttpHeaderNames.CONTENT_TYPE, type);
        return new OutputStream() {
            private final byte[] piece = new byte[PIECE_BYTES];
            private int filled;
            private boolean closed;

            @Override
            public void write(int b) throws IOException {
                if (filled == PIECE_BYTES) send();
                piece[filled++] = (byte) b;
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                for (int at = offset; at < offset + length; ) {
                    if (filled == PIECE_BYTES) send();
                    int run = Math.min(PIECE_BYTES - filled, offset + length - at);
                    System.arraycopy(from, at, piece, filled, run);
                    filled += run;
                    at += run;
                }
            }

            private void send() throws IOException {
                if (!begun) begin(status, UNKNOWN);
                piece(Unpooled.copiedBuffer(piece, 0, filled));
                filled = 0;
            }

            @Override
            public void close() throws IOException {
                if (closed) return;
                closed = true;
                if (!begun) begin(status, filled);
                send();
                end();
            }
        };
    }
}
