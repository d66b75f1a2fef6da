package org.gridfarm.client.cli;

import com.google.protobuf.MessageLite;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** Calls to the scheduler, whichever of the configured ones leads now. Blocking; for one thread. */
public final class SchedulerLine {
    private static final Duration CALL_MAX = Duration.ofSeconds(10);
    private static final Duration SEARCH_MAX = Duration.ofSeconds(20);
    private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();

    private final Gridfarm farm;
    private final List<HostPort> addresses;
    private @Nullable Peer peer;

    /** Which address is tried first: one that stands by is reached, and refuses every call. */
    private int first;

    public SchedulerLine(Gridfarm farm, List<HostPort> addresses) {
        if (addresses.isEmpty()) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION, "run", "", "the configuration names no scheduler");
        }
        this.farm = farm;
        this.addresses = addresses;
    }

    /**
     * Repeats on another scheduler, or the same started again, while nobody can be reached; only
     * for calls that may be repeated.
     */
    public <Q extends MessageLite, R extends MessageLite> R call(Method<Q, R> method, Q request) {
        long end = System.nanoTime() + SEARCH_MAX.toNanos();
        while (true) {
            try {
                return peer().callPlain(method, request, CALL_MAX).join();
            } catch (RuntimeException e) {
                FarmException failure = FarmException.of(e, method.name(), "");
                boolean elsewhere =
                        failure.kind().retry() == org.gridfarm.protocol.error.Retry.ELSEWHERE
                                || failure.kind() == ErrorKind.NOT_READY;
                if (!elsewhere || System.nanoTime() > end) {
                    throw failure;
                }
                drop();
                java.util.concurrent.locks.LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private Peer peer() {
        Peer known = peer;
        if (known != null && known.isOpen()) {
            return known;
        }
        FarmException last = null;
        for (int i = 0; i < addresses.size(); i++) {
            HostPort address = addresses.get((first + i) % addresses.size());
            try {
                Peer found = farm.schedulerDialer().dial(address).join();
                peer = found;
                first = (first + i) % addresses.size();
                return found;
            } catch (RuntimeException e) {
                last = FarmException.of(e, "connect", "scheduler " + address);
            }
        }
        throw last == null
                ? new FarmException(ErrorKind.UNAVAILABLE, "connect", "scheduler")
                : last;
    }

    private void drop() {
        if (peer != null) {
            peer.close();
            peer = null;
        }
        first = (first + 1) % addresses.size();
    }
}
