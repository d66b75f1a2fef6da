package org.gridfarm.storagenode.objects;

/**
 * Whether the metaserver still counts on this node. A node that was stopped and goes on must not
 * serve what has meanwhile been declared stale, nor send on what it had begun to.
 */
public interface NodeLease {
    /** UNAVAILABLE when the lease has run out. Quick; called before and after every wait. */
    void require(String operation);
}
