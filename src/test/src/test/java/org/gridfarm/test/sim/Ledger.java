package org.gridfarm.test.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The invariants. Every change of a cell has a place in one order (the order in which leaders
 * decided); a read is right when it is not older than what anybody was told before it began.
 */
final class Ledger {
    private final Map<Cell, Long> told = new HashMap<>();
    private final Map<Long, Long> place = new HashMap<>(); // of a durable change, by its order
    private final Set<Long> acknowledged = new HashSet<>();
    private final Map<Long, String> leaders = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long durable;
    private long lastEpoch;
    private long lastSequence;
    private int reads;

    void committed(Batch batch, String leader) {
        String other = leaders.putIfAbsent(batch.epoch(), leader);
        if (other != null && !other.equals(leader)) {
            faults.add("epoch " + batch.epoch() + " has two leaders: " + other + ", " + leader);
        }
        if (batch.epoch() < lastEpoch || batch.sequence() != lastSequence + 1) {
            faults.add(
                    leader
                            + " committed "
                            + batch.sequence()
                            + " of epoch "
                            + batch.epoch()
                            + " after "
                            + lastSequence
                            + " of epoch "
                            + lastEpoch);
        }
        lastEpoch = Math.max(lastEpoch, batch.epoch());
        lastSequence = batch.sequence();
        for (Batch.Change change : batch.changes()) place.put(change.order(), ++durable);
    }

    /** What everybody who begins now must see at least: a place in the order. */
    long floor(Cell cell) {
        return told.getOrDefault(cell, 0L);
    }

    void read(String who, Cell cell, long value, long floor) {
        reads++;
        Long at = value == 0 ? Long.valueOf(0) : place.get(value);
        if (at == null) {
            faults.add(who + " read " + cell + " = " + value + ", which is not durable");
            return;
        }
        if (at < floor) {
            faults.add(who + " read " + cell + " = " + value + ", older than what was told before");
        }
        told.merge(cell, at, Math::max);
    }

    void acknowledged(String who, Cell cell, long value) {
        acknowledged.add(value);
        Long at = place.get(value);
        if (at == null) {
            faults.add(who + " was told that " + cell + " = " + value + ", which is not durable");
            return;
        }
        told.merge(cell, at, Math::max);
    }

    int changes() {
        return acknowledged.size();
    }

    int reads() {
        return reads;
    }

    List<String> faults() {
        return faults;
    }
}
