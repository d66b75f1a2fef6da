package org.gridfarm.client.core.transfer.local;

import org.gridfarm.protocol.env.ProcessLimits;

/** How the descriptors of this process are divided. */
public final class Descriptors {
    /**
     * Connections, the program's own files, and those that are open for the moment of a request:
     * replicas never take these, nor the last quarter of all.
     */
    private static final int KEPT_FREE = 512;

    private Descriptors() {}

    /** Replicas on this host that may be open at a time, by one descriptor each. */
    public static int forReplicas() {
        return forReplicas(ProcessLimits.openFiles());
    }

    static int forReplicas(int descriptors) {
        return Math.max(0, descriptors - Math.max(KEPT_FREE, descriptors / 4));
    }
}
