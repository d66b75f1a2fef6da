package org.gridfarm.protocol.env;

import java.time.Duration;
import java.time.Instant;

/** Time. Thread-safe. */
public interface Clock {
    /** The clock on the wall; it may jump, so it only labels things and never measures. */
    Instant now();

    /** Monotonic nanoseconds from an arbitrary origin; only differences mean anything. */
    long nanoTime();

    /**
     * Runs the action once, after the delay, on a thread of the clock; the action must be short.
     * Cancelling after it ran does nothing.
     */
    Timer after(Duration delay, Runnable action);

    /** Microseconds since 1970, which is what messages carry. */
    default long micros() {
        Instant now = now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    /** Nanoseconds since 1970, which is what inodes carry. */
    default long epochNanos() {
        Instant now = now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    /** Something that will happen, unless it is cancelled. */
    interface Timer {
        void cancel();
    }

    /** The machine's clock, with one daemon thread for its timers. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
