package org.gridfarm.test.sim;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** What a server knows: a value for each cell, and the answers to changes. */
final class State {
    /** A change that was answered, and the batch that makes it true. */
    record Answered(long order, long sequence) {}

    private record Request(long session, long number) {}

    private final Map<Cell, Long> values;
    private final Map<Request, Answered> answers;
    private long sequence;

    State() {
        this(new HashMap<>(), new HashMap<>(), 0);
    }

    private State(Map<Cell, Long> values, Map<Request, Answered> answers, long sequence) {
        this.values = values;
        this.answers = answers;
        this.sequence = sequence;
    }

    /** The same values, said to be of the sequence. */
    State copy(long as) {
        return new State(new HashMap<>(values), new HashMap<>(answers), as);
    }

    long sequence() {
        return sequence;
    }

    long value(Cell cell) {
        return values.getOrDefault(cell, 0L);
    }

    @Nullable Answered answered(long session, long number) {
        return answers.get(new Request(session, number));
    }

    void apply(Batch.Change change, long in) {
        values.put(change.cell(), change.order());
        answers.put(
                new Request(change.client(), change.request()), new Answered(change.order(), in));
    }

    void apply(Batch batch) {
        for (Batch.Change change : batch.changes()) apply(change, batch.sequence());
        sequence = batch.sequence();
    }
}
