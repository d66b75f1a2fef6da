package org.gridfarm.scheduler.server;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.jspecify.annotations.Nullable;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Asks a {@link JobService} as the network would. */
final class Answers {
    private Answers() {}

    private record Call(Object request, Identity caller, CompletableFuture<Object> answer)
            implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] words) {
            return switch (method.getName()) {
                case "request" -> request;
                case "peer" -> proxy;
                case "identity" -> caller;
                case "isCancelled" -> false;
                case "reply", "failWith", "fail" -> {
                    answer.complete(Objects.requireNonNull(words)[0]);
                    yield null;
                }
                default -> throw new UnsupportedOperationException(method.getName());
            };
        }
    }

    static <Q extends MessageLite, R extends MessageLite> Object answer(
            Identity caller,
            Q request,
            BiConsumer<JobService, Exchange<Q, R>> method,
            JobService of) {
        return Answers.<Q, R>answered(caller, request, exchange -> method.accept(of, exchange));
    }

    @SuppressWarnings("unchecked")
    static <Q extends MessageLite, R extends MessageLite> Object answered(
            Identity caller, Q request, Consumer<Exchange<Q, R>> method) {
        Call call = new Call(request, caller, new CompletableFuture<>());
        method.accept(
                (Exchange<Q, R>)
                        Proxy.newProxyInstance(
                                Call.class.getClassLoader(),
                                new Class<?>[] {Exchange.class, Peer.class},
                                call));
        return call.answer().orTimeout(20, SECONDS).join();
    }
}
