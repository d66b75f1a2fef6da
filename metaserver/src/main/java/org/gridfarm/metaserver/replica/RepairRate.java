package org.gridfarm.metaserver.replica;

/**
 * The throttle of repair, a bucket of bytes that may go negative by one copy, and what was reached
 * while copies were under way, weighted towards the last minute.
 */
final class RepairRate {
    private static final double MEMORY_NANOS = 60e9;

    private double allowance;
    private long filledAt;
    private boolean filled;
    private int running;
    private long since; // of what has not been counted yet: a copy began or ended
    private double bytes;
    private double nanos;

    /**
     * @param perSecond bytes, 0: no limit
     */
    boolean mayStart(long perSecond, long now) {
        if (perSecond == 0) {
            return true;
        }
        if (!filled) {
            filled = true;
            filledAt = now;
            allowance = perSecond;
        }
        allowance = Math.min(perSecond, allowance + (now - filledAt) / 1e9 * perSecond);
        filledAt = now;
        return allowance > 0;
    }

    void started(long size, long perSecond, long now) {
        if (running++ == 0) {
            since = now;
        }
        if (perSecond > 0 && mayStart(perSecond, now)) {
            allowance -= size;
        }
    }

    /**
     * @param size 0: it failed
     */
    void ended(long size, long now) {
        double passed = now - since;
        double kept = Math.exp(-passed / MEMORY_NANOS);
        bytes = bytes * kept + size;
        nanos = nanos * kept + passed;
        since = now;
        running--;
    }

    /** 0: not known. */
    double bytesPerSecond(long perSecond) {
        double seen = nanos > 0 ? bytes / nanos * 1e9 : 0;
        return perSecond > 0 && (seen == 0 || seen > perSecond) ? perSecond : seen;
    }
}
