package org.gridfarm.client.mount;

import org.gridfarm.client.core.transfer.Shares;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many files and directories programs may have open through this mount, as many as its heap
 * holds, and how they are shared among users. Whoever has his share gets ENFILE, and nobody else
 * notices. Thread-safe.
 */
final class OpenBound {
    private static final Logger log = LoggerFactory.getLogger(OpenBound.class);

    /**
     * Of the heap, for one open file: its handle, chain, layout and tickets were measured as 2.6
     * KB, and no more than a half of the heap is for them.
     */
    private static final long BYTES_PER_FILE = 5 << 10;

    private static final long TOLD_EVERY = Duration.ofMinutes(1).toNanos();

    private final Shares shares;
    private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - TOLD_EVERY);

    OpenBound(Shares shares) {
        this.shares = shares;
    }

    static OpenBound ofHeap() {
        return new OpenBound(new Shares(filesIn(Runtime.getRuntime().maxMemory())));
    }

    static int filesIn(long heap) {
        return (int) Math.min(Integer.MAX_VALUE, heap / BYTES_PER_FILE);
    }

    Shares shares() {
        return shares;
    }

    /** False: the request is answered. Else it counts until {@link #left}. */
    boolean admits(Request request, int user) {
        if (shares.take(user)) {
            return true;
        }
        long now = System.nanoTime();
        long before = toldAt.get();
        if (now - before >= TOLD_EVERY && toldAt.compareAndSet(before, now)) {
            log.warn(
                    "user {} may open no more files: {} of {} are open on this mount; more heap"
                            + " (GF_HEAP) allows more",
                    user,
                    shares.used(),
                    shares.total());
        }
        request.fail(Errno.ENFILE);
        return false;
    }

    void left(int user) {
        shares.giveBack(user);
    }
}
