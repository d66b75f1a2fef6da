package org.gridfarm.client.core.metadata;

import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Numbers the mutations of one session and knows which are unanswered. Thread-safe. A number is
 * taken before the request is made and given back when its answer has come.
 */
public final class Sequences {
    private final ConcurrentSkipListSet<Long> outstanding = new ConcurrentSkipListSet<>();
    private long last; // guarded by this

    public synchronized long take() {
        long sequence = ++last;
        outstanding.add(sequence);
        return sequence;
    }

    public void answered(long sequence) {
        outstanding.remove(sequence);
    }

    /** Every answer up to this number has come. */
    public synchronized long settled() {
        return outstanding.isEmpty() ? last : outstanding.first() - 1;
    }
}
