package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCountUtil;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * A call of ours from the moment it was made until its answer; {@code T} is what the caller asked
 * to get of the answer.
 */
final class PendingCall<Q extends MessageLite, R extends MessageLite, T>
        extends CompletableFuture<T> implements Outgoing {
    final Method<Q, R> method;
    final long beganNanos;

    /** In the connection's time; {@link Long#MAX_VALUE} if there is none. */
    final long deadlineNanos;

    private final Connection connection;
    private final Q request;
    private final BiFunction<R, ByteBuf, T> result;
    private final @Nullable Trace trace = Trace.current();
    private @Nullable ByteBuf payload; // until written
    private long id; // 0 until written

    PendingCall(
            Connection connection,
            Method<Q, R> method,
            Q request,
            @Nullable ByteBuf payload,
            long patienceNanos,
            BiFunction<R, ByteBuf, T> result) {
        this.connection = connection;
        this.method = method;
        this.request = request;
        this.payload = payload;
        this.result = result;
        this.beganNanos = connection.settings().nanoTime();
        this.deadlineNanos = patienceNanos <= 0 ? Long.MAX_VALUE : beganNanos + patienceNanos;
    }

    @Override
    public void write(Connection to) {
        ByteBuf bytes = payload;
        payload = null;
        long nanosLeft =
                deadlineNanos == Long.MAX_VALUE
                        ? 0
                        : deadlineNanos - connection.settings().nanoTime();
        FarmException refusal = isDone() ? null : refusal(to, bytes, nanosLeft);
        if (isDone() || refusal != null) {
            if (bytes != null) bytes.release();
            if (refusal != null) completeExceptionally(refusal);
            return;
        }
        id = to.register(this);
        if (trace != null) to.traces().write(to.writer(), id, trace);
        // Rounded up, so that a fraction of a millisecond is not sent as "no deadline".
        int millis = (int) Math.min(Integer.MAX_VALUE, (nanosLeft + 999_999) / 1_000_000);
        if (bytes == null)
            to.writer().write(FrameType.REQUEST, id, method.number(), millis, request);
        else to.writer().write(FrameType.REQUEST, id, method.number(), millis, request, bytes);
    }

    private @Nullable FarmException refusal(
            Connection to, @Nullable ByteBuf bytes, long nanosLeft) {
        if (!to.isOpen()) return to.lost(method.name());
        if (deadlineNanos != Long.MAX_VALUE && nanosLeft <= 0) return timedOut();
        int raw = bytes == null ? 0 : bytes.readableBytes();
        if (!FrameWriter.fits(request.getSerializedSize(), raw, method.requestBytesMax()))
            return new FarmException(
                    ErrorKind.TOO_BIG,
                    method.name(),
                    to.address(),
                    request.getSerializedSize()
                            + raw
                            + " bytes do not fit into one frame of at most "
                            + method.requestBytesMax());
        return to.overload(method.name());
    }

    /** The reply, in a buffer that is lent. */
    void reply(ByteBuf in, int messageAt, int messageBytes, int end) {
        R message;
        try {
            message = Messages.parse(method.reply(), in, messageAt, messageBytes);
        } catch (IOException e) {
            fail(
                    new FarmException(
                            ErrorKind.PROTOCOL,
                            method.name(),
                            connection.address(),
                            "unreadable reply: " + e.getMessage()));
            return;
        }
        int raw = end - messageAt - messageBytes;
        ByteBuf bytes =
                raw == 0 ? Unpooled.EMPTY_BUFFER : in.retainedSlice(messageAt + messageBytes, raw);
        connection
                .settings()
                .observer()
                .callEnded(method, null, connection.settings().nanoTime() - beganNanos);
        T value = result.apply(message, bytes);
        if (!complete(value)) ReferenceCountUtil.safeRelease(bytes);
    }

    /** The end of a registered call that got no reply. */
    void fail(FarmException failure) {
        connection
                .settings()
                .observer()
                .callEnded(method, failure.kind(), connection.settings().nanoTime() - beganNanos);
        completeExceptionally(failure);
    }

    FarmException timedOut() {
        long millis = (deadlineNanos - beganNanos) / 1_000_000;
        return new FarmException(
                ErrorKind.TIMED_OUT,
                method.name(),
                connection.address(),
                "no answer within " + millis + " ms");
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled) connection.submit(to -> to.abandon(id, this));
        return cancelled;
    }
}
