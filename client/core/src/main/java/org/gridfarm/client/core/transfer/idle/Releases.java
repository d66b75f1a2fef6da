package org.gridfarm.client.core.transfer.idle;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.client.core.transfer.node.TransferLimits;
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
import java.util.concurrent.CompletableFuture;

/**
 * Gives up handles at the leader, which as a rule nobody waits for. They wait a moment for a change
 * to go along with, as the next file of many is one; else they go together. Thread-safe.
 */
public final class Releases {
    private static final Logger log = LoggerFactory.getLogger(Releases.class);
    private static final Duration WAIT = Duration.ofMillis(2);
    private static final int WAITING_MAX = 256;
    private static final Duration HEARD_MAX = Duration.ofSeconds(1);

    /** Tells the leader. */
    @FunctionalInterface
    interface Leader {
        CompletableFuture<?> close(List<Long> settled, List<Long> unsettled);
    }

    private final Leader leader;
    private final Clock clock;

    @GuardedBy("this")
    private List<Long> waiting = new ArrayList<>();

    @GuardedBy("this")
    private boolean sendsSoon;

    @GuardedBy("this")
    private boolean underWay;

    public Releases(FarmSession session, Clock clock) {
        this(
                (settled, unsettled) ->
                        session.leader(
                                MetadataMethods.CLOSE,
                                () ->
                                        CloseRequest.newBuilder()
                                                .setSession(session.id())
                                                .addAllHandles(settled)
                                                .addAllUnsettled(unsettled)
                                                .build(),
                                session.deadline()),
                clock);
    }

    public Releases(Leader leader, Clock clock) {
        this.leader = leader;
        this.clock = clock;
    }

    public void release(long handle) {
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

    /** Completes when the leader knows, or a moment later: it is told until it does. */
    CompletableFuture<Void> releaseNow(long handle) {
        CompletableFuture<Void> heard = new CompletableFuture<>();
        clock.after(HEARD_MAX, () -> heard.complete(null));
        leader.close(List.of(handle), List.of())
                .whenComplete((reply, thrown) -> {
                    if (thrown != null) {
                        failed(List.of(handle), FarmException.of(thrown, "close", ""));
                    }
                    heard.complete(null);
                });
        return heard;
    }

    /**
     * Something was changed through it that could not be committed. Completes when the leader
     * knows, or a moment later: it is told until it does.
     */
    public CompletableFuture<Void> releaseUnsettled(long handle) {
        CompletableFuture<Void> heard = new CompletableFuture<>();
        clock.after(HEARD_MAX, () -> heard.complete(null));
        tellUnsettled(handle, heard);
        return heard;
    }

    private void tellUnsettled(long handle, CompletableFuture<Void> heard) {
        leader.close(List.of(), List.of(handle))
                .whenComplete((reply, thrown) -> {
                    if (thrown == null || isOver(FarmException.of(thrown, "close", ""))) {
                        heard.complete(null);
                    } else {
                        clock.after(TransferLimits.RETRY_PAUSE, () -> tellUnsettled(handle, heard));
                    }
                });
    }

    /** What waits, perhaps nothing; it does not wait any more. */
    public synchronized List<Long> take() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Long> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /** They go with what comes next, and if nothing comes a moment later. */
    public void putBack(List<Long> handles) {
        boolean soon;
        synchronized (this) {
            waiting.addAll(handles);
            soon = !sendsSoon;
            sendsSoon = true;
        }
        if (soon) {
            clock.after(TransferLimits.RETRY_PAUSE, this::sendSoon);
        }
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
        leader.close(handles, List.of())
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

    /** The session ended, and the handles with it. */
    private static boolean isOver(FarmException failure) {
        return failure.kind().retry() == Retry.NEVER;
    }

    private void failed(List<Long> handles, FarmException failure) {
        log.debug("{} handles are not given up: {}", handles.size(), failure.getMessage());
        if (!isOver(failure)) {
            putBack(handles);
        }
    }
}
