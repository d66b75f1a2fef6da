package org.gridfarm.metaserver.commit;

import org.gridfarm.protocol.wire.ChangeBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Makes batches durable, one after the other, on one thread. Group commit without a timer: the
 * owner hands over the next batch when the last one is durable, and whatever was decided meanwhile
 * is in it.
 *
 * <p>An append whose outcome is unknown is settled by looking for the batch's own row, again and
 * again until the database answers: present under our epoch, it was committed; absent, it is
 * appended again; of another epoch or fenced, this leader's time is over and {@code deposed} is
 * told once. Nothing is durable after that.
 */
public final class Committer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Committer.class);
    private static final ChangeBatch STOP = ChangeBatch.getDefaultInstance();

    private final JournalStore store;
    private final LongConsumer durable;
    private final Runnable deposed;
    private final BlockingQueue<ChangeBatch> queue = new ArrayBlockingQueue<>(4);
    private final Thread thread;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean stopping;

    /**
     * @param durable told every sequence that became durable, on the committer's thread
     * @param deposed told once when the epoch is over
     */
    public Committer(JournalStore store, LongConsumer durable, Runnable deposed) {
        this.store = store;
        this.durable = durable;
        this.deposed = deposed;
        this.thread = new Thread(this::run, "gf-commit");
        thread.setDaemon(true);
        thread.start();
    }

    /** Hands over the next batch. The owner keeps at most one unanswered, so this never waits. */
    public void commit(ChangeBatch batch) {
        queue.add(batch);
    }

    private void run() {
        try {
            while (!stopping) {
                ChangeBatch batch = queue.take();
                if (batch == STOP) {
                    return;
                }
                if (!makeDurable(batch)) {
                    if (!stopping) {
                        deposed.run();
                    }
                    return;
                }
                durable.accept(batch.getSequence());
            }
        } catch (InterruptedException e) {
            log.debug("interrupted: stopping");
        } catch (RuntimeException | Error e) {
            log.error("the committer failed; this server gives up the lead", e);
            deposed.run();
        }
    }

    private boolean makeDurable(ChangeBatch batch) throws InterruptedException {
        boolean told = false;
        while (true) {
            try {
                return store.append(batch);
            } catch (StoreException e) {
                if (!told) {
                    log.warn(
                            "batch {}: {}; trying again until the database answers",
                            batch.getSequence(),
                            e.getMessage());
                    told = true;
                }
            }
            Boolean settled = settle(batch);
            if (settled != null) {
                if (settled) log.info("batch {} is durable after all", batch.getSequence());
                return settled;
            }
        }
    }

    /** True: it was committed. False: somebody else leads. Null: append it again. */
    private @org.jspecify.annotations.Nullable Boolean settle(ChangeBatch batch)
            throws InterruptedException {
        while (true) {
            if (stopped.await(CommitLimits.RETRY_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
                return false;
            }
            try {
                long epoch = store.epochOf(batch.getSequence());
                if (epoch < 0) return null;
                return epoch == batch.getEpoch();
            } catch (StoreException e) {
                log.debug("still no answer: {}", e.getMessage());
            }
        }
    }

    /** Ends after the batch being written. */
    @Override
    public void close() {
        stopping = true;
        stopped.countDown();
        if (!queue.offer(STOP)) {
            thread.interrupt();
        }
        try {
            thread.join(2_000);
            if (thread.isAlive()) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
