package org.gridfarm.metaserver.sim;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.Outcome;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * The invariants. The journal gives every cell a history of values; a read is right when its value
 * has a place there that is not before what anybody was told before it began.
 */
final class Ledger {
    private record Request(long session, long sequence) {}

    private final Map<Cell, List<Long>> histories = new HashMap<>();
    private final Map<Cell, Integer> told = new HashMap<>();
    private final Map<Request, Map<Cell, Integer>> places = new HashMap<>(); // of durable changes
    private final Map<Long, String> leaders = new HashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long lastEpoch;
    private long lastSequence;
    private long digest;
    private int changes;
    private int reads;

    void fault(String what) {
        faults.add(what);
    }

    void committed(ChangeBatch batch, String leader) {
        happened(leader, batch.getEpoch(), batch.getSequence(), batch.getChangesCount());
        String other = leaders.putIfAbsent(batch.getEpoch(), leader);
        if (other != null && !other.equals(leader)) {
            fault("epoch " + batch.getEpoch() + " has two leaders: " + other + ", " + leader);
        }
        if (batch.getEpoch() < lastEpoch || batch.getSequence() != lastSequence + 1) {
            fault(
                    leader
                            + " committed "
                            + batch.getSequence()
                            + " of epoch "
                            + batch.getEpoch()
                            + " after "
                            + lastSequence
                            + " of epoch "
                            + lastEpoch);
        }
        lastEpoch = Math.max(lastEpoch, batch.getEpoch());
        lastSequence = batch.getSequence();
        Map<Long, Map<Cell, Integer>> byOrigin = new HashMap<>();
        for (Change change : batch.getChangesList()) {
            Cell.Value is = Cell.of(change);
            if (is == null) continue;
            List<Long> history = history(is.cell());
            history.add(is.value());
            byOrigin.computeIfAbsent(change.getOrigin(), o -> new HashMap<>())
                    .put(is.cell(), history.size() - 1);
        }
        for (Outcome outcome : batch.getOutcomesList()) {
            places.put(
                    new Request(outcome.getSession(), outcome.getSequence()),
                    byOrigin.getOrDefault(outcome.getSession(), Map.of()));
        }
    }

    private List<Long> history(Cell cell) {
        return histories.computeIfAbsent(cell, c -> new ArrayList<>(List.of(Cell.NOTHING)));
    }

    /** What everybody who begins now must see at least: a place in the cell's history. */
    int floor(Cell cell) {
        return told.getOrDefault(cell, 0);
    }

    void read(String who, Cell cell, long value, int floor) {
        seen(who, cell, Long.toString(value), is -> is == value, floor);
    }

    /** Somebody was refused because something is, or is not, there. */
    void found(String who, Cell cell, boolean present, int floor) {
        String what = present ? "something" : "nothing";
        seen(who, cell, what, is -> present == (is != Cell.NOTHING), floor);
    }

    private void seen(String who, Cell cell, String what, LongPredicate isIt, int floor) {
        reads++;
        happened(who, cell, what, floor);
        List<Long> history = history(cell);
        for (int place = floor; place < history.size(); place++) {
            if (isIt.test(history.get(place))) {
                told.merge(cell, place, Math::max);
                return;
            }
        }
        boolean ever = history.stream().anyMatch(isIt::test);
        fault(
                who
                        + " read "
                        + cell
                        + " = "
                        + what
                        + (ever ? ", older than what was told before" : ", which is not durable"));
    }

    void acknowledged(String who, Cell cell, long session, long sequence) {
        Map<Cell, Integer> durable = places.get(new Request(session, sequence));
        Integer place = durable == null ? null : durable.get(cell);
        if (place == null) {
            fault(who + " was told of a change of " + cell + " that is not durable");
            return;
        }
        changes++;
        happened(who, cell, session, sequence);
        told.merge(cell, place, Math::max);
    }

    private void happened(Object... what) {
        digest = 31 * digest + Arrays.hashCode(what);
    }

    /** Of everything that happened, in order. */
    long digest() {
        return digest;
    }

    int changes() {
        return changes;
    }

    int reads() {
        return reads;
    }

    List<String> faults() {
        return faults;
    }
}
