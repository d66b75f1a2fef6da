package org.gridfarm.metaserver.replica;

import java.util.Locale;

/** What can be wrong with the copies of a file. A file may have several problems. */
public enum Problem {
    /** Fewer copies that count than wanted. */
    UNDER,
    /** More than wanted. */
    OVER,
    /**
     * Of some object no good copy can be read now; of each there is one on a node that is silent,
     * or has not yet told what it has.
     */
    AWAY,
    /** Of some object no node that is not removed has a good copy, as far as they told. */
    LOST,
    /** Some copy failed its checksum. */
    CORRUPT,
    /**
     * Rows that only wait to go, once there are enough good copies: stale, lost, superseded, or on
     * a node that is leaving.
     */
    LEFTOVER,
    /** Enough copies, but not in the groups of nodes that are wanted. */
    MISPLACED;

    /** As people write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
