package org.gridfarm.metaserver.commit;

import org.gridfarm.protocol.wire.ChangeBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Folds durable batches into the tables behind the journal, on a thread of its own. How far it is
 * behind is what {@link #changesBehind()} says; the owner holds back commits while {@link
 * #isFarBehind()}.
 */
public final class Materialiser implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Materialiser.class);

    private final JournalStore store;
    private final long epoch;
    private final Runnable progressed;
    private final Runnable failed;
    private final LinkedBlockingQueue<ChangeBatch> queue = new LinkedBlockingQueue<>();
    private final AtomicInteger behind = new AtomicInteger();
    private final AtomicLong bytesBehind = new AtomicLong();
    private final AtomicLong applied = new AtomicLong();
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;

    /**
     * @param progressed run after every fold
     * @param failed run once if folding cannot go on though the database answers: the journal would
     *     grow without bound
     */
    public Materialiser(
            JournalStore store, long epoch, long applied, Runnable progressed, Runnable failed) {
        this.store = store;
        this.epoch = epoch;
        this.progressed = progressed;
        this.failed = failed;
        this.applied.set(applied);
        this.thread = new Thread(this::run, "gf-materialise");
        thread.setDaemon(true);
        thread.start();
    }

    /** A batch that is durable; batches come in order. */
    public void add(ChangeBatch batch) {
        behind.addAndGet(size(batch));
        bytesBehind.addAndGet(batch.getSerializedSize());
        queue.add(batch);
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

    private void run() {
        try {
            while (true) {
                Fold fold = new Fold();
                ChangeBatch first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first == null) {
                    if (stopping) return;
                    continue;
                }
                fold.add(first);
                gather(fold);
                if (!write(fold)) return;
                applied.set(fold.sequence());
                behind.addAndGet(-fold.changes());
                bytesBehind.addAndGet(-fold.bytes());
                progressed.run();
            }
        } catch (InterruptedException e) {
            log.debug("interrupted: stopping");
        } catch (RuntimeException | Error e) {
            log.error(
                    "folding failed; the journal keeps what is acknowledged, and this server gives up"
                            + " the lead",
                    e);
            failed.run();
        }
    }

    /**
     * What comes meanwhile wakes nobody: on a machine that does little else, the thread's wake-ups
     * would be a part of every commit's time.
     */
    private void gather(Fold fold) throws InterruptedException {
        if (behind.get() < CommitLimits.FOLD_CHANGES_MAX) {
            stopped.await(CommitLimits.FOLD_WAIT.toNanos(), TimeUnit.NANOSECONDS);
        }
        while (fold.changes() < CommitLimits.FOLD_CHANGES_MAX
                && fold.bytes() < CommitLimits.FOLD_BYTES_MAX) {
            ChangeBatch next = queue.poll();
            if (next == null) return;
            fold.add(next);
        }
    }

    private boolean write(Fold fold) throws InterruptedException {
        boolean told = false;
        while (true) {
            try {
                if (store.fold(fold, epoch)) return true;
                log.info("another metaserver leads: it folds the journal from now on");
                return false;
            } catch (StoreException e) {
                if (!told) log.warn("{}; trying again", e.getMessage());
                told = true;
                if (stopped.await(CommitLimits.RETRY_WAIT.toNanos(), TimeUnit.NANOSECONDS))
                    return false;
            }
        }
    }

    /** Ends when everything handed over is in the tables, or the store fails. */
    @Override
    public void close() {
        stopping = true;
        stopped.countDown();
        try {
            thread.join(10_000);
            if (thread.isAlive()) thread.interrupt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
