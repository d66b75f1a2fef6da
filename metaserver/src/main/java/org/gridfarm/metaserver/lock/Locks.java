package org.gridfarm.metaserver.lock;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The locks of one kind (fcntl or flock) on one inode: an owner's ranges never overlap, and touch
 * only if they are of different kinds.
 */
final class Locks {
    private final List<Held> held = new ArrayList<>(2);

    boolean isEmpty() {
        return held.isEmpty();
    }

    int size() {
        return held.size();
    }

    List<Held> all() {
        return held;
    }

    /** The first lock, by start, that stands in the way. */
    @Nullable Held conflict(Held wanted) {
        Held first = null;
        for (Held other : held) {
            if (wanted.conflictsWith(other) && (first == null || other.start() < first.start())) {
                first = other;
            }
        }
        return first;
    }

    /** Owners in the way. */
    List<Owner> blockers(Held wanted) {
        List<Owner> owners = new ArrayList<>();
        for (Held other : held) {
            if (wanted.conflictsWith(other) && !owners.contains(other.owner())) {
                owners.add(other.owner());
            }
        }
        return owners;
    }

    /** Splits what the owner has in this range and takes it away; whether there was anything. */
    boolean unlock(Owner owner, long start, long end) {
        List<Held> pieces = new ArrayList<>(2);
        boolean found =
                held.removeIf(lock -> {
                    if (!lock.owner().equals(owner) || lock.start() > end || start > lock.end()) {
                        return false;
                    }
                    if (lock.start() < start) {
                        pieces.add(lock.within(lock.start(), start - 1));
                    }
                    if (lock.end() > end) {
                        pieces.add(lock.within(end + 1, lock.end()));
                    }
                    return true;
                });
        held.addAll(pieces);
        return found;
    }

    /** The caller has seen that nothing is in the way. */
    void lock(Held wanted) {
        unlock(wanted.owner(), wanted.start(), wanted.end());
        Held joined = wanted;
        for (int i = held.size() - 1; i >= 0; i--) {
            Held other = held.get(i);
            if (joined.joins(other)) {
                joined =
                        joined.within(
                                Math.min(joined.start(), other.start()),
                                Math.max(joined.end(), other.end()));
                held.remove(i);
            }
        }
        held.add(joined);
        held.sort(Comparator.comparingLong(Held::start));
    }

    boolean unlockSession(long session) {
        return held.removeIf(lock -> lock.owner().session() == session);
    }
}
