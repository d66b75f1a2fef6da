package org.gridfarm.metaserver.server.state;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Handler;
import org.gridfarm.protocol.rpc.Method;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** What one way of serving answers, by method. Filled once; run on the event thread. */
public final class HandlerTable {
    private final Map<Integer, Handler<?, ?>> handlers = new HashMap<>();

    public <Q extends MessageLite, R extends MessageLite> HandlerTable on(
            Method<Q, R> method, Handler<Q, R> handler) {
        handlers.put(method.number(), handler);
        return this;
    }

    /** False: this way of serving does not answer the method. */
    @SuppressWarnings("unchecked") // the key is the method's, whose types are the handler's
    public <Q extends MessageLite, R extends MessageLite> boolean run(Exchange<Q, R> exchange) {
        @Nullable Handler<Q, R> handler = (Handler<Q, R>) handlers.get(exchange.method().number());
        if (handler == null) return false;
        try {
            if (exchange.method().access().inSession()) Callers.of(exchange);
            handler.handle(exchange);
        } catch (Exception e) {
            exchange.failWith(e);
        }
        return true;
    }
}
