package org.gridfarm.protocol.job;

/** What reading input over the network is taken to cost. */
public final class Network {
    /** Bytes a second of gigabit Ethernet, where nothing was measured. */
    public static final double BYTES_PER_SECOND = 110e6;

    private Network() {}
}
