package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.metaserver.coherence.Touch;
import org.gridfarm.metaserver.commit.CommitLimits;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.Outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Gathers decided changes into the batch that is open, and keeps the answers that wait for batches
 * under way. Owned by the event thread.
 *
 * <p>At completion the originators are answered first, then {@code committed} is told (the caches
 * may show the batch), then reads that waited for it are answered.
 */
public final class Batches {
    private static final class Waiting {
        final List<Runnable> originators = new ArrayList<>();
        final List<Runnable> readers = new ArrayList<>();
    }

    private final LeaderCoherence coherence;
    private final long epoch;
    private final TreeMap<Long, Waiting> waiting = new TreeMap<>();
    private ChangeBatch.Builder open = ChangeBatch.newBuilder();
    private int operations;
    private long bytes;

    public Batches(LeaderCoherence coherence, long epoch) {
        this.coherence = coherence;
        this.epoch = epoch;
    }

    public long openSequence() {
        return coherence.openSequence();
    }

    /** Adds changes that memory has applied already. */
    public void add(List<Change> changes) {
        operations++;
        for (Change change : changes) {
            open.addChanges(change);
            bytes += change.getSerializedSize();
            Touch.of(change, coherence::executed);
        }
    }

    public void add(Outcome outcome) {
        open.addOutcomes(outcome);
        bytes += outcome.getSerializedSize();
    }

    public boolean isEmpty() {
        return open.getChangesCount() == 0 && open.getOutcomesCount() == 0;
    }

    /** More would make commits too large: clients are asked to come back. */
    public boolean isFull() {
        return operations >= 16 * CommitLimits.BATCH_OPERATIONS_MAX
                || bytes >= CommitLimits.BATCH_BYTES_MAX;
    }

    /** Nor is there room for the rest of what was begun. */
    public boolean isOverfull() {
        return operations >= 17 * CommitLimits.BATCH_OPERATIONS_MAX
                || bytes >= CommitLimits.BATCH_BYTES_MAX + CommitLimits.BATCH_BYTES_MAX / 2;
    }

    /** The last sequence whose outcome an observer of present memory depends on. */
    public long lastWithContent() {
        return isEmpty() ? coherence.openSequence() - 1 : coherence.openSequence();
    }

    /**
     * Takes the open batch as it is to be committed; the coherence machine is told by the caller.
     */
    public ChangeBatch take() {
        ChangeBatch batch = open.setEpoch(epoch).setSequence(coherence.openSequence()).build();
        open = ChangeBatch.newBuilder();
        operations = 0;
        bytes = 0;
        return batch;
    }

    /** Runs the answer when the batch is complete, at once if it is. */
    public void afterCompletion(long sequence, Runnable originator) {
        if (sequence <= coherence.completed()) originator.run();
        else waiting(sequence).originators.add(originator);
    }

    /** As {@link #afterCompletion}, after the originators. */
    public void afterVisible(long sequence, Runnable reader) {
        if (sequence <= coherence.completed()) reader.run();
        else waiting(sequence).readers.add(reader);
    }

    private Waiting waiting(long sequence) {
        return waiting.computeIfAbsent(sequence, s -> new Waiting());
    }

    public void completed(long sequence, Consumer<Long> committed) {
        Waiting done = waiting.remove(sequence);
        if (done != null) done.originators.forEach(Runnable::run);
        committed.accept(sequence);
        if (done != null) done.readers.forEach(Runnable::run);
    }

    int waitingReads() {
        return waiting.values().stream().mapToInt(w -> w.readers.size()).sum();
    }
}
