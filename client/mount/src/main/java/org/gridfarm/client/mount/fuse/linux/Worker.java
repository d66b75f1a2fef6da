package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.gridfarm.client.mount.fuse.Errno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads requests from the device and has each carried out, until the mount is gone.
///
/// Owns one buffer to read into and one request object, which is used again as long as operations
/// answer inline. A request that is not answered when its operation returns is entered in the
/// session's list, and the worker goes on with a fresh one.
final class Worker extends Thread {

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final Session session;
    private final NameCache names = new NameCache();
    private final Buffer input;
    private volatile KernelRequest current;

    Worker(Session session, int number) {
        super("fuse-worker-" + number);
        setDaemon(true);
        this.session = session;
        this.input = session.big.take();
        this.current = new KernelRequest(session);
    }

    Session session() {
        return session;
    }

    NameCache names() {
        return names;
    }

    /// The request in hand; it may be idle.
    KernelRequest current() {
        return current;
    }

    @Override
    public void run() {
        try {
            while (true) {
                long count = session.read(input);
                if (count < 0) {
                    int errno = (int) -count;
                    if (errno == Errno.EINTR || errno == Errno.EAGAIN || errno == Errno.ENOENT) {
                        continue;
                    }
                    session.workerEnded(errno);
                    return;
                }
                serveSafely((int) count);
            }
        } finally {
            session.big.give(input);
        }
    }

    /// A request that breaks the engine itself is left to its deadline; the worker goes on.
    private void serveSafely(int count) {
        try {
            serve(count);
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.error("a request of {} bytes could not be carried out", count, e);
            session.handedOver(current);
            current = new KernelRequest(session);
        }
    }

    private void serve(int count) {
        int opcode = input.segment.get(JAVA_INT, Abi.IN_OPCODE);
        if (Dispatcher.unanswered(session, this, input, opcode)) {
            return;
        }
        KernelRequest request = current;
        request.begin(input.segment, opcode);
        Dispatcher.dispatch(session, this, request, input, count);
        if (request.free(this)) {
            return;
        }
        session.handedOver(request);
        current = new KernelRequest(session);
    }
}
