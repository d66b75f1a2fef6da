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
import java.util.concurrent.locks.LockSupport;

/** Calls to the scheduler, whichever of the configured ones leads now. Blocking; for one thread. */
public final class SchedulerLine {
    private static final Duration CALL_MAX = Duration.ofSeconds(10);

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
     * Repeats on another scheduler, or the same started again, while nobody can be reached, and
     * while too much is asked for; only for calls that may be repeated.
     */
    public <Q extends MessageLite, R extends MessageLite> R call(Method<Q, R> method, Q request) {
        Repeats repeats = new Repeats(System.nanoTime());
        while (true) {
            try {
                return peer().callPlain(method, request, CALL_MAX).join();
            } catch (RuntimeException e) {
                FarmException failure = FarmException.of(e, method.name(), "");
                Repeats.Step step = repeats.after(failure.kind(), System.nanoTime());
                switch (step) {
                    case GIVE_UP -> throw failure;
                    case ELSEWHERE -> drop();
                    case LATER -> {
                        // the connection is good
                    }
                }
                LockSupport.parkNanos(step.pauseNanos());
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
