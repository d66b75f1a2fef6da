package org.gridfarm.scheduler.job;

import java.util.Locale;

/**
 * Where a task stands. PENDING → RUNNING → SUCCEEDED | FAILED; a failed attempt with retries left
 * goes back to PENDING; CANCELLED ends what was not finished. The three last are final: a result is
 * recorded once.
 */
public enum TaskState {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED,
    CANCELLED;

    public boolean isFinal() {
        return this == SUCCEEDED || this == FAILED || this == CANCELLED;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The opposite of {@link #word}. */
    public static TaskState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
