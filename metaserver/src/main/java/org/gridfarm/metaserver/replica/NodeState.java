package org.gridfarm.metaserver.replica;

import java.util.Locale;

/**
 * How a storage node fares.
 *
 * <pre>
 *   SUSPECT  nothing heard for a lease, or its inventory is still being taken: not read, not chosen, its copies count
 *   DOWN     nothing heard for so long that its copies are made elsewhere
 *   UP, READONLY, DRAINING   heard of; only UP takes new copies, and copies on a draining node do not count
 *   REMOVED  by an administrator, for good
 * </pre>
 */
public enum NodeState {
    UP,
    SUSPECT,
    DOWN,
    DRAINING,
    READONLY,
    REMOVED;

    /** Its copies can be read now. */
    public boolean isReadable() {
        return this == UP || this == READONLY || this == DRAINING;
    }

    /** It may be given new copies. */
    public boolean takesNew() {
        return this == UP;
    }

    /** Its copies count for the level of their files. */
    public boolean counts() {
        return this == UP || this == SUSPECT || this == READONLY;
    }

    /** As people see and write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
