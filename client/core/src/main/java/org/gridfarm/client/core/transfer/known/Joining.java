package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Nodes that join the chains of an open file: which of them have got everything that was there
 * before, and may be named as holders. Guarded by its owner's lock.
 */
public final class Joining {
    private final Map<Integer, Set<String>> filled = new HashMap<>();

    /** Who does not join any more has become a member, or has failed and begins anew. */
    public void taken(Layout layout) {
        filled.entrySet()
                .removeIf(one -> !joining(layout, one.getKey()).containsAll(one.getValue()));
    }

    /** Of each stripe whose chain somebody joins, those who lack what was there before. */
    public Map<Integer, Set<String>> lacking(Layout layout) {
        Map<Integer, Set<String>> lacking = new HashMap<>();
        for (int stripe = 0; stripe < layout.getObjectsCount(); stripe++) {
            Set<String> joining = joining(layout, stripe);
            if (!joining.isEmpty() && !joining.equals(filled.get(stripe))) {
                lacking.put(stripe, joining);
            }
        }
        return lacking;
    }

    /** False where others join by now. */
    public boolean filled(Layout layout, int stripe, Set<String> nodes) {
        boolean same = joining(layout, stripe).equals(nodes);
        if (same) {
            filled.put(stripe, nodes);
        }
        return same;
    }

    /** Names of the members that hold the whole object. */
    public List<String> holders(ObjectLocation location, int stripe) {
        Set<String> joined = filled.getOrDefault(stripe, Set.of());
        return location.getReplicasList().stream()
                .filter(replica -> !replica.getJoining() || joined.contains(replica.getNode()))
                .map(Replica::getNode)
                .toList();
    }

    private static Set<String> joining(Layout layout, int stripe) {
        return stripe < layout.getObjectsCount()
                ? Chain.joining(layout.getObjects(stripe).getReplicasList())
                : Set.of();
    }
}
