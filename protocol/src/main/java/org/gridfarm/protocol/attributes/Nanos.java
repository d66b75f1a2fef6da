package org.gridfarm.protocol.attributes;

import java.time.Instant;

/**
 * Times as the farm keeps them: nanoseconds since 1970 in 64 bits, which is from 1677-09-21 to
 * 2262-04-11. A time outside becomes the nearest of these, as a local file system does with one
 * that its inodes cannot hold.
 */
public final class Nanos {
    private static final long SECOND = 1_000_000_000L;

    private Nanos() {}

    public static long of(Instant time) {
        return of(time.getEpochSecond(), time.getNano());
    }

    /**
     * @param nanos after the second, also after one before 1970; less than a second
     */
    public static long of(long seconds, int nanos) {
        if (seconds < Math.floorDiv(Long.MIN_VALUE, SECOND)) {
            return Long.MIN_VALUE;
        }
        if (seconds > Long.MAX_VALUE / SECOND) {
            return Long.MAX_VALUE;
        }
        // Before 1970 counted from the next second: the product fits wherever the sum does.
        long whole = (seconds < 0 ? seconds + 1 : seconds) * SECOND;
        long rest = seconds < 0 ? nanos - SECOND : nanos;
        long sum = whole + rest;
        if (seconds < 0) {
            return rest < 0 && sum > whole ? Long.MIN_VALUE : sum;
        }
        return sum < whole ? Long.MAX_VALUE : sum;
    }
}
