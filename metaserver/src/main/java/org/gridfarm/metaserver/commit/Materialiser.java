package org.gridfarm.metaserver.commit;

import org.gridfarm.protocol.wire.ChangeBatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Folds durable batches into the tables behind the journal, as the work of a worker of its own. How
 * far it is behind is what {@link #changesBehind()} says; the owner holds back commits while {@link
 * #isFarBehind()}.
 */
public final class Materialiser implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Materialiser.class);
    private static final Duration CLOSE_MAX = Duration.ofSeconds(10);

    private final JournalStore store;
    private final Worker worker;
    private final long epoch;
    private final Runnable progressed;
    private final Runnable failed;
    private final Queue<ChangeBatch> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger behind = new AtomicInteger();
    private final AtomicLong bytesBehind = new AtomicLong();
    private final AtomicLong applied = new AtomicLong();
    private final AtomicBoolean awaited = new AtomicBoolean(); // the next fold

    // Of the worker alone.
    private @Nullable Fold unwritten;
    private boolean warned;
    private boolean over;

    /**
     * @param progressed run after every fold
     * @param failed run once if folding cannot go on though the database answers: the journal would
     *     grow without bound
     */
    public Materialiser(
            JournalStore store,
            Worker worker,
            long epoch,
            long applied,
            Runnable progressed,
            Runnable failed) {
        this.worker = worker;
        this.store = store;
        this.epoch = epoch;
        this.progressed = progressed;
        this.failed = failed;
        this.applied.set(applied);
    }

    /** A batch that is durable; batches come in order. */
    public void add(ChangeBatch batch) {
        behind.addAndGet(size(batch));
        bytesBehind.addAndGet(batch.getSerializedSize());
        queue.add(batch);
        if (awaited.compareAndSet(false, true)) foldSoon();
    }

    /** Changes that are in the journal and not yet in the tables. */
    public int changesBehind() {
        return behind.get();
    }

    /** More would take too much of the heap: commits are held back. */
    public boolean isFarBehind() {
        long heap = bytesBehind.get() + (long) behind.get() * CommitLimits.CHANGE_OVERHEAD_BYTES;
        return behind.get() > CommitLimits.CHANGES_BEHIND_MAX
                || heap > Runtime.getRuntime().maxMemory() / CommitLimits.BEHIND_HEAP_PART;
    }

    /** The last sequence in the tables. */
    public long appliedSequence() {
        return applied.get();
    }

    private static int size(ChangeBatch batch) {
        return batch.getChangesCount() + batch.getOutcomesCount();
    }

    /**
     * What comes until then wakes nobody: on a machine that does little else, the worker's wake-ups
     * would be a part of every commit's time.
     */
    private void foldSoon() {
        if (behind.get() < CommitLimits.FOLD_CHANGES_MAX) {
            worker.after(CommitLimits.FOLD_WAIT, () -> step(this::fold));
        } else {
            worker.execute(() -> step(this::fold));
        }
    }

    private void step(Runnable next) {
        if (over) return;
        try {
            next.run();
        } catch (RuntimeException | Error e) {
            log.error(
                    "folding failed; the journal keeps what is acknowledged, and this server gives up"
                            + " the lead",
                    e);
            over = true;
            failed.run();
        }
    }

    private void fold() {
        if (write()) foldOn();
    }

    private void foldOn() {
        awaited.set(false);
        if (!queue.isEmpty() && awaited.compareAndSet(false, true)) foldSoon();
    }

    private Fold gathered() {
        Fold fold = new Fold();
        while (fold.changes() < CommitLimits.FOLD_CHANGES_MAX
                && fold.bytes() < CommitLimits.FOLD_BYTES_MAX) {
            ChangeBatch next = queue.poll();
            if (next == null) break;
            fold.add(next);
        }
        return fold;
    }

    /** Whether what there was is in the tables; else it is tried again, or this leader is over. */
    private boolean write() {
        Fold fold = unwritten != null ? unwritten : gathered();
        if (fold.isEmpty()) return true;
        unwritten = fold;
        try {
            if (!store.fold(fold, epoch)) {
                log.info("another metaserver leads: it folds the journal from now on");
                over = true;
                return false;
            }
        } catch (StoreException e) {
            if (!warned) log.warn("{}; trying again", e.getMessage());
            warned = true;
            worker.after(CommitLimits.RETRY_WAIT, () -> step(this::fold));
            return false;
        }
        unwritten = null;
        warned = false;
        applied.set(fold.sequence());
        behind.addAndGet(-fold.changes());
        bytesBehind.addAndGet(-fold.bytes());
        progressed.run();
        return true;
    }

    private void foldRest() {
        while (write() && !queue.isEmpty()) {}
    }

    /** Ends when everything handed over is in the tables, or the store fails. */
    @Override
    public void close() {
        worker.execute(() -> step(this::foldRest));
        worker.close(CLOSE_MAX);
    }
}
