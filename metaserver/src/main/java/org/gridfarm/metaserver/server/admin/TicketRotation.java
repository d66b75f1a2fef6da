package org.gridfarm.metaserver.server.admin;

import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.AdminReply;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.Change;

import java.util.List;
import java.util.Map;

/**
 * {@code gf meta rotate-secret} at the leader: tickets are made of a new secret. Nobody who works
 * notices; who had the old one makes no more valid tickets once those of it have run out.
 */
public final class TicketRotation {
    private final TicketMaker tickets;
    private final LeaderContext leader;

    public TicketRotation(TicketMaker tickets, LeaderContext leader) {
        this.tickets = tickets;
        this.leader = leader;
    }

    public void answer(Exchange<AdminRequest, AdminReply> exchange) {
        List<Change> changes =
                tickets.rotated().stream()
                        .map(setting -> Change.newBuilder().setSetting(setting).build())
                        .toList();
        leader.change(changes, 0);
        AdminReply reply =
                AdminService.reply(
                        Map.of(
                                "in_use_after_seconds", TicketMaker.TOLD_WITHIN.toSeconds(),
                                "former_ends_after_seconds", TicketMaker.FORMER_FOR.toSeconds()));
        leader.afterCompletion(leader.openSequence(), () -> exchange.reply(reply));
    }
}
