package org.gridfarm.scheduler.placement;

import org.gridfarm.protocol.job.Network;

/**
 * What the choice between waiting and reading remotely rests on.
 *
 * @param taskSeconds mean run time of the tasks seen lately
 * @param networkBytesPerSecond rate of a remote read
 */
public record Costs(double taskSeconds, double networkBytesPerSecond) {
    /** Before anything was measured: tasks of a second. */
    public static final Costs UNMEASURED = new Costs(1, Network.BYTES_PER_SECOND);

    private static final double NEWEST_WEIGHT = 0.1;

    /** Reading remotely is never worth it. */
    public Costs localOnly() {
        return new Costs(taskSeconds, Double.MIN_VALUE);
    }

    /** With the run time of one more task. */
    public Costs after(double seconds) {
        return new Costs(
                taskSeconds + NEWEST_WEIGHT * (seconds - taskSeconds), networkBytesPerSecond);
    }

    public double remoteReadSeconds(long bytes) {
        return bytes / networkBytesPerSecond;
    }
}
