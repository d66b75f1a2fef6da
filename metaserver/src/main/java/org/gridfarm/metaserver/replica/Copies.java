package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What the rows of an object are worth with the nodes as they are. */
final class Copies {
    private Copies() {}

    /** The good copies that count for the level. */
    static List<ReplicaImage> counting(List<ReplicaImage> rows, List<NodeFacts> nodes) {
        List<ReplicaImage> counting = new ArrayList<>();
        for (ReplicaImage row : rows) {
            NodeFacts node = find(nodes, row.getNode());
            if (row.getState() == ReplicaState.VALID && node != null && node.state().counts()) {
                counting.add(row);
            }
        }
        return counting;
    }

    /** The good copies that can be read now. */
    static List<ReplicaImage> readable(List<ReplicaImage> rows, List<NodeFacts> nodes) {
        List<ReplicaImage> readable = new ArrayList<>();
        for (ReplicaImage row : rows) {
            NodeFacts node = find(nodes, row.getNode());
            if (row.getState() == ReplicaState.VALID && node != null && node.state().isReadable()) {
                readable.add(row);
            }
        }
        return readable;
    }

    static @Nullable NodeFacts find(List<NodeFacts> nodes, String name) {
        for (NodeFacts node : nodes) {
            if (node.name().equals(name)) {
                return node;
            }
        }
        return null;
    }
}
