package org.gridfarm.client.core.session;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.rpc.Method;

import java.util.concurrent.CompletableFuture;

/** Calls to a particular leader, without retry. */
public interface LeaderCalls {
    /** Of which the leader is asked again if it does not answer soon. */
    <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> call(
            Method<Q, R> method, Q request);

    /**
     * The same of a change: a new leader answers it when what the former one promised to other
     * clients is over.
     */
    <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> change(
            Method<Q, R> method, Q request);

    /** False: it cannot be reached any more, and the whole is done again at the next leader. */
    boolean isOpen();
}
