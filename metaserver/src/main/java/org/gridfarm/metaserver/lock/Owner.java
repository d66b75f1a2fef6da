package org.gridfarm.metaserver.lock;

import org.gridfarm.protocol.wire.LockRequest;

/**
 * Who locks: one lock owner of the kernel (a process, or for flock an open file) within one
 * session. Its own locks never stand in its way.
 */
record Owner(long session, long owner) {
    static Owner of(LockRequest request) {
        return new Owner(request.getSession(), request.getOwner());
    }
}
