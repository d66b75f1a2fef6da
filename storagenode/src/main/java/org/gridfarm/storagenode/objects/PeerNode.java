package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/**
 * The one connection to another node, made when it is first needed; calls leave in the order they
 * were made, also while it is being made.
 */
final class PeerNode {
    private final String node;
    private final HostPort address;
    private final NodeDialer dialer;
    private final Clock clock;

    @GuardedBy("this")
    private @Nullable Peer peer;

    @GuardedBy("this")
    private boolean dialing;

    @GuardedBy("this")
    private final ArrayDeque<Held<?, ?>> held = new ArrayDeque<>();

    /** A call that waits for the connection. */
    private record Held<Q extends MessageLite, R extends MessageLite>(
            Method<Q, R> method,
            Q request,
            @Nullable ByteBuf payload,
            long deadlineNanos,
            CompletableFuture<Answer<R>> result) {
        void send(Peer peer, long now) {
            if (result.isDone()) {
                release();
                return;
            }
            Duration left = Duration.ofNanos(Math.max(1, deadlineNanos - now));
            peer.call(method, request, payload, left)
                    .whenComplete((answer, failure) -> {
                        if (failure != null) {
                            result.completeExceptionally(failure);
                        } else if (!result.complete(answer)) {
                            answer.close();
                        }
                    });
        }

        void fail(FarmException failure) {
            release();
            result.completeExceptionally(failure);
        }

        private void release() {
            if (payload != null) {
                payload.release();
            }
        }
    }

    PeerNode(String node, HostPort address, NodeDialer dialer, Clock clock) {
        this.node = node;
        this.address = address;
        this.dialer = dialer;
        this.clock = clock;
    }

    /** The payload is taken over. */
    <Q extends MessageLite, R extends MessageLite> CompletableFuture<Answer<R>> call(
            Method<Q, R> method, Q request, @Nullable ByteBuf payload, Duration deadline) {
        Held<Q, R> call =
                new Held<>(
                        method,
                        request,
                        payload,
                        clock.nanoTime() + deadline.toNanos(),
                        new CompletableFuture<>());
        synchronized (this) {
            Peer connected = peer;
            if (connected != null && connected.isOpen()) {
                call.send(connected, clock.nanoTime());
                return call.result;
            }
            held.add(call);
            if (!dialing) {
                dialing = true;
                dial();
            }
        }
        clock.after(
                deadline,
                () ->
                        call.result.completeExceptionally(
                                failure(ErrorKind.TIMED_OUT, "no connection")));
        return call.result;
    }

    private FarmException failure(ErrorKind kind, String why) {
        return new FarmException(kind, "connect", "node " + node + " at " + address, why);
    }

    private void dial() {
        CompletableFuture<Peer> dialled;
        try {
            dialled = dialer.dial(node, address);
        } catch (RuntimeException e) {
            dialled = CompletableFuture.failedFuture(e);
        }
        dialled.whenComplete((connected, failure) -> {
            Held<?, ?> call;
            while ((call = nextHeld(connected)) != null) {
                if (connected != null) {
                    call.send(connected, clock.nanoTime());
                } else {
                    call.fail(
                            FarmException.of(
                                    failure, "connect", "node " + node + " at " + address));
                }
            }
        });
    }

    /**
     * Calls end without the lock: whoever waits for one may hold a lock of its own that another
     * caller of this node needs. Calls made meanwhile queue behind, so the order stands.
     */
    private synchronized @Nullable Held<?, ?> nextHeld(@Nullable Peer connected) {
        Held<?, ?> call = held.poll();
        if (call == null) {
            dialing = false;
            peer = connected;
        }
        return call;
    }

    /** Nothing is under way to it, and there is no connection that could be used again. */
    synchronized boolean isForgettable() {
        return !dialing && held.isEmpty() && (peer == null || !peer.isOpen());
    }

    synchronized void close() {
        if (peer != null) {
            peer.close();
        }
    }
}
