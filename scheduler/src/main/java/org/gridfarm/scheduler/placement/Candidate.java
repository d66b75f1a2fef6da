package org.gridfarm.scheduler.placement;

import java.util.List;
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

    /** The nodes that hold most of its input, none if nobody holds any of it. */
    List<String> best() {
        long most = holders.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return most == 0
                ? List.of()
                : holders.entrySet().stream()
                        .filter(holder -> holder.getValue() == most)
                        .map(Map.Entry::getKey)
                        .toList();
    }
}
