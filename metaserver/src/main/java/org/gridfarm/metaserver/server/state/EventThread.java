package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.env.Clock;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Owns the state: one action runs at a time. Actions run in the order they were submitted, in
 * rounds: whatever has queued up runs, then the end-of-round action once, so that what a round
 * decided leaves together. A tick runs at least every {@link #TICK}.
 *
 * <p>There is a thread for it, and whoever has a short action while nothing else is to do makes a
 * round of it himself ({@link #runOrSubmit}): a lone call then wakes two threads less.
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
    private final ReentrantLock turn = new ReentrantLock(); // held during a round
    private volatile boolean threadWaits; // for its turn
    private final Clock clock;
    private final Runnable endOfRound;
    private final Runnable tick;
    private final Consumer<Throwable> failed;
    private long action; // guarded by turn
    private final Thread thread;
    private volatile boolean runs;

    /**
     * @param failed told, within the same action, of what an action threw
     */
    public EventThread(
            Clock clock, Runnable endOfRound, Runnable tick, Consumer<Throwable> failed) {
        this.clock = clock;
        this.endOfRound = endOfRound;
        this.tick = tick;
        this.failed = failed;
        this.thread = new Thread(this::run, "gf-event");
        thread.setDaemon(true);
    }

    public void start() {
        runs = true;
        thread.start();
    }

    /** Runs the action on the event thread, after all submitted before. From any thread. */
    public void submit(Runnable action) {
        queue.add(action);
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Runs an action of some microseconds on this thread, at once, where nothing waits and nothing
     * runs; otherwise as {@link #submit}. From any thread.
     */
    public void runOrSubmit(Runnable action) {
        boolean isBusy = !queue.isEmpty() || threadWaits || turn.isHeldByCurrentThread();
        if (isBusy || !turn.tryLock()) {
            submit(action);
            return;
        }
        try {
            if (!runs || !queue.isEmpty()) {
                submit(action);
                return;
            }
            guarded(action);
            guarded(endOfRound);
        } finally {
            turn.unlock();
        }
    }

    /** The number of the action that runs. Within actions only. */
    public long action() {
        return action;
    }

    /** Actions waiting. */
    public int backlog() {
        return queue.size();
    }

    private void run() {
        long nextTick = clock.nanoTime() + TICK.toNanos();
        int idle = 0;
        while (runs) {
            boolean ticks = clock.nanoTime() - nextTick >= 0;
            if (ticks || !queue.isEmpty()) {
                round(ticks);
                if (ticks) nextTick = clock.nanoTime() + TICK.toNanos();
                idle = 0;
            } else if (++idle > SPINS) {
                asleep.set(true);
                if (queue.isEmpty() && runs) {
                    LockSupport.parkNanos(this, Math.max(1, nextTick - clock.nanoTime()));
                }
                asleep.set(false);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void round(boolean ticks) {
        threadWaits = true;
        turn.lock();
        try {
            threadWaits = false;
            Runnable action;
            for (int ran = 0; ran < ROUND_ACTIONS_MAX && (action = queue.poll()) != null; ran++) {
                guarded(action);
            }
            if (ticks) guarded(tick);
            guarded(endOfRound);
        } finally {
            turn.unlock();
        }
    }

    private void guarded(Runnable next) {
        action++;
        try {
            next.run();
        } catch (RuntimeException | Error e) {
            log.error("an action on the event thread failed", e);
            told(e);
        }
    }

    private void told(Throwable failure) {
        try {
            failed.accept(failure);
        } catch (RuntimeException | Error e) {
            log.error("so did what was to follow from it", e);
        }
    }

    /** Ends after the present round; what is still queued is dropped. */
    @Override
    public void close() {
        runs = false;
        LockSupport.unpark(thread);
        try {
            thread.join(5_000);
            if (turn.tryLock(5, TimeUnit.SECONDS)) turn.unlock();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
