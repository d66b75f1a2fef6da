package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;

/**
 * @param openMax replicas open at once; each takes two file descriptors, and a third one while it
 *     is changed
 * @param ioThreads threads that block on the disks
 * @param sumAfter how long a replica rests before its sums are written beside it unasked
 * @param settleAfter how long a replica rests before it is made durable unasked
 */
public record StoreLimits(int openMax, int ioThreads, Duration sumAfter, Duration settleAfter) {
    /** 2,048 descriptors are half of what Linux gives without asking. */
    public static final StoreLimits DEFAULT =
            new StoreLimits(1024, 8, Duration.ofMillis(300), Duration.ofSeconds(10));

    /** Connections, directories and files that are open for a moment. */
    private static final int DESCRIPTORS_BESIDES = 256;

    private static final int LOCAL_MIN = 64;

    /**
     * Replicas that local writers may have, which stay open until they are done: three descriptors
     * each, beside those that come and go.
     *
     * @param descriptors of this process
     */
    int localMax(int descriptors) {
        return Math.max(LOCAL_MIN, (descriptors - DESCRIPTORS_BESIDES) / 3 - openMax);
    }

    /** As the largest file of ext4, so that it does not matter which node's disk has more. */
    private static final long BYTES_MAX = 16L << 40;

    /** Replicas that somebody writes into behind our back, at some 8 KiB each. */
    private static final int LOCAL_MAX = 8192;

    /** What an open replica takes, while it is changed by the node, too. */
    private static final int DESCRIPTORS_EACH = 3;

    /** For connections, logs and libraries. */
    private static final int DESCRIPTORS_ELSEWHERE = 1024;

    /**
     * Replicas that may be granted to local writers beside those that are open anyway: they cannot
     * be closed.
     *
     * @param descriptors that this process may have
     */
    public int localMax(long descriptors) {
        long left = descriptors - DESCRIPTORS_ELSEWHERE - (long) DESCRIPTORS_EACH * openMax;
        return (int) Math.max(16, Math.min(LOCAL_MAX, left / DESCRIPTORS_EACH));
    }

    /** FILE_TOO_LARGE where those bytes would make the replica longer than any may be. */
    public static void requireWithin(long offset, long length, ObjectKey key) {
        if (offset < 0 || offset > BYTES_MAX - length) {
            throw new FarmException(ErrorKind.FILE_TOO_LARGE, "write", key.toString());
        }
    }
}
