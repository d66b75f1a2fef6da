package org.gridfarm.scheduler.placement;

import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * When a task takes so much longer than the others of its job that a second attempt on another node
 * is worth its slot: something is wrong with the node, mostly, and not with the task.
 */
public final class Stragglers {
    /** Three tell what is usual, if they are half of all. */
    static final int ENDED_MIN = 3;

    private static final int SHARE_ENDED = 2; // one of so many

    /** Longer than the median by this factor. */
    static final double FACTOR = 2;

    /** Below this a second attempt gains less than it costs. */
    static final double SECONDS_MIN = 5;

    private Stragglers() {}

    /**
     * From how many seconds on a task is one; empty while nobody can tell.
     *
     * @param took seconds of those that succeeded
     * @param tasks of the job, in all
     */
    public static OptionalDouble from(double[] took, int tasks) {
        if (took.length < ENDED_MIN || took.length * SHARE_ENDED < tasks) {
            return OptionalDouble.empty();
        }
        double[] sorted = took.clone();
        Arrays.sort(sorted);
        double median = sorted[sorted.length / 2];
        return OptionalDouble.of(Math.max(FACTOR * median, SECONDS_MIN));
    }
}
