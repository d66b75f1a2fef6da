package org.gridfarm.protocol.env;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;

/**
 * Virtual time: it stands still until {@link #advance} or {@link #runNext} moves it, and timers run
 * on the thread that does, in the order of their instants and, at one instant, in the order they
 * were set.
 *
 * <p>Owned by the simulating thread.
 */
public final class SimClock implements Clock {
    private final PriorityQueue<SimTimer> timers = new PriorityQueue<>();
    private final Instant origin;
    private long nanos;
    private long timersSet;

    public SimClock() {
        this(Instant.parse("2026-01-01T00:00:00Z"));
    }

    public SimClock(Instant origin) {
        this.origin = origin;
    }

    @Override
    public Instant now() {
        return origin.plusNanos(nanos);
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public Timer after(Duration delay, Runnable action) {
        SimTimer timer = new SimTimer(nanos + Math.max(0, delay.toNanos()), timersSet++, action);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    /**
     * Moves time on by the duration, running every timer that falls due on the way, also those set
     * on the way.
     */
    public void advance(Duration duration) {
        long end = nanos + duration.toNanos();
        for (SimTimer next = timers.peek(); next != null && next.at <= end; next = timers.peek())
            runNext();
        nanos = end;
    }

    /** Jumps to the next timer and runs it; false if there is none. */
    public boolean runNext() {
        SimTimer next = timers.poll();
        if (next == null) return false;
        nanos = Math.max(nanos, next.at);
        next.action.run();
        return true;
    }

    /** Timers that have not run. */
    public int pending() {
        return timers.size();
    }

    private static final class SimTimer implements Comparable<SimTimer> {
        final long at;
        final long order;
        final Runnable action;

        SimTimer(long at, long order, Runnable action) {
            this.at = at;
            this.order = order;
            this.action = action;
        }

        @Override
        public int compareTo(SimTimer other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }
}
