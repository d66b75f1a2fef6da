package org.gridfarm.protocol.rpc;

/**
 * What all connections of one server or client have in common.
 *
 * @param proved the other side proves who it is, so that {@link Access} can be judged
 */
record ConnectionSettings(
        Services services, KeepAlive keepAlive, RpcObserver observer, boolean proved) {}
