package org.gridfarm.storagenode.control;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.storagenode.objects.Doorkeeper;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.OptionalLong;

/**
 * Tickets for everybody: a client's must be bound to its key, another node passes on those it was
 * shown. The metaserver needs none.
 */
public final class TicketDoor implements Doorkeeper {
    private final TicketGate gate;

    public TicketDoor(TicketGate gate) {
        this.gate = gate;
    }

    @Override
    public void admit(Peer caller, ObjectKey key, ByteString ticket, Right right) {
        Role role = caller.identity().role();
        if (role == Role.METASERVER) {
            return;
        }
        gate.verify(
                ticket.toByteArray(),
                key.inode(),
                key.stripe(),
                key.generation(),
                right == Right.READ ? Rights.READ : Rights.WRITE,
                role == Role.NODE ? OptionalLong.empty() : OptionalLong.of(caller.keyBinding()));
    }

    @Override
    public boolean isNode(Peer caller) {
        return caller.identity().role() == Role.NODE;
    }
}
