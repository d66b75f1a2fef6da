package org.gridfarm.protocol.rpc;

/**
 * Judges whether the other side lives, at every tick (a quarter of the ping interval or so). Pure;
 * owned by the event loop.
 *
 * <p>A tick that comes late says that this process was stopped or starved, and then what the other
 * side sent may still lie unread in the socket: such a tick never judges, it starts the silence
 * anew.
 */
final class Liveness {
    enum Verdict {
        FINE,
        PING,
        DEAD
    }

    private final long pingNanos;
    private final long silenceNanos;
    private long heardAt;
    private long spokeAt;
    private long tickedAt;
    private long unsentThen;

    Liveness(KeepAlive limits, long now) {
        pingNanos = limits.pingAfter().toNanos();
        silenceNanos = limits.silenceMax().toNanos();
        heardAt = now;
        spokeAt = now;
        tickedAt = now;
    }

    long tickNanos() {
        return Math.max(1, pingNanos / 2);
    }

    void heard(long now) {
        heardAt = now;
    }

    void spoke(long now) {
        spokeAt = now;
    }

    /**
     * @param deaf whether we do not read at present, because the other side does not take what we
     *     send: then progress in sending is its sign of life
     * @param unsent bytes that wait to be sent
     */
    Verdict tick(long now, boolean deaf, long unsent) {
        boolean late = now - tickedAt > 2 * tickNanos() + silenceNanos / 4;
        if (late || (deaf && unsent != unsentThen)) heardAt = now;
        tickedAt = now;
        unsentThen = unsent;
        if (now - heardAt >= silenceNanos) return Verdict.DEAD;
        return now - spokeAt >= pingNanos ? Verdict.PING : Verdict.FINE;
    }
}
