package org.gridfarm.protocol.rpc;

/** Whether a call whose outcome is unknown (connection lost, deadline passed) may be sent again. */
public enum Retry {
    /**
     * Doing it twice is the same as doing it once: reads, or commands whose id the server
     * remembers.
     */
    IDEMPOTENT,
    /**
     * Only a call that was never sent, or that the server refused before doing anything, may be
     * repeated.
     */
    ONCE
}
