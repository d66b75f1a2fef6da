package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.config.Config;

/**
 * How much of a metaserver's memory clients may take, by session and by user (the DN of their
 * certificate, which is a host's where a host speaks for its users). What each thing takes of the
 * heap was counted from its objects: the defaults let one session have a quarter of the heap with
 * open files and less with everything else, and one user twice as much.
 *
 * @param heapPercent in use, after a collection, from which on nothing new is taken
 */
public record ClientLimits(
        int heapPercent,
        int sessionsPerUser,
        int openFilesPerSession,
        int openFilesPerUser,
        int locksPerSession,
        int locksPerUser,
        int leasesPerSession,
        int unsettledPerSession,
        int unsettledPerUser) {
    /** Handle, its file and three indexes: about 750 bytes. */
    private static final long HEAP_PER_OPEN_FILE = 3 << 10;

    /** A range in the tree and by owner: about 250 bytes. */
    private static final long HEAP_PER_LOCK = 4 << 10;

    /** About 130 bytes. */
    private static final long HEAP_PER_LEASE = 2 << 10;

    /** An answer of about 450 bytes. */
    private static final long HEAP_PER_UNSETTLED = 4 << 10;

    /**
     * A mount that was replaced settles nothing for 30 seconds, and may change 2,000 things in each
     * meanwhile.
     */
    private static final int UNSETTLED_MIN = 65_536;

    private static final int UNSETTLED_MAX = 262_144;

    /** One for each command that runs at a moment; a session alone takes about a kilobyte. */
    private static final int SESSIONS_PER_USER = 4096;

    private static final int HEAP_PERCENT = 90;
    private static final int MAX = 100_000_000;

    public static ClientLimits ofHeap(long heap) {
        int files = part(heap, HEAP_PER_OPEN_FILE);
        int locks = part(heap, HEAP_PER_LOCK);
        int unsettled = Math.clamp(part(heap, HEAP_PER_UNSETTLED), UNSETTLED_MIN, UNSETTLED_MAX);
        return new ClientLimits(
                HEAP_PERCENT,
                SESSIONS_PER_USER,
                files,
                2 * files,
                locks,
                2 * locks,
                part(heap, HEAP_PER_LEASE),
                unsettled,
                2 * unsettled);
    }

    private static int part(long heap, long bytes) {
        return (int) Math.clamp(heap / bytes, 1, MAX / 2);
    }

    /** {@code [limits]}. */
    static ClientLimits read(Config limits) {
        ClientLimits usual = ofHeap(Runtime.getRuntime().maxMemory());
        return new ClientLimits(
                limits.count("heap_percent", usual.heapPercent, 1, 95),
                limits.count("sessions_per_user", usual.sessionsPerUser, 1, MAX),
                limits.count("open_files_per_session", usual.openFilesPerSession, 1, MAX),
                limits.count("open_files_per_user", usual.openFilesPerUser, 1, MAX),
                limits.count("locks_per_session", usual.locksPerSession, 1, MAX),
                limits.count("locks_per_user", usual.locksPerUser, 1, MAX),
                limits.count("leases_per_session", usual.leasesPerSession, 1, MAX),
                limits.count("unsettled_per_session", usual.unsettledPerSession, 1, MAX),
                limits.count("unsettled_per_user", usual.unsettledPerUser, 1, MAX));
    }
}
