package org.gridfarm.metaserver.server.state;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Handler;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What one way of serving answers, by method. Filled once; run on the event thread.
 *
 * <p>A handler refuses by throwing a {@link FarmException}. Whatever else it throws is a defect:
 * its call fails, and the way of serving is told, as memory may have been changed by halves.
 */
public final class HandlerTable {
    private final Map<Integer, Handler<?, ?>> handlers = new HashMap<>();
    private final Consumer<Throwable> failed;
    private @Nullable ScopeGate gate;
    private First first = (_, _, _) -> false;

    /** Looks at each call in a session before it is run. */
    public interface First {
        /** True: the call is to wait; {@code again} runs it anew. */
        boolean holdsUp(Caller caller, Exchange<?, ?> exchange, Runnable again);
    }

    public HandlerTable(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Whom a token limits is held to its paths by this; without it nothing is answered to him. */
    public void judging(ScopeGate by) {
        gate = by;
    }

    public void first(First by) {
        first = by;
    }

    public <Q extends MessageLite, R extends MessageLite> HandlerTable on(
            Method<Q, R> method, Handler<Q, R> handler) {
        handlers.put(method.number(), handler);
        return this;
    }

    private void requireScope(Caller caller, Exchange<?, ?> exchange) {
        if (caller.identity().scopes().isEmpty()) return;
        if (gate == null) throw new IllegalStateException("nobody judges scopes here");
        gate.require(caller, exchange.method(), exchange.request());
    }

    /** False: this way of serving does not answer the method. */
    @SuppressWarnings("unchecked") // the key is the method's, whose types are the handler's
    public <Q extends MessageLite, R extends MessageLite> boolean run(Exchange<Q, R> exchange) {
        @Nullable Handler<Q, R> handler = (Handler<Q, R>) handlers.get(exchange.method().number());
        if (handler == null) return false;
        try (Trace.Scope _ = Trace.enter(exchange.trace())) {
            if (exchange.method().access().inSession()) {
                Caller caller = Callers.of(exchange);
                requireScope(caller, exchange);
                if (first.holdsUp(caller, exchange, () -> run(exchange))) return true;
            }
            handler.handle(exchange);
        } catch (FarmException refused) {
            exchange.failWith(refused);
        } catch (Exception e) {
            exchange.failWith(e);
            failed.accept(e);
        }
        return true;
    }
}
