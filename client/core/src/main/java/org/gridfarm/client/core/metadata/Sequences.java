package org.gridfarm.client.core.metadata;

import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.protocol.env.Clock;

import java.time.Duration;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Numbers the mutations of one session and knows which are unanswered. Thread-safe. A number is
 * taken before the request is made and given back when its answer has come.
 */
public final class Sequences {
    /**
     * For as long nothing counts as settled that a former process may have left unanswered: its
     * requests come again within seconds, if at all.
     */
    private static final Duration FORMER_UNSETTLED = Duration.ofSeconds(30);

    private final Inheritance inheritance;
    private final ConcurrentSkipListSet<Long> outstanding = new ConcurrentSkipListSet<>();
    private long last; // guarded by this
    private volatile boolean formerSettled;

    Sequences(Inheritance inheritance, Clock clock) {
        this.inheritance = inheritance;
        this.last = inheritance.lastSequence();
        this.formerSettled = inheritance.predecessors() == 0;
        if (!formerSettled) {
            clock.after(FORMER_UNSETTLED, () -> formerSettled = true);
        }
    }

    public synchronized long take() {
        long sequence = inheritance.sequence(++last);
        outstanding.add(sequence);
        return sequence;
    }

    /** A former process has asked for this change, and may have been answered. */
    boolean isFormers(long sequence) {
        return sequence <= inheritance.lastSequence();
    }

    public void answered(long sequence) {
        outstanding.remove(sequence);
    }

    /**
     * Every answer up to this number has come, and has reached who asked; 0: nothing is known yet.
     */
    public synchronized long settled() {
        if (!formerSettled) {
            return 0;
        }
        long answered = outstanding.isEmpty() ? last : outstanding.first() - 1;
        return Math.min(answered, inheritance.firstUnanswered() - 1);
    }
}
