package org.gridfarm.protocol.rpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What has to happen on a new connection before others may use it: opening a session, registering a
 * node. If the stage fails, the connection is closed and the attempt has failed with that;
 * NOT_LEADER leads a {@link LeaderLine} on to the leader.
 */
@FunctionalInterface
public interface Opening {
    Opening NONE = peer -> CompletableFuture.completedFuture(null);

    CompletionStage<?> opened(Peer peer);
}
