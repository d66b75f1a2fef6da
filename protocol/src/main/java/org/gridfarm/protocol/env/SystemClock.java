package org.gridfarm.protocol.env;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The machine's clock. One per process: its timer thread is shared by everybody and lives as long
 * as the process.
 */
final class SystemClock implements Clock {
    static final SystemClock INSTANCE = new SystemClock();
    private static final Logger log = LoggerFactory.getLogger(SystemClock.class);

    private final ScheduledThreadPoolExecutor timers =
            new ScheduledThreadPoolExecutor(
                    1,
                    action -> {
                        Thread thread = new TimerThread(action);
                        thread.setDaemon(true);
                        return thread;
                    });

    private static final class TimerThread extends Thread implements SharedThread {
        TimerThread(Runnable action) {
            super(action, "gf-timer");
        }
    }

    private SystemClock() {
        timers.setRemoveOnCancelPolicy(true);
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer after(Duration delay, Runnable action) {
        ScheduledFuture<?> future =
                timers.schedule(
                        () -> run(action), Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private static void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            // The executor would keep it in a future that nobody reads.
            log.error("a timer's action failed", e);
        }
    }
}
