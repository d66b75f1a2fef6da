package org.gridfarm.metaserver.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.wire.ObjectId;

/** Makes the tickets that storage nodes ask for. */
interface Tickets {
    /** These rights on the object at the node, for the caller alone. */
    ByteString mint(String node, ObjectId object, Rights rights, Caller caller);

    /** When tickets made now end, in seconds since 1970. */
    long expirySeconds();
}
