package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.collection.LongObjectHashMap;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.tls.PeerRefused;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.trace.Trace;
import org.gridfarm.protocol.wire.Failure;
import org.gridfarm.protocol.wire.Welcome;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

import javax.net.ssl.SSLException;

/**
 * One welcomed connection: the last handler of its channel and the {@link Peer} that others hold.
 *
 * <p>Everything is owned by the event loop except the queue, through which other threads hand over
 * what is to be written, and the volatile and concurrent fields. Many writes become one: frames of
 * a round of the event loop share a buffer and a flush.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Peer, FrameSink {
    private static final Logger log = LoggerFactory.getLogger(Connection.class);

    /**
     * Where log lines find the request they belong to; whoever carries one on to another thread
     * sets it there.
     */
    static final String REQUEST_KEY = "request";

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Channel channel;
    private final EventLoop loop;
    private final ConnectionSettings settings;
    private final boolean accepted;
    private final String address;
    private final ActAs.Whom whom;
    private final String number = Long.toHexString(NUMBERS.incrementAndGet());
    private final FrameReader reader;
    private final FrameWriter writer;
    private final Liveness liveness;
    private final CallTable calls;
    private final LongObjectHashMap<InboundExchange<?, ?>> exchanges = new LongObjectHashMap<>();
    private final Queue<Outgoing> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final Map<AttachmentKey<?>, Object> attachments = new ConcurrentHashMap<>();
    private final AfterClosing afterClosing = new AfterClosing(this);
    private final TraceFrames traces = new TraceFrames();
    private volatile boolean open = true;
    private volatile String lostBecause = "closed by the other side";
    private boolean reading;
    private @Nullable AcceptedGate gate;
    private @Nullable Underway underway; // null: this side has dialled
    private boolean flushScheduled;
    private @Nullable ScheduledFuture<?> ticker;

    private boolean waitsForRoom() {
        return gate != null && gate.waits();
    }

    /** There is room for the frame that waits. On any thread. */
    private void goOnSoon() {
        try {
            loop.execute(this::goOn);
        } catch (RejectedExecutionException e) {
            log.debug("{}: its event loop has ended", this);
        }
    }

    private void goOn() {
        AcceptedGate waiting = gate;
        if (!open || waiting == null) return; // the room was given back when it was closed
        waiting.goesOn();
        readOrNot();
        liveness.heard(settings.nanoTime());
        reading = true;
        try {
            reader.goOn(channel.alloc());
        } catch (FarmException e) {
            refuse(e);
        } finally {
            reading = false;
            drain();
            flush();
        }
    }

    /** On the event loop. The other side is asked for no more than this one has room for. */
    void guard(FrameRoom room, RequestRoom requests) {
        gate =
                new AcceptedGate(
                        settings.services(), this::identity, room, this::readOrNot, this::goOnSoon);
        reader.guard(gate);
        underway = new Underway(requests, this::identity, loop);
    }

    /**
     * On the event loop. The reader may hold the beginning of a frame already; from now on it reads
     * for this connection.
     */
    Connection(
            Channel channel,
            ConnectionSettings settings,
            boolean accepted,
            String address,
            Identity identity,
            FrameReader reader) {
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.settings = settings;
        this.accepted = accepted;
        this.address = address;
        this.whom = new ActAs.Whom(identity, channel);
        this.reader = reader;
        this.writer = new FrameWriter(channel, channel.pipeline().get(SslHandler.class) != null);
        this.liveness = new Liveness(settings.keepAlive(), settings.nanoTime());
        this.calls = new CallTable(loop, settings.clock(), this::expire);
    }

    /** On the event loop, once this is in the pipeline. */
    void begin() {
        reader.redirect(this);
        ticker =
                loop.scheduleAtFixedRate(
                        this::tick,
                        liveness.tickNanos(),
                        liveness.tickNanos(),
                        TimeUnit.NANOSECONDS);
        settings.observer().connectionOpened();
    }

    /** On the event loop. */
    TraceFrames traces() {
        return traces;
    }

    void welcome(Welcome welcome) {
        writer.write(FrameType.WELCOME, 0, 0, 0, welcome);
        flush();
    }

    // ---- what others ask for, on any thread

    @Override
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
            Method<Q, R> method, Q request, @Nullable ByteBuf payload, Duration deadline) {
        return start(method, request, payload, deadline, Answer::new);
    }

    @Override
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> callPlain(
            Method<Q, R> method, Q request, Duration deadline) {
        return start(
                method,
                request,
                null,
                deadline,
                (message, bytes) -> {
                    bytes.release();
                    return message;
                });
    }

    private <Q extends MessageLite, R extends MessageLite, T> CompletableFuture<T> start(
            Method<Q, R> method,
            Q request,
            @Nullable ByteBuf payload,
            Duration deadline,
            BiFunction<R, ByteBuf, T> result) {
        PendingCall<Q, R, T> call =
                new PendingCall<>(this, method, request, payload, deadline.toNanos(), result);
        submit(call);
        return call;
    }

    @Override
    public Identity identity() {
        return whom.identity();
    }

    /** On the event loop. */
    ActAs.Whom whom() {
        return whom;
    }

    @Override
    public boolean isGateway() {
        return whom.isGateway();
    }

    @Override
    public long keyBinding() {
        return whom.keyBinding();
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public Runnable whenClosed(Runnable action) {
        return afterClosing.add(action);
    }

    @Override
    public void close() {
        close("closed by this side");
    }

    @Override
    @SuppressWarnings("unchecked") // attach() lets no other type in under this key
    public <T> @Nullable T attachment(AttachmentKey<T> key) {
        return (T) attachments.get(key);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> @Nullable T attach(AttachmentKey<T> key, T value) {
        return (T) attachments.put(key, value);
    }

    @Override
    public String toString() {
        return "connection " + number + " with " + address;
    }

    // ---- writing

    /** Has something written, in the order of submission of each thread. */
    void submit(Outgoing outgoing) {
        if (loop.inEventLoop()) {
            drain();
            outgoing.write(this);
            flushSoon();
            return;
        }
        queue.add(outgoing);
        if (!woken.compareAndSet(false, true)) return;
        try {
            loop.execute(this::drainAndFlush);
        } catch (RejectedExecutionException e) {
            // The process is shutting its loops down; the channel is closed, and so nobody else
            // drains.
            open = false;
            drain();
        }
    }

    private void drainAndFlush() {
        woken.set(false);
        drain();
        flush();
    }

    private void drain() {
        for (Outgoing next = queue.poll(); next != null; next = queue.poll()) next.write(this);
    }

    private void flushSoon() {
        if (reading || flushScheduled) return;
        flushScheduled = true;
        loop.execute(() -> {
            flushScheduled = false;
            flush();
        });
    }

    private void flush() {
        if (!writer.flush()) return;
        liveness.spoke(settings.nanoTime());
        settings.observer().bytesSent(writer.takeBytesWritten());
    }

    FrameWriter writer() {
        return writer;
    }

    ConnectionSettings settings() {
        return settings;
    }

    String number() {
        return number;
    }

    // ---- our calls

    long register(PendingCall<?, ?, ?> call) {
        settings.observer().callBegan(call.method);
        return calls.add(call);
    }

    @Nullable FarmException overload(String operation) {
        if (calls.size() >= RpcLimits.CALLS_IN_FLIGHT_MAX)
            return new FarmException(
                    ErrorKind.OVERLOADED,
                    operation,
                    address,
                    calls.size() + " calls are unanswered");
        if (unsentBytes() > RpcLimits.UNSENT_BYTES_MAX)
            return new FarmException(
                    ErrorKind.OVERLOADED, operation, address, unsentBytes() + " bytes are unsent");
        return null;
    }

    FarmException lost(String operation) {
        return new FarmException(ErrorKind.DISCONNECTED, operation, address, lostBecause);
    }

    /** The caller gave up; id is 0 if the call had not been written. */
    void abandon(long id, PendingCall<?, ?, ?> call) {
        if (id == 0 || calls.remove(id) == null) return;
        settings.observer()
                .callEnded(call.method, ErrorKind.CANCELLED, settings.nanoTime() - call.beganNanos);
        if (open) writer.writeBare(FrameType.CANCEL, id);
    }

    private void expire(long id, PendingCall<?, ?, ?> call) {
        call.fail(call.timedOut());
        if (!open) return;
        writer.writeBare(FrameType.CANCEL, id);
        flushSoon();
    }

    // ---- reading

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        reading = true;
        liveness.heard(settings.nanoTime());
        settings.observer().bytesReceived(in.readableBytes());
        try {
            if (open) reader.read(context.alloc(), in);
        } catch (FarmException e) {
            refuse(e);
        } finally {
            in.release();
        }
    }

    /** The other side hears why, unless it does not speak our language. */
    private void refuse(FarmException why) {
        log.warn("{}: {}", this, why.getMessage());
        if (why.kind() == ErrorKind.NOT_AUTHENTICATED) Audit.refused(this, why);
        if (open && accepted && why.kind() != ErrorKind.PROTOCOL)
            writer.write(FrameType.FAILURE, 0, 0, 0, InboundExchange.encode(why));
        close(why.getMessage());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        drain();
        flush();
    }

    @Override
    public void frame(
            byte type,
            long call,
            int method,
            int deadlineMillis,
            ByteBuf in,
            int messageAt,
            int messageBytes,
            int end) {
        if (!open) return;
        switch (type) {
            case FrameType.REQUEST ->
                    request(call, method, deadlineMillis, in, messageAt, messageBytes, end);
            case FrameType.REPLY -> {
                PendingCall<?, ?, ?> pending = calls.remove(call);
                if (pending != null) pending.reply(in, messageAt, messageBytes, end);
            }
            case FrameType.FAILURE -> failure(call, in, messageAt, messageBytes);
            case FrameType.CANCEL -> {
                InboundExchange<?, ?> exchange = exchanges.remove(call);
                if (exchange != null) exchange.cancel();
            }
            case FrameType.PING -> writer.writeBare(FrameType.PONG, call);
            case FrameType.PONG -> {}
            case FrameType.TRACE -> traces.read(call, in, messageAt, messageBytes);
            default -> throw FrameReader.violation("an unexpected frame of type " + type);
        }
    }

    private void failure(long call, ByteBuf in, int messageAt, int messageBytes) {
        Failure failure;
        try {
            failure = Messages.parse(Failure.parser(), in, messageAt, messageBytes);
        } catch (IOException e) {
            throw FrameReader.violation("an unreadable failure: " + e.getMessage());
        }
        FarmException decoded = InboundExchange.decode(failure);
        if (call == 0) {
            close(decoded.getMessage());
            return;
        }
        PendingCall<?, ?, ?> pending = calls.remove(call);
        if (pending != null) pending.fail(decoded);
    }

    private void request(
            long id,
            int number,
            int deadlineMillis,
            ByteBuf in,
            int messageAt,
            int messageBytes,
            int end) {
        Trace trace = traces.take(id);
        if (id == 0 || exchanges.containsKey(id))
            throw FrameReader.violation("a second request with the id " + id);
        Services.Entry<?, ?> entry = settings.services().find(number);
        if (entry == null) {
            refuse(id, number, ErrorKind.UNSUPPORTED, "method " + number, "not served here");
        } else if (exchanges.size() >= RpcLimits.CALLS_IN_FLIGHT_MAX) {
            refuse(id, number, ErrorKind.OVERLOADED, entry.method().name(), "too many requests");
        } else {
            try (Trace.Scope entered = Trace.enter(trace)) {
                if (!mayCall(id, entry.method())) return;
                whom.asks(number);
                serve(entry, id, deadlineMillis, in, messageAt, messageBytes, end, trace);
            }
        }
    }

    /** The other side has proved who it is. */
    boolean isProved() {
        return settings.proved();
    }

    private boolean mayCall(long id, Method<?, ?> method) {
        if (!settings.proved()) return true;
        try {
            method.access().require(identity(), method.name());
            return true;
        } catch (FarmException refusal) {
            Audit.refused(this, refusal);
            writer.write(
                    FrameType.FAILURE, id, method.number(), 0, InboundExchange.encode(refusal));
            return false;
        }
    }

    private <Q extends MessageLite, R extends MessageLite> void serve(
            Services.Entry<Q, R> entry,
            long id,
            int deadlineMillis,
            ByteBuf in,
            int messageAt,
            int messageBytes,
            int end,
            @Nullable Trace trace) {
        Method<Q, R> method = entry.method();
        Underway.Hold hold = Underway.Hold.NOTHING;
        Q message;
        try {
            if (underway != null) hold = underway.take(method, in, messageAt, messageBytes);
            message = Messages.parse(method.request(), in, messageAt, messageBytes);
        } catch (FarmException e) {
            refuse(id, method.number(), e.kind(), method.name(), e.detail());
            return;
        } catch (IOException e) {
            hold.end();
            refuse(id, method.number(), ErrorKind.PROTOCOL, method.name(), "unreadable request");
            return;
        }
        int payloadAt = messageAt + messageBytes;
        ByteBuf payload =
                payloadAt == end
                        ? Unpooled.EMPTY_BUFFER
                        : in.retainedSlice(payloadAt, end - payloadAt);
        InboundExchange<Q, R> exchange =
                new InboundExchange<>(
                        this, id, method, message, payload, deadlineMillis, trace, hold);
        exchanges.put(id, exchange);
        settings.observer().requestBegan(method);
        MDC.put(REQUEST_KEY, exchange.requestId());
        try {
            entry.handler().handle(exchange);
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            if (!exchange.isAnswered()) exchange.failWith(e);
            else log.error("{} {} failed after its answer", exchange.requestId(), method, e);
        } finally {
            payload.release();
            MDC.remove(REQUEST_KEY);
        }
    }

    private void refuse(long id, int method, ErrorKind kind, String operation, String detail) {
        FarmException refusal = new FarmException(kind, operation, "", detail);
        writer.write(FrameType.FAILURE, id, method, 0, InboundExchange.encode(refusal));
    }

    /** Takes the exchange off the table; false if it was cancelled before. */
    boolean forget(InboundExchange<?, ?> exchange) {
        return open && exchanges.remove(exchange.id()) != null;
    }

    // ---- life and death

    /**
     * The check of the peer goes on while the connection lives: its proxy may run out, its name may
     * leave the map.
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof PeerRefused refusal) || !open) return;
        if (accepted) Audit.refused(this, refusal.reason());
        writer.write(FrameType.FAILURE, 0, 0, 0, InboundExchange.encode(refusal.reason()));
        close(refusal.reason().getMessage());
    }

    private void tick() {
        long now = settings.nanoTime();
        if (waitsForRoom()) liveness.heard(now); // it cannot be
        FarmException why = reader.isLate(now) ? FrameReader.late() : whom.over();
        if (why != null) {
            refuse(why);
            return;
        }
        switch (liveness.tick(settings.nanoTime(), !channel.config().isAutoRead(), unsentBytes())) {
            case PING -> {
                writer.writeBare(FrameType.PING, 0);
                flush();
            }
            case DEAD ->
                    close("silent for " + settings.keepAlive().silenceMax().toMillis() + " ms");
            case FINE -> {}
        }
    }

    private long unsentBytes() {
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    /**
     * A client that does not take its replies is not heard further: its requests would only pile up
     * more of them.
     */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        // Only at the accepting side: were both to stop reading, neither would ever start again.
        if (accepted) readOrNot();
    }

    private void readOrNot() {
        channel.config().setAutoRead(channel.isWritable() && !waitsForRoom());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause.getCause() instanceof SSLException) {
            close(String.valueOf(cause.getMessage()));
        } else {
            log.error("{} failed", this, cause);
            close("failed: " + cause);
        }
    }

    void close(String why) {
        if (!loop.inEventLoop()) {
            try {
                loop.execute(() -> close(why));
            } catch (RejectedExecutionException e) {
                log.debug("{}: the event loop has closed it before", this);
            }
            return;
        }
        if (!open) return;
        lostBecause = why;
        if (writer.flush()) settings.observer().bytesSent(writer.takeBytesWritten());
        end();
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end();
    }

    private void end() {
        if (!open) return;
        open = false;
        if (ticker != null) ticker.cancel(false);
        reader.close();
        writer.close();
        drain();
        for (PendingCall<?, ?, ?> call : calls.removeAll()) call.fail(lost(call.method.name()));
        List<InboundExchange<?, ?>> orphans = new ArrayList<>(exchanges.values());
        exchanges.clear();
        orphans.forEach(InboundExchange::cancel);
        settings.observer().connectionClosed();
        afterClosing.run();
    }
}
