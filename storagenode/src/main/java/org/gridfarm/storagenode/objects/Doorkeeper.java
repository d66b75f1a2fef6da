package org.gridfarm.storagenode.objects;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.storagenode.replica.ObjectKey;

/** Decides whether a caller may touch an object. Called on event loops: must not block. */
public interface Doorkeeper {
    enum Right {
        READ,
        WRITE
    }

    /**
     * TICKET_REFUSED unless the ticket gives the caller this right on this object at this node now.
     */
    void admit(Peer caller, ObjectKey key, ByteString ticket, Right right);

    /** Another node, whose writes were let in at the head of their chain. */
    boolean isNode(Peer caller);
}
