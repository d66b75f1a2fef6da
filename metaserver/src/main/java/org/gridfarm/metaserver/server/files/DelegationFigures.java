package org.gridfarm.metaserver.server.files;

/**
 * How delegated directories stand at the leader. Counts are of its term.
 *
 * @param directories that sessions decide about now
 * @param overdue of these, asked back longer ago than {@code DELEGATION_OVERDUE}
 * @param waitMillis since the oldest question that is not answered; 0: there is none
 * @param recalled directories that were asked back
 * @param evicted directories whose sessions' leases ran out: what these had not told is lost
 * @param shipments that were taken
 * @param same commands that came to what their sessions had answered
 * @param different commands that came to something else
 * @param refused commands that a session had answered and that are refused for good
 */
public record DelegationFigures(
        int directories,
        int overdue,
        long waitMillis,
        long recalled,
        long evicted,
        long shipments,
        long same,
        long different,
        long refused) {
    public static final DelegationFigures NONE = new DelegationFigures(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
