package org.gridfarm.metaserver.replica;

import java.util.HashMap;
import java.util.Map;

/**
 * Copies beyond the level of a file that somebody has use for until a moment: until then they are
 * no surplus, and do not count. In the leader's memory alone: after a change of leaders they are
 * surplus, unless somebody asks again. Owned by the event thread.
 */
final class ExtraCopies {
    private final Map<Long, Map<String, Long>> until = new HashMap<>(); // by inode and node

    void keep(long inode, String node, long nanos) {
        until.computeIfAbsent(inode, _ -> new HashMap<>()).merge(node, nanos, Math::max);
    }

    void letGo(long inode, String node) {
        until.computeIfPresent(
                inode,
                (_, nodes) -> {
                    nodes.remove(node);
                    return nodes.isEmpty() ? null : nodes;
                });
    }

    void expire(long now) {
        until.values()
                .removeIf(nodes -> {
                    nodes.values().removeIf(end -> now - end >= 0);
                    return nodes.isEmpty();
                });
    }

    boolean has(long inode, String node) {
        Map<String, Long> nodes = until.get(inode);
        return nodes != null && nodes.containsKey(node);
    }
}
