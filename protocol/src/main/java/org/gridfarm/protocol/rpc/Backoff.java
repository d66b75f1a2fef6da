package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.env.Entropy;

import java.time.Duration;

/**
 * Waits between attempts: each twice the one before, up to a bound, and shortened by chance so that
 * crowds spread out.
 */
public record Backoff(Duration first, Duration max) {
    /** For a server that everybody waits for, such as the leader during a fail-over. */
    public static final Backoff EAGER = new Backoff(Duration.ofMillis(20), Duration.ofMillis(500));

    /** For one server among many. */
    public static final Backoff PATIENT =
            new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    public Backoff {
        if (first.isNegative() || first.isZero() || max.compareTo(first) < 0)
            throw new IllegalArgumentException("backoff from " + first + " to " + max);
    }

    /**
     * The wait after so many failures in a row (at least 1): between half and all of the bound for
     * that number.
     */
    public Duration after(int failures, Entropy entropy) {
        double grown = first.toNanos() * Math.pow(2, Math.max(failures, 1) - 1);
        long bound = (long) Math.min(max.toNanos(), grown);
        return Duration.ofNanos(bound / 2 + (long) (entropy.nextDouble() * (bound - bound / 2)));
    }
}
