package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.client.mount.fuse.RecallLog;
import org.gridfarm.client.mount.fuse.RecentTells;
import org.gridfarm.client.mount.fuse.Unbelieved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// One mount being served: owns the device, the worker threads, the buffers and the list of
/// requests under way.
///
/// Ends when the kernel says so (unmounted, or the connection aborted); the last worker then takes
/// it down in order: nobody answers any more, the operations are told, the device is closed.
final class Session implements Connection {

    private static final Logger LOG = LoggerFactory.getLogger(Session.class);

    /// Workers that may exist when operations block the regular ones.
    private static final int WORKERS_MAX = 64;

    private static final int SMALL_BYTES = 8192;
    private static final int SMALL_KEPT = 256;
    private static final int BIG_KEPT = 8; // of workers, and of answers that are just being given
    private static final int PAGE = 4096;

    final int fd;
    final MountOptions options;
    final Negotiation negotiation;
    final FuseOperations operations;
    final RecallLog recalls = new RecallLog();
    final RecentTells tells = new RecentTells(System::nanoTime);
    final Unbelieved unbelieved = new Unbelieved();
    final BufferPool small = new BufferPool(SMALL_BYTES, SMALL_KEPT);
    final BufferPool big;
    final KernelNotices notices;
    final RequestCounts counts = new RequestCounts();

    private final LinuxPassthrough passthrough;
    private final boolean resumed;
    private final long deadlineNanos;
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final Map<Long, KernelRequest> handedOver = new ConcurrentHashMap<>();
    private final Sweeper sweeper = new Sweeper(this);
    private final AtomicInteger outside = new AtomicInteger();
    private final LongAdder timeouts = new LongAdder();
    private final Object ending = new Object();
    private int workersLeft;
    private boolean ended;
    private boolean unmounted;
    private volatile boolean closing;
    private volatile long now = System.nanoTime();
    private volatile long heldUpSince;

    Session(
            int fd,
            MountOptions options,
            Negotiation negotiation,
            FuseOperations operations,
            boolean resumed) {
        this.fd = fd;
        this.options = options;
        this.negotiation = negotiation;
        this.operations = operations;
        this.resumed = resumed;
        this.deadlineNanos = options.deadline().toNanos();
        // The kernel wants room for a WRITE header besides the data.
        this.big = new BufferPool(negotiation.writeBytesMax() + PAGE, BIG_KEPT);
        this.notices = new KernelNotices(this);
        this.passthrough = new LinuxPassthrough(fd, negotiation);
    }

    void start() {
        notices.start(); // what is brought back may be recalled meanwhile
        operations.started(this);
        int threads =
                options.threads() > 0
                        ? options.threads()
                        : Math.max(2, Runtime.getRuntime().availableProcessors());
        if (resumed && negotiation.has(Abi.HAS_RESEND)) {
            // Before anything is read: what is read now and sent again would be carried out twice.
            notices.resend();
        }
        sweeper.start();
        synchronized (ending) {
            for (int i = 0; i < threads; i++) {
                addWorker();
            }
        }
    }

    private void addWorker() {
        workersLeft++;
        Worker worker = new Worker(this, workers.size());
        workers.add(worker);
        worker.start();
    }

    // ---- device

    long read(Buffer buffer) {
        return Libc.read(fd, buffer.address, big.bytes(), buffer.errno);
    }

    /// @return false when the kernel no longer waits for this answer
    boolean write(Buffer buffer, int length) {
        return written(Libc.write(fd, buffer.address, length, buffer.errno), length, buffer);
    }

    boolean writev(Buffer buffer, long vector, int length) {
        return written(Libc.writev(fd, vector, 2, buffer.errno), length, buffer);
    }

    private boolean written(long result, int length, Buffer buffer) {
        if (result == length) {
            return true;
        }
        if (result != -Errno.ENOENT && result != -Errno.ENODEV && result != -Errno.ENOTCONN) {
            LOG.error(
                    "the kernel refused an answer of {} bytes to request {}: errno {}",
                    length,
                    buffer.segment.get(JAVA_LONG, Abi.OUT_UNIQUE),
                    -result);
        }
        return false;
    }

    Buffer buffer(int bytes) {
        return bytes <= SMALL_BYTES ? small.take() : big.take();
    }

    void giveBack(Buffer buffer) {
        if (buffer.segment.byteSize() == SMALL_BYTES) {
            small.give(buffer);
        } else {
            big.give(buffer);
        }
    }

    // ---- requests under way

    long deadlineFromNow() {
        return now + deadlineNanos;
    }

    void handedOver(KernelRequest request) {
        if (!request.active()) {
            return;
        }
        request.registered();
        handedOver.put(request.unique(), request);
        if (!request.active()) {
            handedOver.remove(request.unique());
        }
    }

    void finished(long unique) {
        handedOver.remove(unique);
    }

