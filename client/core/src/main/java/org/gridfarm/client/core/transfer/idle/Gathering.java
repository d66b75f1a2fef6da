package org.gridfarm.client.core.transfer.idle;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Steps that nobody waits for yet. They begin together, as soon as there are many, the first has
 * waited for a moment, or somebody does wait: calls that leave together share their way, their
 * processes' wake-ups and, at the leader, a commit. Thread-safe.
 */
final class Gathering {
    static final Duration WITHIN = Duration.ofMillis(20);
    static final int MOST = 32;

    private final Clock clock;

    @GuardedBy("this")
    private List<Runnable> gathered = new ArrayList<>();

    @GuardedBy("this")
    private Clock.@Nullable Timer end;

    Gathering(Clock clock) {
        this.clock = clock;
    }

    /** Begins none; to be followed by {@link #beginIfMany}. */
    synchronized void add(Runnable step) {
        gathered.add(step);
        if (end == null) {
            end = clock.after(WITHIN, this::begin);
        }
    }

    void beginIfMany() {
        boolean many;
        synchronized (this) {
            many = gathered.size() >= MOST;
        }
        if (many) {
            begin();
        }
    }

    /** All of them, on this thread, which holds no lock. */
    void begin() {
        List<Runnable> steps;
        synchronized (this) {
            if (end != null) {
                end.cancel();
                end = null;
            }
            steps = gathered;
            gathered = new ArrayList<>();
        }
        steps.forEach(Runnable::run);
    }
}
