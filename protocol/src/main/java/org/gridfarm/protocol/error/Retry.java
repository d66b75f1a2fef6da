package org.gridfarm.protocol.error;

/** What a caller that still has time may do after a failure. */
public enum Retry {
    /** The answer will not change by asking again. */
    NEVER,
    /** Ask the same server again after a short wait. */
    LATER,
    /**
     * Ask another server, or find the leader again; the first attempt may or may not have happened.
     */
    ELSEWHERE
}