    /// An answer was given by the engine.
    void abandoned(int opcode, int errno) {
        if (errno == Errno.ETIMEDOUT) {
            timeouts.increment();
            LOG.warn(
                    "an operation (opcode {}) was not answered within its deadline: it fails with ETIMEDOUT",
                    opcode);
        }
    }

    /// Requests that missed their deadline so far.
    long timeouts() {
        return timeouts.sum();
    }

    boolean busy(long node) {
        for (Worker worker : workers) {
            if (worker.current().at(node)) {
                return true;
            }
        }
        for (KernelRequest request : handedOver.values()) {
            if (request.at(node)) {
                return true;
            }
        }
        return false;
    }

    /// @param interruptUnique of the INTERRUPT itself: answered with EAGAIN, the kernel sends it
    ///   again
    void interrupt(long unique, long interruptUnique) {
        KernelRequest request = handedOver.get(unique);
        boolean found = request != null && request.interrupt(unique);
        for (Worker worker : workers) {
            found = found || worker.current().interrupt(unique);
        }
        if (!found) {
            // Either it has just been answered (then the kernel drops this), or another worker is
            // about to begin it.
            Buffer buffer = small.take();
            buffer.segment.set(JAVA_INT, Abi.OUT_LEN, Abi.OUT_BYTES);
            buffer.segment.set(JAVA_INT, Abi.OUT_ERROR, -Errno.EAGAIN);
            buffer.segment.set(JAVA_LONG, Abi.OUT_UNIQUE, interruptUnique);
            write(buffer, Abi.OUT_BYTES);
            small.give(buffer);
        }
    }

    /// The time of the last look at the requests under way.
    long sweeps() {
        return now;
    }

    void sweep(long time) {
        now = time;
        boolean heldUp = true;
        for (Worker worker : workers) {
            KernelRequest request = worker.current();
            heldUp &= request.active();
            request.expire(time);
            request.releaseDying();
        }
        for (KernelRequest request : handedOver.values()) {
            request.expire(time);
            request.releaseDying();
        }
        if (!heldUp) {
            heldUpSince = 0;
        } else if (heldUpSince == 0) {
            heldUpSince = time;
        } else if (time - heldUpSince > 500_000_000L) {
            heldUpSince = 0;
            reinforce();
        }
    }

    private void reinforce() {
        synchronized (ending) {
            if (!closing && workersLeft > 0 && workers.size() < WORKERS_MAX) {
                LOG.warn(
                        "all {} workers are held up by operations that wait: starting another",
                        workers.size());
                addWorker();
            }
        }
    }

    // ---- threads that answer and are not our workers: the device stays open while they write

    boolean ownWorker(Thread thread) {
        return thread instanceof Worker worker && worker.session() == this;
    }

    void enterOutside() {
        outside.incrementAndGet();
    }

    void leaveOutside() {
        if (outside.decrementAndGet() == 0 && closing) {
            synchronized (ending) {
                ending.notifyAll();
            }
        }
    }

    // ---- end

    void workerEnded(int errno) {
        synchronized (ending) {
            unmounted |= errno == Errno.ENODEV; // an aborted one is ECONNABORTED
            if (--workersLeft > 0) {
                return;
            }
            closing = true;
        }
        if (errno != Errno.ENODEV && errno != Errno.ECONNABORTED) {
            LOG.error("reading from /dev/fuse failed: errno {}", errno);
        }
        takeDown();
    }

    /// The kernel has let go of the mount: what is mounted there now is another, under whatever
    /// number.
    boolean isUnmounted() {
        synchronized (ending) {
            return unmounted;
        }
    }

    private void takeDown() {
        for (KernelRequest request : handedOver.values()) {
            request.forsake();
        }
        sweeper.finish();
        notices.finish();
        try {
            sweeper.join();
            notices.join();
            synchronized (ending) {
                while (outside.get() > 0) {
                    ending.wait();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            operations.stopped();
        } catch (RuntimeException e) {
            LOG.error("the file system failed to stop", e);
        }
        passthrough.end();
        Libc.close(fd);
        synchronized (ending) {
            ended = true;
            ending.notifyAll();
        }
    }

    /// Waits until the mount is gone and everything is closed.
    ///
    /// @param nanos 0 to wait without end
    /// @return false when the time was over before
    boolean awaitEnd(long nanos) throws InterruptedException {
        long until = System.nanoTime() + nanos;
        synchronized (ending) {
            while (!ended) {
                long left = nanos == 0 ? Long.MAX_VALUE : until - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(ending, left);
            }
            return true;
        }
    }

    // ---- Connection

    @Override
    public KernelCache cache() {
        return notices;
    }

    @Override
    public Passthrough passthrough() {
        return passthrough;
    }

    @Override
    public int minor() {
        return negotiation.minor();
    }

    @Override
    public int writeBytesMax() {
        return negotiation.writeBytesMax();
    }

    @Override
    public boolean resumed() {
        return resumed;
    }

    @Override
    public RequestCounts figures() {
        return counts;
    }
}
