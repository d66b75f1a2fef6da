package org.gridfarm.scheduler.placement;

/**
 * A task that runs.
 *
 * @param age seconds since it started
 * @param taskSeconds how long tasks of its job take, as measured
 */
public record Running(String node, int slots, double age, double taskSeconds) {
    /** What has run for longer than others may go on for as long again. */
    double remaining() {
        return age < taskSeconds ? taskSeconds - age : age;
    }
}
