package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaKey;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Replica rows by inode and by node. Owned by one thread at a time. */
final class ReplicaRows {
    private final LongMap<List<ReplicaImage>> byInode = new LongMap<>();
    private final Map<String, Set<Long>> byNode = new HashMap<>();

    void put(ReplicaImage row) {
        List<ReplicaImage> rows = byInode.get(row.getInode());
        if (rows == null) {
            rows = new ArrayList<>(2);
            byInode.put(row.getInode(), rows);
        }
        rows.removeIf(r -> same(r, row.getStripe(), row.getGeneration(), row.getNode()));
        rows.add(row);
        byNode.computeIfAbsent(row.getNode(), n -> new HashSet<>()).add(row.getInode());
    }

    void remove(ReplicaKey key) {
        List<ReplicaImage> rows = byInode.get(key.getInode());
        if (rows == null) return;
        rows.removeIf(r -> same(r, key.getStripe(), key.getGeneration(), key.getNode()));
        if (rows.stream().noneMatch(r -> r.getNode().equals(key.getNode()))) {
            Set<Long> held = byNode.get(key.getNode());
            if (held != null) held.remove(key.getInode());
        }
        if (rows.isEmpty()) byInode.remove(key.getInode());
    }

    private static boolean same(ReplicaImage row, int stripe, int generation, String node) {
        return row.getStripe() == stripe
                && row.getGeneration() == generation
                && row.getNode().equals(node);
    }

    List<ReplicaImage> rows(long inode, int stripe, int generation) {
        List<ReplicaImage> found = new ArrayList<>();
        for (ReplicaImage row : all(inode)) {
            if (row.getStripe() == stripe && row.getGeneration() == generation) found.add(row);
        }
        return found;
    }

    List<ReplicaImage> otherGenerations(long inode, int generation) {
        List<ReplicaImage> found = new ArrayList<>();
        for (ReplicaImage row : all(inode)) {
            if (row.getGeneration() != generation) found.add(row);
        }
        return found;
    }

    List<ReplicaImage> all(long inode) {
        List<ReplicaImage> rows = byInode.get(inode);
        return rows == null ? List.of() : List.copyOf(rows);
    }

    List<ReplicaImage> heldBy(String node) {
        List<ReplicaImage> found = new ArrayList<>();
        for (long inode : byNode.getOrDefault(node, Set.of())) {
            for (ReplicaImage row : all(inode)) {
                if (row.getNode().equals(node)) found.add(row);
            }
        }
        return found;
    }

    /** Inodes of which the node holds something. */
    int inodesAt(String node) {
        return byNode.getOrDefault(node, Set.of()).size();
    }

    void forEach(Consumer<ReplicaImage> action) {
        byInode.forEach((inode, rows) -> rows.forEach(action));
    }

    void forEachInode(LongConsumer action) {
        for (long inode : byInode.keys()) action.accept(inode);
    }
}
