package org.gridfarm.client.mount.fuse.linux;

import java.util.concurrent.TimeUnit;

/// Looks at every request under way a few times a second: answers those past their deadline and
/// those whose caller is being killed, and puts another worker to work where all are held up by
/// operations that should have handed over.
final class Sweeper extends Thread {

    private static final long PERIOD_NANOS = 50_000_000L;

    private final Session session;
    private boolean stopped;

    Sweeper(Session session) {
        super("fuse-sweeper");
        setDaemon(true);
        this.session = session;
    }

    @Override
    public void run() {
        while (waitForNext()) {
            session.sweep(System.nanoTime());
        }
    }

    private synchronized boolean waitForNext() {
        try {
            if (!stopped) {
                TimeUnit.NANOSECONDS.timedWait(this, PERIOD_NANOS);
            }
            return !stopped;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    synchronized void finish() {
        stopped = true;
        notifyAll();
    }
}
