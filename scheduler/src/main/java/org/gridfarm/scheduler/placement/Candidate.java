package org.gridfarm.scheduler.placement;

import java.util.Map;

/**
 * A task waiting for a place.
 *
 * @param holders bytes of its input by node; empty: it reads nothing, any node is as good
 */
public record Candidate<T>(T task, int slots, long inputBytes, Map<String, Long> holders) {
    long heldBy(String node) {
        return holders.getOrDefault(node, 0L);
    }
}
