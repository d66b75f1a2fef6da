package org.gridfarm.client.core.session;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.RenewRequest;
import org.gridfarm.protocol.wire.ServerInfo;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One renewal of the lease at one server. */
final class Renewal {
    private final Clock clock;
    private final long session;
    private final Attached attached;

    /**
     * @param lapsed the lease had run out before the answer came: what was granted under it is not
     *     to be believed
     * @param evicted the server has ended the session
     */
    record Outcome(boolean lapsed, boolean evicted, List<ServerInfo> servers) {}

    Renewal(Clock clock, long session, Attached attached) {
        this.clock = clock;
        this.session = session;
        this.attached = attached;
    }

    CompletableFuture<Outcome> send() {
        long sentAt = clock.nanoTime();
        return attached.peer
                .callPlain(
                        MetadataMethods.RENEW,
                        RenewRequest.newBuilder().setSession(session).build(),
                        SessionLimits.RENEW_DEADLINE)
                .thenApply(reply -> {
                    boolean lapsed = attached.nanosLeft(clock.nanoTime()) <= 0;
                    if (!reply.getEvicted()) {
                        attached.extend(sentAt, reply.getLeaseMillis());
                    }
                    return new Outcome(lapsed, reply.getEvicted(), reply.getServersList());
                });
    }
}
