package org.gridfarm.metaserver.server.sessions;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.metaserver.coherence.Touch;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.DataRecall;
import org.gridfarm.protocol.wire.RecallRequest;
import org.gridfarm.protocol.wire.RecalledDirectory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sessions' connections: sends recalls and hears their answers. The same at the leader and at
 * caches. Event thread.
 */
public final class Sessions {
    private static final Logger log = LoggerFactory.getLogger(Sessions.class);

    private record Line(Peer peer, Caller caller) {}

    private final ClientCoherence clients;
    private final LongMap<Line> lines = new LongMap<>();
    private final Events events;
    private final Clock clock;
    private final AcknowledgedSink acknowledged;
    private final Bounds bounds;
    private final SilentClients silent = new SilentClients();

    /** Told on the event thread that a recall was answered. */
    public interface AcknowledgedSink {
        void acknowledged(long session, long recall);
    }

    public Sessions(
            ClientCoherence clients,
            Events events,
            Clock clock,
            AcknowledgedSink acknowledged,
            Bounds bounds) {
        this.bounds = bounds;
        this.clients = clients;
        this.events = events;
        this.clock = clock;
        this.acknowledged = acknowledged;
    }

    /** OVERLOADED for whoever has as many sessions as one may; null: one more is welcome. */
    @Nullable FarmException refusal(Identity who) {
        return bounds.refusalOfSession(who.dn());
    }

    /**
     * The session speaks over this connection from now on, and over no other; what it owes is asked
     * for again.
     */
    void attach(Caller caller, Peer peer) {
        Line former = lines.put(caller.session(), new Line(peer, caller));
        bounds.opened(caller.session(), user(caller));
        Long until = silent.until(user(caller), clock.nanoTime());
        if (until != null) clients.grantNothing(caller.session(), until);
        if (former != null && former.peer() != peer) {
            former.peer().attach(Caller.LEFT_BEHIND, true);
            former.peer().close();
        }
        for (Effect effect : clients.resend(caller.session())) {
            if (effect instanceof Effect.SendRecall recall) send(recall);
        }
    }

    public @Nullable Caller caller(long session) {
        Line line = lines.get(session);
        return line == null ? null : line.caller();
    }

    public void forget(Effect.SessionEnded ended) {
        Line line = lines.remove(ended.session());
        bounds.ended(ended.session());
        if (ended.evicted()) {
            log.info(
                    "session {} of {} is over: its lease ran out",
                    Long.toHexString(ended.session()),
                    line == null ? "?" : line.caller().client());
        }
        if (ended.owing() && line != null) wasSilent(user(line.caller()));
    }

    /**
     * Everybody has waited for an answer of this user's session that never came: none of his is
     * told for a while that it may keep what it reads.
     */
    private void wasSilent(String user) {
        long now = clock.nanoTime();
        silent.wasSilent(user, now);
        Long until = silent.until(user, now);
        if (until == null) return;
        lines.forEach((session, line) -> {
            if (user(line.caller()).equals(user)) clients.grantNothing(session, until);
        });
    }

    private static String user(Caller caller) {
        return caller.identity().dn();
    }

    public void send(Effect.SendRecall recall) {
        Line line = lines.get(recall.session());
        if (line == null || !line.peer().isOpen())
            return; // sent when it comes back, or its lease ends
        line.peer()
                .callPlain(MetadataMethods.RECALL, request(recall), ServerLimits.RECALL_DEADLINE)
                .whenComplete((reply, failure) -> {
                    if (failure == null) {
                        events.runOrSubmit(
                                () -> acknowledged.acknowledged(recall.session(), recall.recall()));
                    } else {
                        log.debug("recall {}: {}", recall.recall(), failure.getMessage());
                    }
                });
    }

    private static RecallRequest request(Effect.SendRecall recall) {
        RecallRequest.Builder request = RecallRequest.newBuilder().setRevision(recall.recall());
        Map<Long, RecalledDirectory.Builder> directories = new LinkedHashMap<>();
        for (Touch touch : recall.touches()) {
            if (touch.name() == null) {
                request.addAttributes(touch.inode());
            } else {
                RecalledDirectory.Builder directory =
                        directories.computeIfAbsent(
                                touch.inode(), i -> RecalledDirectory.newBuilder().setInode(i));
                if (!touch.name().isEmpty()) directory.addNames(touch.name());
            }
        }
        directories.values().forEach(request::addDirectories);
        for (DataTouch data : recall.data()) {
            request.addData(
                    DataRecall.newBuilder()
                            .setInode(data.inode())
                            .setModeValue(data.mode())
                            .setLayout(data.layout())
                            .setPrivileges(data.privileges())
                            .setWritten(data.written())
                            .setDelegation(data.delegation()));
        }
        return request.build();
    }

    int size() {
        return lines.size();
    }

    /** The address that the session's client speaks from; null: it is not connected now. */
    public @Nullable String from(long session) {
        Line line = lines.get(session);
        return line == null || !line.peer().isOpen() ? null : line.peer().address().toString();
    }

    public List<Caller> callers() {
        List<Caller> callers = new ArrayList<>();
        lines.forEach((session, line) -> callers.add(line.caller()));
        return callers;
    }
}
