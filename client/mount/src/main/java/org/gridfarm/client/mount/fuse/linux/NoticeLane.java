package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.KernelCache.Done;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.ToIntFunction;

/// One thread that sends notices in the order they come. What is still queued when the mount ends
/// is told ENOTCONN: nothing is cached by a mount that is gone.
final class NoticeLane extends Thread {

    private static final Logger LOG = LoggerFactory.getLogger(NoticeLane.class);

    private record Order(ToIntFunction<Notice> what, Done done) {}

    private final Notice notice;
    private final Queue<Order> orders = new ArrayDeque<>();
    private boolean sending;
    private boolean finished;

    NoticeLane(Session session, String name) {
        super("fuse-notices-" + name);
        setDaemon(true);
        notice = new Notice(session);
    }

    void submit(ToIntFunction<Notice> what, Done done) {
        synchronized (this) {
            if (!finished) {
                orders.add(new Order(what, done));
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
            while (orders.isEmpty() && !finished) {
                wait();
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
