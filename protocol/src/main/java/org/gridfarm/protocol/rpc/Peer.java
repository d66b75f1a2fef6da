package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.auth.Identity;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The other side of one connection. Thread-safe; calls of one thread are sent in the order they
 * were made.
 *
 * <p>Futures complete on the connection's event loop: what is chained to them must not block. They
 * fail with a {@link org.gridfarm.protocol.error.FarmException} and with nothing else: the one
 * thrown at the other side, {@code TIMED_OUT} at the deadline, {@code DISCONNECTED} when the
 * connection is lost (then the call may or may not have been done), {@code OVERLOADED} when too
 * much is in flight. Cancelling a future tells the other side to stop.
 */
public interface Peer {
    /**
     * Calls the other side. The payload (null: none) is taken over: it is released in every case.
     * The deadline counts from now; zero means none.
     */
    <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
            Method<Q, R> method, Q request, @Nullable ByteBuf payload, Duration deadline);

    /** A call without raw bytes in either direction. */
    <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> callPlain(
            Method<Q, R> method, Q request, Duration deadline);

    /** Who the other side proved to be. */
    Identity identity();

    /** It proved to be a gateway: {@link #identity} is whom it asks for. */
    default boolean isGateway() {
        return false;
    }

    /**
     * Names the key by which the other side proved it, as tickets are bound to it; 0 on an
     * unprotected connection.
     */
    long keyBinding();

    /** The other side's {@code host:port}, for messages and logs. */
    String address();

    boolean isOpen();

    /**
     * False while more bytes wait to be sent than {@link RpcLimits#WRITE_HIGH_WATER_BYTES}: senders
     * of bulk data hold on.
     */
    boolean isWritable();

    /**
     * Runs the action once when the connection is gone and all its calls have failed, at once if
     * they have. Kept until then: who ends before takes it back.
     *
     * @return takes the action back
     */
    Runnable whenClosed(Runnable action);

    /** Closes at once; unanswered calls fail with {@code DISCONNECTED}. */
    void close();

    /** What was attached under the key, or null. */
    <T> @Nullable T attachment(AttachmentKey<T> key);

    /** Attaches the value and returns the former one. */
    <T> @Nullable T attach(AttachmentKey<T> key, T value);
}
