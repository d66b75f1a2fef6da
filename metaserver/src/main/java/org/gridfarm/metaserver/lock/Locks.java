package org.gridfarm.metaserver.lock;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The locks of one kind (fcntl or flock) on one inode: an owner's ranges never overlap, and touch
 * only if they are of different kinds. What is in the way of a lock, and what its owner has there,
 * is found in a time that grows with the logarithm of how many there are.
 */
final class Locks {
    private final RangeTree shared = new RangeTree();
    private final RangeTree exclusive = new RangeTree();
    private final Map<Owner, TreeMap<Long, Held>> byOwner = new HashMap<>(); // by start
    private final Held.Count count;

    /**
     * @param count told of every lock that comes and goes
     */
    Locks(Held.Count count) {
        this.count = count;
    }

    boolean isEmpty() {
        return byOwner.isEmpty();
    }

    int size() {
        return shared.size() + exclusive.size();
    }

    /** By start. */
    List<Held> all() {
        List<Held> all = new ArrayList<>(size());
        shared.forEach(all::add);
        exclusive.forEach(all::add);
        all.sort(Comparator.comparingLong(Held::start));
        return all;
    }

    /** In no order. */
    List<Held> of(long session) {
        List<Held> its = new ArrayList<>();
        byOwner.forEach((owner, own) -> {
            if (owner.session() == session) its.addAll(own.values());
        });
        return its;
    }

    /** The first lock, by start, that stands in the way. */
    @Nullable Held conflict(Held wanted) {
        Held first = exclusive.firstOfOthers(wanted);
        if (!wanted.exclusive()) return first;
        Held other = shared.firstOfOthers(wanted);
        return first == null || other != null && other.start() < first.start() ? other : first;
    }

    /** Owners in the way, found among so many locks at most. */
    Set<Owner> blockers(Held wanted, int locksMax) {
        Set<Owner> owners = new LinkedHashSet<>();
        int[] looked = {0};
        Predicate<Held> note =
                held -> {
                    owners.add(held.owner());
                    return ++looked[0] < locksMax;
                };
        exclusive.forEachOfOthers(wanted, note);
        if (wanted.exclusive()) shared.forEachOfOthers(wanted, note);
        return owners;
    }

    /** Whether unlocking this makes two of one lock. */
    boolean splits(Owner owner, long start, long end) {
        TreeMap<Long, Held> own = byOwner.get(owner);
        Map.Entry<Long, Held> around = own == null ? null : own.lowerEntry(start);
        return around != null && around.getValue().end() > end;
    }

    /** Splits what the owner has in this range and takes it away; whether there was anything. */
    boolean unlock(Owner owner, long start, long end) {
        List<Held> there = within(owner, start, end);
        for (Held lock : there) {
            remove(lock);
            if (lock.start() < start) add(lock.within(lock.start(), start - 1));
            if (lock.end() > end) add(lock.within(end + 1, lock.end()));
        }
        return !there.isEmpty();
    }

    /** The caller has seen that nothing is in the way. */
    void lock(Held wanted) {
        unlock(wanted.owner(), wanted.start(), wanted.end());
        Held joined = wanted;
        long before = Math.max(0, wanted.start() - 1);
        long after = wanted.end() == Long.MAX_VALUE ? wanted.end() : wanted.end() + 1;
        for (Held neighbour : within(wanted.owner(), before, after)) {
            if (joined.joins(neighbour)) {
                joined =
                        joined.within(
                                Math.min(joined.start(), neighbour.start()),
                                Math.max(joined.end(), neighbour.end()));
                remove(neighbour);
            }
        }
        add(joined);
    }

    boolean unlockSession(long session) {
        boolean found = false;
        for (Owner owner : List.copyOf(byOwner.keySet())) {
            if (owner.session() == session) found |= unlock(owner, 0, Long.MAX_VALUE);
        }
        return found;
    }

    /** What the owner has that overlaps the range. */
    private List<Held> within(Owner owner, long start, long end) {
        TreeMap<Long, Held> own = byOwner.get(owner);
        if (own == null) return List.of();
        Map.Entry<Long, Held> first = own.floorEntry(start);
        boolean reaches = first != null && first.getValue().end() >= start;
        NavigableMap<Long, Held> there =
                own.subMap(first != null && reaches ? first.getKey() : start, true, end, true);
        return new ArrayList<>(there.values());
    }

    private void add(Held held) {
        (held.exclusive() ? exclusive : shared).add(held);
        byOwner.computeIfAbsent(held.owner(), owner -> new TreeMap<>()).put(held.start(), held);
        count.changed(held.owner().session(), 1);
    }

    private void remove(Held held) {
        (held.exclusive() ? exclusive : shared).remove(held);
        TreeMap<Long, Held> own = byOwner.get(held.owner());
        if (own != null) {
            own.remove(held.start());
            if (own.isEmpty()) byOwner.remove(held.owner());
        }
        count.changed(held.owner().session(), -1);
    }
}
