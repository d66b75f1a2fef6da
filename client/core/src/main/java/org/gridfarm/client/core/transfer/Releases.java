package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.metadata.GivenUp;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.wire.CloseRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives up handles at the leader, which nobody waits for. They wait a moment for a change to go
 * along with, as the next file of many is one; else they go together. Thread-safe.
 */
final class Releases implements GivenUp {
    private static final Logger log = LoggerFactory.getLogger(Releases.class);
    private static final Duration WAIT = Duration.ofMillis(2);
    private static final int WAITING_MAX = 256;

    private final FarmSession session;
    private final Clock clock;

    @GuardedBy("this")
    private List<Long> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean sendsSoon;

    @GuardedBy("this")
    private boolean underWay;

    Releases(FarmSession session, Clock clock) {
        this.session = session;
        this.clock = clock;
    }

    void release(long handle) {
        boolean soon;
        boolean now;
        synchronized (this) {
            waiting.add(handle);
            now = waiting.size() >= WAITING_MAX;
            soon = !now && !sendsSoon;
            sendsSoon |= soon;
        }
        if (now) {
            send();
        } else if (soon) {
            clock.after(WAIT, this::sendSoon);
        }
    }

    @Override
    public synchronized List<Long> take() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Long> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /** They go with what comes next. */
    @Override
    public synchronized void putBack(List<Long> handles) {
        waiting.addAll(handles);
    }

    private void sendSoon() {
        synchronized (this) {
            sendsSoon = false;
        }
        send();
    }

    private void send() {
        List<Long> handles;
        synchronized (this) {
            if (underWay || waiting.isEmpty()) {
                return;
            }
            underWay = true;
            handles = take();
        }
        session.leader(
                        MetadataMethods.CLOSE,
                        () ->
                                CloseRequest.newBuilder()
                                        .setSession(session.id())
                                        .addAllHandles(handles)
                                        .build(),
                        session.deadline())
                .whenComplete((reply, thrown) -> {
                    synchronized (this) {
                        underWay = false;
                    }
                    if (thrown == null) {
                        send();
                    } else {
                        failed(handles, FarmException.of(thrown, "close", ""));
                    }
                });
    }

    private void failed(List<Long> handles, FarmException failure) {
        log.debug("{} handles are not given up: {}", handles.size(), failure.getMessage());
        if (failure.kind().retry() != Retry.NEVER) { // else the session ended, and they with it
            putBack(handles);
        }
    }
}
