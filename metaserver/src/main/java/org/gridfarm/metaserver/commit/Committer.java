package org.gridfarm.metaserver.commit;

import org.gridfarm.protocol.wire.ChangeBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.function.LongConsumer;

/**
 * Makes batches durable, one after the other, as the work of one worker. Group commit without a
 * timer: the owner hands over the next batch when the last one is durable, and whatever was decided
 * meanwhile is in it.
 *
 * <pre>
 *   appending --done--> durable
 *   appending --no answer--> unknown --looked for--> durable | appending again | over
 *   appending --another leads--> over
 * </pre>
 *
 * <p>An append whose outcome is unknown is settled by looking for the batch's own row, again and
 * again until the database answers: present under our epoch, it was committed; absent, it is
 * appended again; of another epoch or fenced, this leader's time is over and {@code deposed} is
 * told once. Nothing is durable after that.
 */
public final class Committer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Committer.class);
    private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

    private final JournalStore store;
    private final Worker worker;
    private final LongConsumer durable;
    private final Runnable deposed;
    private volatile boolean stopping;

    // Of the worker alone.
    private boolean over;
    private long warnedOf;

    /**
     * @param durable told every sequence that became durable, by the worker
     * @param deposed told once when the epoch is over
     */
    public Committer(JournalStore store, Worker worker, LongConsumer durable, Runnable deposed) {
        this.store = store;
        this.worker = worker;
        this.durable = durable;
        this.deposed = deposed;
    }

    /** Hands over the next batch. The owner keeps at most one unanswered, so this never waits. */
    public void commit(ChangeBatch batch) {
        worker.execute(() -> step(() -> append(batch)));
    }

    private void step(Runnable next) {
        if (over || stopping) return;
        try {
            next.run();
        } catch (RuntimeException | Error e) {
            log.error("the committer failed; this server gives up the lead", e);
            isOver();
        }
    }

    private void append(ChangeBatch batch) {
        boolean ours;
        try {
            ours = store.append(batch);
        } catch (StoreException e) {
            if (warnedOf != batch.getSequence()) {
                log.warn(
                        "batch {}: {}; trying again until the database answers",
                        batch.getSequence(),
                        e.getMessage());
                warnedOf = batch.getSequence();
            }
            settleLater(batch);
            return;
        }
        if (ours) durable.accept(batch.getSequence());
        else isOver();
    }

    private void settleLater(ChangeBatch batch) {
        worker.after(CommitLimits.RETRY_WAIT, () -> step(() -> settle(batch)));
    }

    private void settle(ChangeBatch batch) {
        long epoch;
        try {
            epoch = store.epochOf(batch.getSequence());
        } catch (StoreException e) {
            log.debug("still no answer: {}", e.getMessage());
            settleLater(batch);
            return;
        }
        if (epoch < 0) {
            append(batch);
        } else if (epoch == batch.getEpoch()) {
            log.info("batch {} is durable after all", batch.getSequence());
            durable.accept(batch.getSequence());
        } else {
            isOver();
        }
    }

    private void isOver() {
        over = true;
        if (!stopping) deposed.run();
    }

    /** Ends after the batch being written. */
    @Override
    public void close() {
        stopping = true;
        worker.close(CLOSE_MAX);
    }
}
