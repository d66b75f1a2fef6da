package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.KernelCache.Done;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/// One thread that sends notices when they are due, in the order they come. What is still queued
/// when the mount ends is told ENOTCONN: nothing is cached by a mount that is gone.
final class NoticeLane extends Thread {

    private static final Logger LOG = LoggerFactory.getLogger(NoticeLane.class);

    private record Order(long at, long number, ToIntFunction<Notice> what, Done done)
            implements Comparable<Order> {
        @Override
        public int compareTo(Order other) {
            return at != other.at
                    ? Long.signum(at - other.at) // of a clock that may overflow
                    : Long.compare(number, other.number);
        }
    }

    private final Notice notice;
    private final PriorityQueue<Order> orders = new PriorityQueue<>();
    private long ordered;
    private boolean sending;
    private boolean finished;

    NoticeLane(Session session, String name) {
        super("fuse-notices-" + name);
        setDaemon(true);
        notice = new Notice(session);
    }

    void submit(ToIntFunction<Notice> what, Done done) {
        submit(0, what, done);
    }

    /// @param nanos how long it is kept before it is due
    void submit(long nanos, ToIntFunction<Notice> what, Done done) {
        synchronized (this) {
            if (!finished) {
                orders.add(new Order(System.nanoTime() + nanos, ordered++, what, done));
                notifyAll();
                return;
            }
        }
        tell(done, Errno.ENOTCONN);
    }

    /// Something is queued or held up by the kernel.
    synchronized boolean behind() {
        return sending || !orders.isEmpty();
    }

    synchronized void finish() {
        finished = true;
        notifyAll();
    }

    @Override
    public void run() {
        Order order = next();
        while (order != null) {
            int errno;
            synchronized (this) {
                errno = finished ? Errno.ENOTCONN : 0;
            }
            tell(order.done, errno != 0 ? errno : order.what.applyAsInt(notice));
            order = next();
        }
    }

    private synchronized @Nullable Order next() {
        sending = false;
        try {
            Order first = orders.peek();
            while (!finished && (first == null || first.at - System.nanoTime() > 0)) {
                if (first == null) {
                    wait();
                } else {
                    TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, first.at - System.nanoTime()));
                }
                first = orders.peek();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        Order order = orders.poll();
        sending = order != null;
        return order;
    }

    private static void tell(Done done, int errno) {
        try {
            done.done(errno);
        } catch (RuntimeException e) {
            LOG.error("what followed an invalidation failed", e);
        }
    }
}
