package org.gridfarm.protocol.rpc;

import java.util.concurrent.CompletableFuture;

/** Opens connections; the seam at which tests put a network of their own. */
@FunctionalInterface
public interface Dialer {
    /** A peer that has welcomed us, or a failure within {@link RpcLimits#HANDSHAKE_MAX}. */
    CompletableFuture<Peer> dial(HostPort address);
}
