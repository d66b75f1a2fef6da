package org.gridfarm.namespace.own;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Files in own directories of which the leader may know more than the session: those that it is
 * being asked to change, and those of which its answer was never heard, or did not tell all. Owned
 * by one thread at a time.
 */
final class FilesAtLeader {
    private final Map<Long, Integer> asked = new HashMap<>(); // by how many calls
    private final Set<Long> unknown = new HashSet<>();

    /** A call that changes the file is about to leave. */
    void asks(long inode) {
        asked.merge(inode, 1, Integer::sum);
    }

    /**
     * The call is over.
     *
     * @param isKnown its answer told all that is to be known of the file
     */
    void answered(long inode, boolean isKnown) {
        over(inode);
        // For good: a later answer may be to an earlier call.
        if (!isKnown) unknown.add(inode);
    }

    /** The call is over, and others have told what is to be known. */
    void over(long inode) {
        asked.computeIfPresent(inode, (_, calls) -> calls == 1 ? null : calls - 1);
    }

    /** The call changes what its answer will not tell. */
    void hides(long inode) {
        unknown.add(inode);
    }

    /** The session has renamed it, and the answer under way does not tell of that. */
    void changedHere(long inode) {
        if (asked.containsKey(inode)) unknown.add(inode);
    }

    boolean has(long inode) {
        return asked.containsKey(inode) || unknown.contains(inode);
    }

    void gone(long inode) {
        unknown.remove(inode);
    }

    void clear() {
        unknown.clear();
    }
}
