package org.gridfarm.metaserver.sim;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

import java.util.function.UnaryOperator;

/** A request whose answer is changed on its way, or does not go out because another has. */
final class Tampered<Q extends MessageLite, R extends MessageLite> implements Exchange<Q, R> {
    private final Exchange<Q, R> exchange;
    private final @Nullable UnaryOperator<MessageLite> change;

    /**
     * @param change to a message of the same type
     */
    Tampered(Exchange<Q, R> exchange, @Nullable UnaryOperator<MessageLite> change) {
        this.exchange = exchange;
        this.change = change;
    }

    static <Q extends MessageLite, R extends MessageLite> Exchange<Q, R> unanswered(
            Exchange<Q, R> exchange) {
        return new Tampered<>(exchange, null);
    }

    @Override
    public Method<Q, R> method() {
        return exchange.method();
    }

    @Override
    public Q request() {
        return exchange.request();
    }

    @Override
    public ByteBuf payload() {
        return exchange.payload();
    }

    @Override
    public Peer peer() {
        return exchange.peer();
    }

    @Override
    public long deadlineNanos() {
        return exchange.deadlineNanos();
    }

    @Override
    public long millisLeft() {
        return exchange.millisLeft();
    }

    @Override
    public String requestId() {
        return exchange.requestId();
    }

    @Override
    public @Nullable Trace trace() {
        return exchange.trace();
    }

    @Override
    public boolean isCancelled() {
        return exchange.isCancelled();
    }

    @Override
    public boolean isAnswered() {
        return exchange.isAnswered();
    }

    @Override
    public void onCancel(Runnable action) {
        exchange.onCancel(action);
    }

    @Override
    @SuppressWarnings("unchecked") // the change keeps the type
    public void reply(R message) {
        if (change != null) exchange.reply((R) change.apply(message));
    }

    @Override
    public void reply(R message, ByteBuf payload) {
        exchange.reply(message, payload);
    }

    @Override
    public void reply(R message, FileRegion payload) {
        exchange.reply(message, payload);
    }

    @Override
    public void fail(FarmException failure) {
        if (change != null) exchange.fail(failure);
    }

    @Override
    public void failWith(Throwable cause) {
        if (change != null) exchange.failWith(cause);
    }
}
