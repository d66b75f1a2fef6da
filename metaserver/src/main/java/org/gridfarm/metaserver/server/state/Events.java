package org.gridfarm.metaserver.server.state;

import java.time.Duration;

/**
 * Where everything that a metaserver decides is done: one action at a time. Actions run in the
 * order they were submitted, in rounds: whatever has queued up runs, then what is to follow a round
 * once, so that what a round decided leaves together. A tick runs at least every {@link #TICK}.
 *
 * <p>The body of a running server is {@link EventThread}; a simulation's runs in virtual time.
 * Thread-safe, but for {@link #action}.
 */
public interface Events extends AutoCloseable {
    /** Leases and timers are looked at this often. */
    Duration TICK = Duration.ofMillis(50);

    /** Nothing runs before. */
    void start();

    /** Runs the action after all submitted before. */
    void submit(Runnable action);

    /**
     * Runs an action of some microseconds at once, where nothing waits and nothing runs; otherwise
     * as {@link #submit}.
     */
    void runOrSubmit(Runnable action);

    /** The number of the action that runs. Within actions only. */
    long action();

    /** Actions waiting. */
    int backlog();

    /** Ends after the present round; what is still queued is dropped. */
    @Override
    void close();
}
