package org.gridfarm.namespace;

import org.gridfarm.protocol.wire.Credentials;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Whether a user could have walked to an inode: it has a name in a directory that he may search,
 * and so have all directories above. One look; what was found of a directory is kept for it.
 */
final class Ways {
    private final Namespace state;
    private final Credentials who;
    private final LongConsumer visited;
    private final Map<Inode, Boolean> known = new HashMap<>();

    Ways(Namespace state, Credentials who, LongConsumer visited) {
        this.state = state;
        this.who = who;
        this.visited = visited;
    }

    /** Of a file with several names one way is enough. */
    boolean leadTo(Inode inode, long foundIn) {
        if (inode.isDirectory()) {
            return inode.number == Namespace.ROOT || leadThrough(inode.parent);
        }
        if (inode.isOrphan()) {
            return false;
        }
        return leadThrough(inode.parent)
                || leadThrough(foundIn)
                || inode.anyHome(this::leadThrough);
    }

    /** Searchable itself, and so is all above it. */
    private boolean leadThrough(long number) {
        Inode directory = number == 0 ? null : state.find(number);
        if (directory == null || !directory.isDirectory()) {
            return false;
        }
        Boolean before = known.get(directory);
        if (before != null) {
            return before;
        }
        known.put(directory, false); // a circle, which only a damaged store could bring, ends here
        visited.accept(number);
        boolean leads =
                Access.may(directory, who, Access.EXECUTE)
                        && (number == Namespace.ROOT || leadThrough(directory.parent));
        known.put(directory, leads);
        return leads;
    }
}
