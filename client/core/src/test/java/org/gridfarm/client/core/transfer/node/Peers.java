package org.gridfarm.client.core.transfer.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Connections with nobody at the other end. */
public final class Peers {
    private Peers() {}

    public static Peer peer(BooleanSupplier open) {
        return (Peer)
                Proxy.newProxyInstance(
                        Peer.class.getClassLoader(),
                        new Class<?>[] {Peer.class},
                        (self, method, arguments) ->
                                method.getName().equals("isOpen")
                                        ? (Object) open.getAsBoolean()
                                        : null);
    }

    /** Connected for good, and answers requests so. */
    public static Peer answering(Function<Object, CompletableFuture<?>> answer) {
        return (Peer)
                Proxy.newProxyInstance(
                        Peer.class.getClassLoader(),
                        new Class<?>[] {Peer.class},
                        (self, method, arguments) ->
                                switch (method.getName()) {
                                    case "isOpen" -> true;
                                    case "equals" -> self == arguments[0];
                                    case "callPlain" -> answer.apply(arguments[1]);
                                    case "whenClosed" -> (Runnable) () -> {};
                                    default -> throw new AssertionError(method);
                                });
    }

    public static void assertTimedOut(CompletableFuture<?> call) {
        assertThat(call)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .satisfies(
                        e -> assertThat(((FarmException) e).kind()).isEqualTo(ErrorKind.TIMED_OUT));
    }
}
