package org.gridfarm.client.core.transfer.local;

import io.netty.util.concurrent.DefaultThreadFactory;

import org.gridfarm.protocol.env.SharedThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Where this process waits for the disks of its host. Replicas are opened, read, written, looked at
 * and closed as plain files; a disk that is slow or hangs holds up who does that. Programs and the
 * mount's workers do it on their own threads: it is their call. What comes to it on a {@link
 * SharedThread}, since a node, the metaserver or the clock has just said something, goes on here.
 * Thread-safe.
 */
public final class LocalDisk {
    private static final Logger log = LoggerFactory.getLogger(LocalDisk.class);

    /**
     * Of a disk that hangs these wait, one for each call that came to it from the network, and all
     * others behind them; the network itself goes on. What waits behind them is bounded by the
     * requests that a mount admits and by the files that are open.
     */
    static final int THREADS_MAX = 16;

    /** A farm of a test looks for it in the logs of its processes. */
    public static final String MISPLACED = "a thread that serves everybody waits for a disk";

    private static final AtomicBoolean complained = new AtomicBoolean();

    private final Executor threads;

    LocalDisk() {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        THREADS_MAX,
                        THREADS_MAX,
                        5,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new DefaultThreadFactory("gf-disk", true));
        pool.allowCoreThreadTimeOut(true); // so that it need not be ended
        threads = pool;
    }

    /** This thread: it serves its caller alone. */
    public static boolean mayWait() {
        return !SharedThread.isCurrent();
    }

    /** Said where a disk is waited for: in tests it fails on a thread that may not. */
    static void waits() {
        if (!mayWait() && complained.compareAndSet(false, true)) {
            log.error("{}", MISPLACED, new IllegalStateException(Thread.currentThread().getName()));
        }
        assert mayWait() : MISPLACED;
    }

    /** Here where this thread may wait, else on one that may. A failure is the future's. */
    public <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> step) {
        return mayWait()
                ? begun(step)
                : CompletableFuture.supplyAsync(() -> begun(step), threads)
                        .thenCompose(begun -> begun);
    }

    private static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> step) {
        try {
            return step.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    public <T> CompletableFuture<T> get(Supplier<T> step) {
        return call(() -> CompletableFuture.completedFuture(step.get()));
    }

    /** What nobody waits for; the log tells when it fails. */
    public void run(Runnable step) {
        if (mayWait()) {
            logged(step);
        } else {
            threads.execute(() -> logged(step));
        }
    }

    private static void logged(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.warn("a file of this host: {}", e.toString());
        }
    }
}
