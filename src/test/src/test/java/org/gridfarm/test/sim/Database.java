package org.gridfarm.test.sim;

import java.util.ArrayList;
import java.util.List;

/** The journal and its fence. Never fails. */
final class Database {
    private final Ledger ledger;
    private final boolean fenced;
    private final List<Batch> journal = new ArrayList<>();
    private long epoch;

    Database(Ledger ledger, Plant plant) {
        this.ledger = ledger;
        this.fenced = plant != Plant.FENCE_FORGOTTEN;
    }

    long claim() {
        return ++epoch;
    }

    long epoch() {
        return epoch;
    }

    /** Whether it is durable now. */
    boolean append(Batch batch, String leader) {
        if (fenced && (batch.epoch() != epoch || batch.sequence() != journal.size() + 1)) {
            return false;
        }
        journal.add(batch);
        ledger.committed(batch, leader);
        return true;
    }

    List<Batch> after(long sequence) {
        return List.copyOf(
                journal.subList((int) Math.min(sequence, journal.size()), journal.size()));
    }
}
