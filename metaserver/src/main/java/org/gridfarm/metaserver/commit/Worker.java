package org.gridfarm.metaserver.commit;

import java.time.Duration;

/**
 * Does work that may block, one piece after the other: what is handed over first is done first.
 * Work must not throw. The body of a running server has a thread ({@link WorkerThread}); a
 * simulation's does everything on one thread, in virtual time. Thread-safe.
 */
public interface Worker {
    void execute(Runnable work);

    /** The same, not before the time has passed; {@link #close} drops what still waits for that. */
    void after(Duration delay, Runnable work);

    /**
     * Takes no more work, finishes what was handed over, and waits for that at most so long; then
     * what is still going on is interrupted. Without patience nothing is waited for or interrupted.
     */
    void close(Duration patience);
}
