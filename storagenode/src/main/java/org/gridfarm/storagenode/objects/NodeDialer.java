package org.gridfarm.storagenode.objects;

import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;

import java.util.concurrent.CompletableFuture;

/** Connects to another node and makes sure that it is the one that was meant. */
@FunctionalInterface
public interface NodeDialer {
    CompletableFuture<Peer> dial(String node, HostPort address);
}
