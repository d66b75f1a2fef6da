package org.gridfarm.client.core.session;

import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.OpenSessionReply;

/** The session on one server: its connection and how long it may be believed. */
final class Attached {
    final Peer peer;
    final String address;
    final OpenSessionReply opened;

    /**
     * Monotonic nanoseconds until which the server's grants hold; written by the renewing side
     * alone.
     */
    private volatile long leaseUntil;

    private long reviewedAt;

    Attached(Peer peer, String address, OpenSessionReply opened, long sentAt) {
        this.peer = peer;
        this.address = address;
        this.opened = opened;
        reviewedAt = sentAt;
        extend(sentAt, opened.getLeaseMillis());
    }

    /** The lease counts from when it was asked for: the server granted it later. */
    void extend(long sentAt, int leaseMillis) {
        long lease = leaseMillis * 1_000_000L;
        leaseUntil = sentAt + lease - lease / SessionLimits.LEASE_MARGIN_PART;
    }

    /** True once per review interval; asked by the renewing side alone. */
    boolean timeForReview(long now) {
        if (now - reviewedAt < SessionLimits.READER_REVIEW.toNanos()) {
            return false;
        }
        reviewedAt = now;
        return true;
    }

    long nanosLeft(long now) {
        return leaseUntil - now;
    }
}
