package org.gridfarm.scheduler.placement;

/**
 * What the choice between waiting and reading remotely rests on.
 *
 * @param taskSeconds mean run time of the tasks seen lately
 * @param networkBytesPerSecond rate of a remote read
 */
public record Costs(double taskSeconds, double networkBytesPerSecond) {
    /** Before anything was measured: tasks of a second, gigabit Ethernet. */
    public static final Costs UNMEASURED = new Costs(1, 110e6);

    double remoteReadSeconds(long bytes) {
        return bytes / networkBytesPerSecond;
    }
}
