package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.env.Clock;

/**
 * What all connections of one server or client have in common.
 *
 * @param proved the other side proves who it is, so that {@link Access} can be judged
 * @param clock of deadlines and pings
 */
record ConnectionSettings(
        Services services, KeepAlive keepAlive, RpcObserver observer, boolean proved, Clock clock) {
    /** In the machine's time. */
    ConnectionSettings(
            Services services, KeepAlive keepAlive, RpcObserver observer, boolean proved) {
        this(services, keepAlive, observer, proved, Clock.system());
    }

    long nanoTime() {
        return clock.nanoTime();
    }
}
