package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.wire.ObjectId;

/** Makes the tickets that storage nodes ask for. */
public interface Tickets {
    /** Who asks for them, and on whose behalf. */
    record Asker(Caller caller, int uid) {}

    /** These rights on the object at the node, for the caller alone. */
    ByteString mint(String node, ObjectId object, Rights rights, Asker asker);

    /**
     * To read the object, and until it is made of a staged file that file.
     *
     * @param staged as it is shown
     */
    ByteString mintStaged(String node, ObjectId object, long staged, Asker asker);

    /**
     * To read the object and to write it at the head of its chain.
     *
     * @param behind {@link org.gridfarm.protocol.auth.ticket.ChainHash} of the other members
     */
    ByteString mintHead(String node, ObjectId object, long behind, Asker asker);

    /**
     * When tickets made now end, in seconds since 1970.
     *
     * @param write those with which something may be changed
     */
    long expirySeconds(boolean write);
}
