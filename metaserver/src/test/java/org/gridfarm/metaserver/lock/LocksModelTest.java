package org.gridfarm.metaserver.lock;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@link Locks} against the plain list of which it is the quick form, and how quick it is. */
class LocksModelTest {
    /** Looks at everything. */
    private static final class Naive {
        final List<Held> held = new ArrayList<>();

        void unlock(Owner owner, long start, long end) {
            List<Held> pieces = new ArrayList<>();
            held.removeIf(lock -> {
                if (!lock.owner().equals(owner) || lock.start() > end || start > lock.end()) {
                    return false;
                }
                if (lock.start() < start) pieces.add(lock.within(lock.start(), start - 1));
                if (lock.end() > end) pieces.add(lock.within(end + 1, lock.end()));
                return true;
            });
            held.addAll(pieces);
        }

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
        }

        List<Held> inTheWay(Held wanted) {
            return held.stream()
                    .filter(wanted::conflictsWith)
                    .sorted(Comparator.comparingLong(Held::start))
                    .toList();
        }
    }

    private final Map<Long, Integer> counted = new HashMap<>();
    private final Locks locks =
            new Locks((session, more) -> counted.merge(session, more, Integer::sum));

    @Property(tries = 60)
    void everyAnswerIsThatOfAListThatIsSearchedThrough(Dice dice) {
        Naive naive = new Naive();
        List<Owner> owners = new ArrayList<>();
        for (int i = 0; i < 6; i++) owners.add(new Owner(1 + i % 3, i));
        for (int step = 0; step < 400; step++) {
            Owner owner = dice.oneOf(owners);
            long start = dice.below(60);
            long end = dice.once(8) ? Long.MAX_VALUE : start + dice.below(12);
            Held wanted = new Held(owner, 1, dice.once(2), start, end);
            List<Held> inTheWay = naive.inTheWay(wanted);
            Held first = locks.conflict(wanted);
            if (inTheWay.isEmpty()) {
                assertThat(first).isNull();
            } else {
                assertThat(inTheWay).contains(first);
                assertThat(first).extracting(Held::start).isEqualTo(inTheWay.get(0).start());
            }
            Set<Owner> blockers = new LinkedHashSet<>();
            inTheWay.forEach(held -> blockers.add(held.owner()));
            assertThat(locks.blockers(wanted, 1000)).isEqualTo(blockers);
            if (dice.once(3)) {
                boolean splits =
                        naive.held.stream()
                                .anyMatch(held ->
                                        held.owner().equals(owner)
                                                && held.start() < start
                                                && held.end() > end);
                assertThat(locks.splits(owner, start, end)).isEqualTo(splits);
                naive.unlock(owner, start, end);
                locks.unlock(owner, start, end);
            } else if (inTheWay.isEmpty()) {
                naive.lock(wanted);
                locks.lock(wanted);
            } else if (dice.once(40)) {
                naive.held.removeIf(held -> held.owner().session() == owner.session());
                locks.unlockSession(owner.session());
            }
            assertThat(locks.all()).containsExactlyInAnyOrderElementsOf(naive.held);
            assertThat(locks.size()).isEqualTo(naive.held.size());
            for (long session = 1; session <= 3; session++) {
                long id = session;
                assertThat(counted.getOrDefault(id, 0))
                        .isEqualTo(
                                (int)
                                        naive.held.stream()
                                                .filter(held -> held.owner().session() == id)
                                                .count());
            }
        }
        locks.unlockSession(1);
        locks.unlockSession(2);
        locks.unlockSession(3);
        assertThat(locks.isEmpty()).isTrue();
        counted.clear();
    }

    /** A list took 27 s for the first. Printed, not judged: machines differ. */
    @Test
    void tellsHowLongManyLocksTake() {
        int many = 24_000;
        long began = System.nanoTime();
        for (int i = 0; i < many; i++) lockIfFree(new Held(new Owner(1, 1), 1, true, 2 * i, 2 * i));
        told("of one owner", many, began);
        began = System.nanoTime();
        for (int i = 0; i < many; i++) {
            assertThat(locks.conflict(new Held(new Owner(2, 2), 1, true, 2 * i, 2 * i)))
                    .isNotNull();
        }
        told("refused to another", many, began);
        locks.unlockSession(1);
        began = System.nanoTime();
        for (int i = 0; i < many; i++) lockIfFree(new Held(new Owner(1, i), 1, false, 0, 100));
        told("of as many owners on the same bytes", many, began);
        assertThat(locks.size()).isEqualTo(many);
    }

    private void lockIfFree(Held wanted) {
        if (locks.conflict(wanted) == null) locks.lock(wanted);
    }

    private static void told(String what, int count, long began) {
        System.out.printf(
                "%d locks %s: %d ms%n", count, what, (System.nanoTime() - began) / 1_000_000);
    }
}
