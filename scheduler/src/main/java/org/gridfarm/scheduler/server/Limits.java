package org.gridfarm.scheduler.server;

import java.time.Duration;

/** Bounds of the scheduler, with their reasons. */
final class Limits {
    /**
     * A job is one row and one message: 100,000 tasks of 200 bytes are 20 MB, within a frame when
     * split by the client.
     */
    static final int TASKS_PER_JOB_MAX = 100_000;

    /**
     * Tasks of one job at hand for placement: many times the slots of a large farm. A job hands out
     * more when these have started.
     */
    static final int WINDOW_TASKS = 2_000;

    /**
     * Inputs that one task is shown as plain files of its node: each is a mount there, of which the
     * kernel has 100,000 in all.
     */
    static final int LOCALS_MAX = 256;

    /** Jobs that one job comes after. */
    static final int AFTER_MAX = 100;

    /** Locations asked for at once. */
    static final int LOCATING_MAX = 64;

    /** Finished jobs kept in memory for gf jobs; older ones are in the table. */
    static final int DONE_JOBS_KEPT = 200;

    /** Older ones in memory because somebody has asked for them. */
    static final int OLD_JOBS_RECALLED = 20;

    /** How often jobs that are too old are removed from the table. */
    static final Duration OLD_JOBS_LOOKED_FOR = Duration.ofHours(1);

    /** Beginnings of what tasks wrote, in memory: those of the latest thousands. */
    static final long OUTPUT_BYTES_HELD = 16 << 20;

    /** Between two looks at a task that has not started. */
    static final Duration OUTPUT_RETRY = Duration.ofMillis(50);

    /** How often the list of nodes is asked for. */
    static final Duration NODES_EVERY = Duration.ofMillis(500);

    /** How often a node is asked what it has for tasks. */
    static final Duration OFFERS_EVERY = Duration.ofSeconds(5);

    /** How often what users have had is written down: so much of it a restart forgets. */
    static final Duration SHARES_EVERY = Duration.ofSeconds(10);

    /**
     * A node that cannot be reached is given this long before its attempts are started elsewhere.
     */
    static final Duration NODE_LOST_AFTER = Duration.ofSeconds(10);

    /** Between two tries to reach the node of a running attempt. */
    static final Duration RETRY_AFTER = Duration.ofMillis(500);

    /** How often jobs and slots are counted for the metrics. */
    static final Duration FIGURES_EVERY = Duration.ofSeconds(1);

    /** A long poll of a client ends at the latest after this. */
    static final Duration WAIT_MAX = Duration.ofSeconds(5);

    private Limits() {}
}
