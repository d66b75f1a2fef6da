package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.Locale;

/**
 * Where a copy of the present content is, by its row and its node. Of an object its best copy
 * counts, of a file its worst object.
 *
 * <pre>
 *   row             node                     where     read   it is back
 *   VALID           up, readonly, draining   HERE      yes
 *   VALID           suspect, down            AWAY      no     when its node has told what it has
 *   VALID           removed                  NOWHERE   no     when its node is taken back
 *   LOST            whichever                NOWHERE   no     when its node finds it: it is asked again and again
 *   CORRUPT         whichever                NOWHERE   no     (in quarantine, for a person to look at)
 *   STALE, COPYING  whichever                NOWHERE   no     (other content, or not all of it)
 * </pre>
 *
 * How a row comes from one state to another by what its node says:
 *
 * <pre>
 *   row     the node                                                becomes
 *   VALID   is silent, starts again, tells its inventory            VALID
 *   LOST    shows it in its inventory                               VALID
 *   VALID, CORRUPT, STALE, LOST   does not show it                  as it was; asked for it by name: {@link Sighting}
 *   any     says that its bytes are not those of its sums           CORRUPT
 * </pre>
 */
public enum Whereabouts {
    HERE,
    AWAY,
    NOWHERE;

    static Whereabouts of(int replicaState, NodeState node) {
        if (replicaState != ReplicaState.VALID_VALUE || node == NodeState.REMOVED) {
            return NOWHERE;
        }
        return node.isReadable() ? HERE : AWAY;
    }

    /** What there is to say of a copy and of what would help, for people. */
    public static String said(ReplicaImage row, NodeState state) {
        String node = row.getNode();
        return switch (row.getState()) {
            case VALID ->
                    switch (state) {
                        case UP, READONLY -> node + " has a good copy";
                        case DRAINING, DOWN -> node + " is " + state.text();
                        case SUSPECT -> node + " is silent, or has not yet told all that it has";
                        case REMOVED -> node + " was removed";
                    };
            case LOST -> node + " does not find its copy, and is asked for it again";
            default -> node + ": " + name(row.getState()) + " copy";
        };
    }

    public static String name(ReplicaState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    /** As people read it, of a file. */
    public String text() {
        return this == NOWHERE ? Problem.LOST.text() : name().toLowerCase(Locale.ROOT);
    }
}
