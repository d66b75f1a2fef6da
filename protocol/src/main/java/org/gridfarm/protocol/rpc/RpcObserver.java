package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.error.ErrorKind;
import org.jspecify.annotations.Nullable;

/**
 * Hears what connections do, for metrics. Called on event loops: implementations are quick and
 * thread-safe.
 */
public interface RpcObserver {
    RpcObserver NONE = new RpcObserver() {};

    /** A call of ours went out. */
    default void callBegan(Method<?, ?> method) {}

    /** A call of ours ended; failure is null if it succeeded. */
    default void callEnded(Method<?, ?> method, @Nullable ErrorKind failure, long nanos) {}

    /** A request came in. */
    default void requestBegan(Method<?, ?> method) {}

    /** A request was answered, or given up because its caller went away (CANCELLED). */
    default void requestEnded(Method<?, ?> method, @Nullable ErrorKind failure, long nanos) {}

    /**
     * Beside {@link #requestEnded}, for a request that was answered: bytes of content beside the
     * messages.
     */
    default void requestAnswered(
            Exchange<?, ?> exchange, @Nullable ErrorKind failure, long received, long sent) {}

    /** A request that takes longer is told to {@link #requestWasSlow}, too. */
    default long slowNanos() {
        return Long.MAX_VALUE;
    }

    /** Beside {@link #requestEnded}; not of methods that wait for something to happen. */
    default void requestWasSlow(Exchange<?, ?> exchange, @Nullable ErrorKind failure, long nanos) {}

    default void bytesReceived(long bytes) {}

    default void bytesSent(long bytes) {}

    default void connectionOpened() {}

    default void connectionClosed() {}
}
