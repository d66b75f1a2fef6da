package org.gridfarm.storagenode.control;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.ticket.Ticket;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.storagenode.objects.Doorkeeper;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.List;
import java.util.OptionalLong;

/**
 * Tickets for everybody: a client's must be bound to its key, also those that this node is to show
 * to others for it; another node passes on those it was shown. A metaserver needs them as well
 * here: its orders come over the node's own connection to it.
 */
public final class TicketDoor implements Doorkeeper {
    private final TicketGate gate;

    public TicketDoor(TicketGate gate) {
        this.gate = gate;
    }

    @Override
    public Shown admit(Peer caller, ObjectKey key, ByteString ticket, Right right) {
        boolean isNode = isNode(caller);
        Ticket shown =
                gate.verify(
                        ticket.toByteArray(),
                        key.inode(),
                        key.stripe(),
                        key.generation(),
                        needed(right, isNode),
                        isNode ? OptionalLong.empty() : OptionalLong.of(caller.keyBinding()));
        return new Shown(shown.client(), shown.nonce());
    }

    private static Rights needed(Right right, boolean isNode) {
        return switch (right) {
            case STAT -> Rights.STAT;
            case READ -> Rights.READ;
            case WRITE_LOCALLY -> Rights.CHAINED;
            case WRITE -> isNode ? Rights.CHAINED : Rights.WRITE;
        };
    }

    @Override
    public void admitBeyond(Peer caller, ObjectKey key, List<ChainMember> members) {
        if (isNode(caller)) {
            return; // the first of the chain has looked
        }
        for (ChainMember member : members) {
            if (!TicketGate.claimsClient(member.getTicket().toByteArray(), caller.keyBinding())) {
                throw new FarmException(
                        ErrorKind.TICKET_REFUSED,
                        "access object",
                        key.toString(),
                        "the ticket for node " + member.getNode() + " was made for another client");
            }
        }
    }

    @Override
    public boolean isNode(Peer caller) {
        return caller.identity().role() == Role.NODE;
    }
}
