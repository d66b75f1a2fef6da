package org.gridfarm.storagenode.objects;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.List;

/** Decides whether a caller may touch an object. Called on event loops: must not block. */
public interface Doorkeeper {
    enum Right {
        /** To know its size and times. */
        STAT,
        READ,
        /** To have a kernel of this host write into its file. */
        WRITE_LOCALLY,
        /** To write here and at all members behind: of a client at the head, of a node anywhere. */
        WRITE
    }

    /**
     * What the ticket of somebody who is let in says.
     *
     * @param client whom it was made for, also where another node shows it
     * @param nonce see {@link org.gridfarm.protocol.auth.ticket.Ticket}: what stands for the
     *     members behind the head, of a ticket to write there; what a staged file is shown as
     */
    record Shown(long client, long nonce) {}

    /**
     * TICKET_REFUSED unless the ticket gives the caller this right on this object at this node now.
     */
    Shown admit(Peer caller, ObjectKey key, ByteString ticket, Right right);

    /**
     * TICKET_REFUSED unless each of these tickets, which this node is to pass on to others in the
     * caller's name, was made for the caller. Whether they are true is for those others to see.
     */
    void admitBeyond(Peer caller, ObjectKey key, List<ChainMember> members);

    /** Another node, whose writes were let in at the head of their chain. */
    boolean isNode(Peer caller);
}
