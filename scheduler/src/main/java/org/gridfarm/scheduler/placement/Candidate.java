package org.gridfarm.scheduler.placement;

import java.util.Map;
import java.util.function.Predicate;

/**
 * A task waiting for a place.
 *
 * @param holders bytes of its input by node; empty: it reads nothing, any node is as good
 * @param allowed names of nodes where it may run
 */
public record Candidate<T>(
        T task, int slots, long inputBytes, Map<String, Long> holders, Predicate<String> allowed) {
    /** One that may run anywhere. */
    public Candidate(T task, int slots, long inputBytes, Map<String, Long> holders) {
        this(task, slots, inputBytes, holders, _ -> true);
    }

    long heldBy(String node) {
        return holders.getOrDefault(node, 0L);
    }
}
