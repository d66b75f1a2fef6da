package org.gridfarm.protocol.rpc;

import java.time.Duration;

/**
 * When to ping and when to give up: a silent side is pinged after the one and dead after the other.
 */
public record KeepAlive(Duration pingAfter, Duration silenceMax) {
    public static final KeepAlive DEFAULT =
            new KeepAlive(RpcLimits.PING_AFTER, RpcLimits.SILENCE_MAX);

    public KeepAlive {
        if (pingAfter.isNegative() || pingAfter.isZero())
            throw new IllegalArgumentException("ping after " + pingAfter);
        if (silenceMax.compareTo(pingAfter.multipliedBy(2)) < 0)
            throw new IllegalArgumentException(
                    "silence of " + silenceMax + " is less than two pings of " + pingAfter);
    }
}
