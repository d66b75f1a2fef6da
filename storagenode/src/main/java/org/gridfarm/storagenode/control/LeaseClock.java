package org.gridfarm.storagenode.control;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.objects.NodeLease;

import java.time.Duration;

/**
 * The lease by the monotonic clock, counted from when the request that renewed it was sent: the
 * metaserver cannot have begun to count later. Thread-safe.
 */
public final class LeaseClock implements NodeLease {
    private final Clock clock;
    private volatile long until;
    private volatile boolean ever;

    public LeaseClock(Clock clock) {
        this.clock = clock;
    }

    synchronized void renewed(long sentNanos, Duration lease) {
        long end = sentNanos + lease.toNanos();
        if (!ever || end - until > 0) {
            until = end;
            ever = true;
        }
    }

    public boolean isHeld() {
        return ever && clock.nanoTime() - until < 0;
    }

    @Override
    public void require(String operation) {
        if (!isHeld()) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    operation,
                    "",
                    ever
                            ? "this node has lost touch with the metaserver"
                            : "this node has not registered yet");
        }
    }
}
