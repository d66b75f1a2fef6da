package org.gridfarm.metaserver.server;

import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that owns the state. Actions run in the order they were submitted, in rounds:
 * whatever has queued up runs, then the end-of-round action once, so that what a round decided
 * leaves together. A tick runs at least every {@link #TICK}.
 */
public final class EventThread implements AutoCloseable {
    /** Leases and timers are looked at this often. */
    public static final Duration TICK = Duration.ofMillis(50);

    private static final Logger log = LoggerFactory.getLogger(EventThread.class);

    /** Actions of one round: at some microseconds each, a round is a few milliseconds at most. */
    private static final int ROUND_ACTIONS_MAX = 2048;

    private static final int QUEUE_CHUNK = 4096;
    private static final int SPINS = 100;

    private final MpscUnboundedArrayQueue<Runnable> queue =
            new MpscUnboundedArrayQueue<>(QUEUE_CHUNK);
    private final AtomicBoolean asleep = new AtomicBoolean();
    private final Runnable endOfRound;
    private final Runnable tick;
    private final Thread thread;
    private volatile boolean stopping;

    public EventThread(Runnable endOfRound, Runnable tick) {
        this.endOfRound = endOfRound;
        this.tick = tick;
        this.thread = new Thread(this::run, "gf-event");
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Runs the action on the event thread, after all submitted before. From any thread. */
    public void submit(Runnable action) {
        queue.add(action);
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    /** Actions waiting. */
    public int backlog() {
        return queue.size();
    }

    private void run() {
        long nextTick = System.nanoTime() + TICK.toNanos();
        int idle = 0;
        while (!stopping) {
            int ran = round();
            long now = System.nanoTime();
            if (now - nextTick >= 0) {
                guarded(tick);
                nextTick = now + TICK.toNanos();
                ran++;
            }
            if (ran > 0) {
                guarded(endOfRound);
                idle = 0;
            } else if (++idle > SPINS) {
                asleep.set(true);
                if (queue.isEmpty() && !stopping) {
                    LockSupport.parkNanos(this, Math.max(1, nextTick - System.nanoTime()));
                }
                asleep.set(false);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private int round() {
        int ran = 0;
        Runnable action;
        while (ran < ROUND_ACTIONS_MAX && (action = queue.poll()) != null) {
            guarded(action);
            ran++;
        }
        return ran;
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            log.error("an action on the event thread failed", e);
        }
    }

    /** Ends after the present round; what is still queued is dropped. */
    @Override
    public void close() {
        stopping = true;
        LockSupport.unpark(thread);
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
