package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * What was asked by clients and is not done yet, also where the client has gone meanwhile: so many
 * requests, so many bytes of writes, and of both not all from one client. Past that callers are
 * told to wait. Other nodes are let in: they forward what they took in, and one that is refused
 * would leave the chain. Thread-safe.
 */
public final class Intake {
    /** At 1 to 2 KiB each: 64 MiB. */
    static final int REQUESTS_MAX = 32 << 10;

    /** Half of them for one client, so that another one finds room. */
    static final int REQUESTS_EACH_MAX = REQUESTS_MAX / 2;

    /** Bytes of writes taken in and not yet answered. */
    static final long BYTES_MAX = 192L << 20;

    private static final class Taken {
        int requests;
    }

    private final Doorkeeper doorkeeper;

    @GuardedBy("this")
    private final Map<Object, Taken> clients = new HashMap<>();

    @GuardedBy("this")
    private int requests;

    @GuardedBy("this")
    private long bytes;

    public Intake(Doorkeeper doorkeeper) {
        this.doorkeeper = doorkeeper;
    }

    /** The same, refusing when there is too much to do; it counts until its answer is there. */
    public <Q extends MessageLite, R extends MessageLite>
            Function<Exchange<Q, R>, CompletionStage<R>> bounded(
                    Function<Exchange<Q, R>, CompletableFuture<R>> handler) {
        return exchange -> {
            take(exchange.peer(), 0, exchange.method().name());
            CompletableFuture<R> answer;
            try {
                answer = handler.apply(exchange);
            } catch (RuntimeException | Error e) {
                done(exchange.peer(), 0);
                throw e;
            }
            return answer.whenComplete((_, _) -> done(exchange.peer(), 0));
        };
    }

    /** OVERLOADED, or taken in until {@link #done}. */
    void take(Peer client, long length, String operation) {
        take(client, doorkeeper.isNode(client), length, operation);
    }

    synchronized void take(Object client, boolean isNode, long length, String operation) {
        Taken taken = clients.computeIfAbsent(client, _ -> new Taken());
        boolean tooMany = requests >= REQUESTS_MAX || taken.requests >= REQUESTS_EACH_MAX;
        if ((tooMany || bytes + length > BYTES_MAX) && !isNode) {
            if (taken.requests == 0) {
                clients.remove(client);
            }
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    operation,
                    "",
                    tooMany ? "too many requests wait" : "too many writes wait for the disks");
        }
        taken.requests++;
        requests++;
        bytes += length;
    }

    synchronized void done(Object client, long length) {
        Taken taken = clients.get(client);
        if (taken != null && --taken.requests == 0) {
            clients.remove(client);
        }
        requests--;
        bytes -= length;
    }
}
