package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** What one side answers: an immutable map from method number to handler. */
public final class Services {
    private final @Nullable Entry<?, ?>[] byNumber;

    private Services(Map<Integer, Entry<?, ?>> entries) {
        int top = entries.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
        byNumber = new Entry<?, ?>[top + 1];
        entries.forEach((number, entry) -> byNumber[number] = entry);
    }

    /** Answers nothing: every request gets UNSUPPORTED. */
    public static Services none() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    @Nullable Entry<?, ?> find(int number) {
        return number < byNumber.length ? byNumber[number] : null;
    }

    @Override
    public String toString() {
        return "Services" + Arrays.stream(byNumber).filter(e -> e != null).toList();
    }

    record Entry<Q extends MessageLite, R extends MessageLite>(
            Method<Q, R> method, Handler<Q, R> handler) {
        @Override
        public String toString() {
            return method.name();
        }
    }

    /** Collects handlers; a method number may appear once. */
    public static final class Builder {
        private final Map<Integer, Entry<?, ?>> entries = new HashMap<>();

        private Builder() {}

        public <Q extends MessageLite, R extends MessageLite> Builder on(
                Method<Q, R> method, Handler<Q, R> handler) {
            Entry<?, ?> former = entries.putIfAbsent(method.number(), new Entry<>(method, handler));
            if (former != null)
                throw new IllegalArgumentException(
                        "method number "
                                + method.number()
                                + " is both "
                                + former.method()
                                + " and "
                                + method);
            return this;
        }

        /** A handler that computes its reply at once, or throws. */
        public <Q extends MessageLite, R extends MessageLite> Builder answer(
                Method<Q, R> method, Function<Q, R> function) {
            return on(method, exchange -> exchange.reply(function.apply(exchange.request())));
        }

        /**
         * A handler that returns its reply later; a failed stage becomes the failure of the call.
         */
        public <Q extends MessageLite, R extends MessageLite> Builder onAsync(
                Method<Q, R> method, Function<Exchange<Q, R>, CompletionStage<R>> function) {
            return on(
                    method,
                    exchange ->
                            function.apply(exchange)
                                    .whenComplete((reply, failure) -> {
                                        if (failure != null) exchange.failWith(failure);
                                        else exchange.reply(reply);
                                    }));
        }

        /** All handlers of another set, too. */
        public Builder include(Services others) {
            for (Entry<?, ?> entry : others.byNumber) if (entry != null) include(entry);
            return this;
        }

        private <Q extends MessageLite, R extends MessageLite> void include(Entry<Q, R> entry) {
            on(entry.method(), entry.handler());
        }

        public Services build() {
            return new Services(entries);
        }
    }
}
