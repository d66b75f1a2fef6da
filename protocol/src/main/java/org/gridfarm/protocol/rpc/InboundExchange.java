package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.trace.Trace;
import org.gridfarm.protocol.wire.Failure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A request of the other side until it is answered. The connection's table of exchanges decides
 * whether an answer counts.
 */
final class InboundExchange<Q extends MessageLite, R extends MessageLite>
        implements Exchange<Q, R>, Outgoing {
    private static final Logger log = LoggerFactory.getLogger(InboundExchange.class);

    private final Connection connection;
    private final long id;
    private final Method<Q, R> method;
    private final Q request;
    private final ByteBuf payload;
    private final int receivedBytes;
    private final @Nullable Trace trace;
    private final Underway.Hold hold;
    private final long beganNanos;
    private final long deadlineNanos;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final Object cancelLock = new Object(); // a leaf: nothing is called while it is held
    private @Nullable List<Runnable> cancelActions; // @GuardedBy cancelLock
    private volatile boolean cancelled;

    // The answer, between answering and writing; handed to the event loop through the connection's
    // queue.
    private @Nullable R reply;
    private @Nullable Object replyPayload;
    private @Nullable FarmException failure;

    InboundExchange(
            Connection connection,
            long id,
            Method<Q, R> method,
            Q request,
            ByteBuf payload,
            int deadlineMillis,
            @Nullable Trace trace,
            Underway.Hold hold) {
        this.connection = connection;
        this.id = id;
        this.method = method;
        this.request = request;
        this.payload = payload;
        this.receivedBytes = payload.readableBytes();
        this.trace = trace;
        this.hold = hold;
        this.beganNanos = connection.settings().nanoTime();
        this.deadlineNanos =
                deadlineMillis == 0
                        ? Long.MAX_VALUE
                        : beganNanos + Integer.toUnsignedLong(deadlineMillis) * 1_000_000;
    }

    long id() {
        return id;
    }

    @Override
    public Method<Q, R> method() {
        return method;
    }

    @Override
    public Q request() {
        return request;
    }

    @Override
    public ByteBuf payload() {
        return payload;
    }

    @Override
    public Peer peer() {
        return connection;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public long millisLeft() {
        return deadlineNanos == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(0, (deadlineNanos - connection.settings().nanoTime()) / 1_000_000);
    }

    @Override
    public String requestId() {
        return connection.number() + "-" + id;
    }

    @Override
    public @Nullable Trace trace() {
        return trace;
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public boolean isAnswered() {
        return answered.get();
    }

    @Override
    public void onCancel(Runnable action) {
        synchronized (cancelLock) {
            if (!cancelled) {
                if (cancelActions == null) cancelActions = new ArrayList<>(1);
                cancelActions.add(action);
                return;
            }
        }
        action.run();
    }

    /** On the event loop, after the exchange left the connection's table. */
    void cancel() {
        hold.cancelled();
        List<Runnable> actions;
        synchronized (cancelLock) {
            cancelled = true;
            actions = cancelActions;
            cancelActions = null;
        }
        connection
                .settings()
                .observer()
                .requestEnded(
                        method, ErrorKind.CANCELLED, connection.settings().nanoTime() - beganNanos);
        if (actions == null || answered.get()) return;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (RuntimeException e) {
                log.error("{} {}: cancelling failed", requestId(), method, e);
            }
        }
    }

    @Override
    public void reply(R message) {
        answer(message, null, null);
    }

    @Override
    public void reply(R message, ByteBuf bytes) {
        answer(message, bytes, null);
    }

    @Override
    public void reply(R message, FileRegion region) {
        answer(message, region, null);
    }

    @Override
    public void fail(FarmException why) {
        answer(null, null, why);
    }

    @Override
    public void failWith(Throwable cause) {
        Throwable innermost = cause;
        while (!(innermost instanceof FarmException) && innermost.getCause() != null)
            innermost = innermost.getCause();
        if (innermost instanceof FarmException known) {
            if (known.kind() == ErrorKind.INTERNAL) logDefect(known);
            fail(known);
        } else if (cause instanceof CancellationException) {
            fail(new FarmException(ErrorKind.CANCELLED, method.name(), ""));
        } else {
            logDefect(cause);
            // The text stays in this log: it may name things that the caller has no right to know.
            fail(
                    new FarmException(
                            ErrorKind.INTERNAL, method.name(), "", "request " + requestId()));
        }
    }

    /** On whatever thread it came out: the line carries this request's id. */
    private void logDefect(Throwable defect) {
        String before = MDC.get(Connection.REQUEST_KEY);
        MDC.put(Connection.REQUEST_KEY, requestId());
        log.error("{} failed", method, defect);
        if (before == null) MDC.remove(Connection.REQUEST_KEY);
        else MDC.put(Connection.REQUEST_KEY, before);
    }

    private void answer(@Nullable R message, @Nullable Object bytes, @Nullable FarmException why) {
        if (!answered.compareAndSet(false, true)) {
            ReferenceCountUtil.safeRelease(bytes);
            throw new IllegalStateException(
                    requestId() + " " + method + " was answered a second time", why);
        }
        reply = message;
        replyPayload = bytes;
        failure = why;
        connection.submit(this);
    }

    @Override
    public void write(Connection to) {
        hold.end();
        Object bytes = replyPayload;
        replyPayload = null;
        if (!to.forget(this)) { // cancelled meanwhile, or the connection is gone
            ReferenceCountUtil.safeRelease(bytes);
            return;
        }
        R message = reply;
        FarmException refusal = failure;
        long sent = length(bytes);
        if (message != null && refusal == null)
            refusal = tryWrite(to.writer(), message, bytes, sent);
        if (refusal != null && to.isProved()) {
            try (Trace.Scope entered = Trace.enter(trace)) {
                Audit.answered(to, refusal);
            }
        }
        if (refusal != null)
            to.writer().write(FrameType.FAILURE, id, method.number(), 0, encode(refusal));
        long nanos = connection.settings().nanoTime() - beganNanos;
        ErrorKind kind = refusal == null ? null : refusal.kind();
        to.settings().observer().requestEnded(method, kind, nanos);
        to.settings()
                .observer()
                .requestAnswered(this, kind, receivedBytes, refusal == null ? sent : 0);
        if (nanos >= to.settings().observer().slowNanos() && !method.waits())
            to.settings().observer().requestWasSlow(this, kind, nanos);
    }

    private static long length(@Nullable Object bytes) {
        return bytes instanceof FileRegion region
                ? region.count()
                : bytes instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
    }

    /** Writes the reply, or writes nothing and says why; the payload is gone in either case. */
    private @Nullable FarmException tryWrite(
            FrameWriter writer, R message, @Nullable Object bytes, long raw) {
        if (!FrameWriter.fits(message.getSerializedSize(), raw)) {
            ReferenceCountUtil.safeRelease(bytes);
            log.error(
                    "{} {}: a reply of {} bytes does not fit into one frame",
                    requestId(),
                    method,
                    message.getSerializedSize() + raw);
            return new FarmException(
                    ErrorKind.TOO_BIG, method.name(), "", "the reply is too large");
        }
        try {
            if (bytes instanceof FileRegion region)
                writer.write(FrameType.REPLY, id, method.number(), message, region);
            else if (bytes instanceof ByteBuf buffer)
                writer.write(FrameType.REPLY, id, method.number(), 0, message, buffer);
            else writer.write(FrameType.REPLY, id, method.number(), 0, message);
            return null;
        } catch (UncheckedIOException e) {
            log.error("{} {}: reading the file to send failed", requestId(), method, e);
            return new FarmException(
                    ErrorKind.DISK_FAILED, method.name(), "", String.valueOf(e.getCause()));
        }
    }

    static FarmException decode(Failure failure) {
        return new FarmException(
                ErrorKind.of(failure.getKind()),
                failure.getOperation(),
                failure.getSubject(),
                failure.getDetail());
    }

    static Failure encode(FarmException failure) {
        return Failure.newBuilder()
                .setKind(failure.kind().number())
                .setOperation(failure.operation())
                .setSubject(NameText.shown(failure.subject()))
                .setDetail(NameText.shown(failure.detail()))
                .build();
    }
}
