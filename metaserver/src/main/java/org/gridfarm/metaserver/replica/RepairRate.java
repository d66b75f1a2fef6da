package org.gridfarm.metaserver.replica;

/**
 * The throttle of repair, a bucket of bytes that may go negative by one copy, and what was reached,
 * smoothed over about a minute.
 */
final class RepairRate {
    private static final double SMOOTHING_NANOS = 60e9;

    private double allowance;
    private long filledAt;
    private boolean started;
    private double rate; // bytes per second
    private long copiedAt;

    /**
     * @param perSecond bytes, 0: no limit
     */
    boolean mayStart(long perSecond, long now) {
        if (perSecond == 0) {
            return true;
        }
        if (!started) {
            started = true;
            filledAt = now;
            allowance = perSecond;
        }
        allowance = Math.min(perSecond, allowance + (now - filledAt) / 1e9 * perSecond);
        filledAt = now;
        return allowance > 0;
    }

    void started(long bytes, long perSecond, long now) {
        if (perSecond > 0 && mayStart(perSecond, now)) {
            allowance -= bytes;
        }
    }

    void copied(long bytes, long now) {
        double kept = copiedAt == 0 ? 0 : Math.exp(-(now - copiedAt) / SMOOTHING_NANOS);
        rate = rate * kept + bytes * 1e9 / SMOOTHING_NANOS;
        copiedAt = now;
    }

    /** 0: not known. */
    double bytesPerSecond(long perSecond, long now) {
        double seen = copiedAt == 0 ? 0 : rate * Math.exp(-(now - copiedAt) / SMOOTHING_NANOS);
        return seen > 0 ? seen : perSecond;
    }
}
