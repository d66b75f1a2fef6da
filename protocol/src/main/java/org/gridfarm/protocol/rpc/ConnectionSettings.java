package org.gridfarm.protocol.rpc;

/** What all connections of one server or client have in common. */
record ConnectionSettings(Services services, KeepAlive keepAlive, RpcObserver observer) {}
