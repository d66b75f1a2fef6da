package org.gridfarm.metaserver.sim;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.SimClock;

import java.time.Duration;
import java.time.Instant;

/** The time of one life of a process: its monotonic clock has an origin of its own. */
final class ProcessClock implements Clock {
    private final SimClock clock;
    private final Process process;
    private final int life;
    private long origin;

    ProcessClock(SimClock clock, Process process, long origin) {
        this.clock = clock;
        this.process = process;
        this.life = process.life();
        this.origin = origin;
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime() + origin;
    }

    @Override
    public Timer after(Duration delay, Runnable action) {
        return clock.after(delay, () -> process.run(life, action));
    }

    /** Plants that the process does not know that so much time has passed. */
    void missed(long nanos) {
        origin -= nanos;
    }
}
