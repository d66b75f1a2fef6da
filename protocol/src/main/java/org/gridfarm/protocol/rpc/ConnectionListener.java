package org.gridfarm.protocol.rpc;

/** Hears of a server's connections, on their event loops; must not block. */
public interface ConnectionListener {
    ConnectionListener NONE = new ConnectionListener() {};

    /** Welcomed; no request has been read yet. */
    default void opened(Peer peer) {}

    /** Gone; its requests have been cancelled and our calls to it have failed. */
    default void closed(Peer peer) {}
}
