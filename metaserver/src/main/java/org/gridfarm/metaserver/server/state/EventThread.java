package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.env.Clock;
import org.jctools.queues.MpscUnboundedArrayQueue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * {@link Events} with a thread for them. Whoever has a short action while nothing else is to do
 * makes a round of it himself ({@link #runOrSubmit}): a lone call then wakes two threads less.
 */
public final class EventThread implements Events {
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
    private final Actions actions; // guarded by turn
    private final Thread thread;
    private volatile boolean runs;

    /**
     * @param failed told, within the same action, of what an action threw
     */
    public EventThread(
            Clock clock, Runnable endOfRound, Runnable tick, Consumer<Throwable> failed) {
        this.clock = clock;
        this.actions = new Actions(endOfRound, tick, failed);
        this.thread = new Thread(this::run, "gf-event");
        thread.setDaemon(true);
    }

    @Override
    public void start() {
        runs = true;
        thread.start();
    }

    @Override
    public void submit(Runnable action) {
        queue.add(action);
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    @Override
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
            actions.run(action);
            actions.endRound();
        } finally {
            turn.unlock();
        }
    }

    @Override
    public long action() {
        return actions.number();
    }

    @Override
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
                actions.run(action);
            }
            if (ticks) actions.tick();
            actions.endRound();
        } finally {
            turn.unlock();
        }
    }

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
