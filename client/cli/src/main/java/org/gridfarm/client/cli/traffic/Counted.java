package org.gridfarm.client.cli.traffic;

import org.gridfarm.protocol.wire.TrafficRow;

/**
 * Requests and bytes of content.
 *
 * @param received by the server
 */
public record Counted(long requests, long failures, long received, long sent) {
    static final Counted NONE = new Counted(0, 0, 0, 0);

    static Counted of(TrafficRow row) {
        return new Counted(row.getRequests(), row.getFailures(), row.getReceived(), row.getSent());
    }

    Counted plus(Counted more) {
        return new Counted(
                requests + more.requests,
                failures + more.failures,
                received + more.received,
                sent + more.sent);
    }

    Counted minus(Counted before) {
        return new Counted(
                requests - before.requests,
                failures - before.failures,
                received - before.received,
                sent - before.sent);
    }
}
