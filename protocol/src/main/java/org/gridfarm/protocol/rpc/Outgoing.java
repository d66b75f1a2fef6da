package org.gridfarm.protocol.rpc;

/** Something that waits to be written: a call, an answer, a cancellation. */
@FunctionalInterface
interface Outgoing {
    /** Writes itself, on the event loop, or ends itself if it no longer can be. */
    void write(Connection connection);
}
