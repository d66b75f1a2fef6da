package org.gridfarm.client.core.session;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls by the connection to one leader. */
record CallsTo(Peer leader, Duration deadline) implements LeaderCalls {
    @Override
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> call(
            Method<Q, R> method, Q request) {
        return leader.callPlain(method, request, SessionLimits.OPEN_DEADLINE);
    }

    @Override
    public <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> change(
            Method<Q, R> method, Q request) {
        return leader.callPlain(method, request, deadline);
    }

    @Override
    public boolean isOpen() {
        return leader.isOpen();
    }
}
