package org.gridfarm.metaserver.commit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A worker with a daemon thread of its own, which starts with the first work. */
public final class WorkerThread implements Worker {
    private static final Logger log = LoggerFactory.getLogger(WorkerThread.class);

    private final String name;
    private final ScheduledThreadPoolExecutor thread;

    public WorkerThread(String name) {
        this.name = name;
        this.thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        work -> {
                            Thread made = new Thread(work, name);
                            made.setDaemon(true);
                            return made;
                        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable work) {
        after(Duration.ZERO, work);
    }

    @Override
    public void after(Duration delay, Runnable work) {
        try {
            thread.schedule(() -> run(work), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("{} is closed: {} is dropped", name, work);
        }
    }

    private void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            // The executor would keep it in a future that nobody reads.
            log.error("{}: its work failed", name, e);
        }
    }

    @Override
    public void close(Duration patience) {
        thread.shutdown();
        if (patience.isZero()) return;
        try {
            if (!thread.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
