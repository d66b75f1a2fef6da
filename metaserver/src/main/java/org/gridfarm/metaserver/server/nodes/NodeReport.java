package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.replica.Sighting;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one node says at one time of the replicas it has or should have, as changes. A replica that
 * is damaged or gone is in no chain any more that has another member: the size and the content of
 * an open file are asked of its chain. Event thread.
 */
final class NodeReport {
    private static final Logger log = LoggerFactory.getLogger(NodeReport.class);

    private final FarmState state;
    private final String node;
    private final List<Change> rows = new ArrayList<>();
    private final Map<Long, WritingImage> chains = new LinkedHashMap<>();
    private int lastCopies;

    NodeReport(FarmState state, String node) {
        this.state = state;
        this.node = node;
    }

    /** Its bytes are not those of its sums. */
    void damaged(ObjectId object) {
        ReplicaImage row = state.rowOf(node, object);
        if (row != null && row.getState() != ReplicaState.CORRUPT) {
            log.warn("replica of {} at {} is corrupt", Long.toHexString(object.getInode()), node);
            is(row, ReplicaState.CORRUPT);
        }
        leavesChain(object);
    }

    /** The node does not have it any more, as it says by itself. */
    void lost(ObjectId object) {
        answered(object, List.of());
    }

    /**
     * What the node has of an object that it was asked for by name, see {@link Sighting}. The last
     * row that tells of a content stays, for the node may find it again: its disk was only not
     * mounted.
     */
    void answered(ObjectId object, List<FoundObject> found) {
        long inode = object.getInode();
        ReplicaImage row = state.rowOf(node, object);
        boolean exists = state.exists(inode);
        for (ReplicaImage each : state.allRows(inode)) {
            // That a node fell silent the map hears at the next tick, which may be too late here.
            String holder = each.getNode();
            state.replicas().nodeIs(holder, state.nodes().state(holder, state.monotonicNanos()));
        }
        Sighting.Known known =
                new Sighting.Known(
                        exists ? state.files().content(inode) : null,
                        state.writing(inode) != null,
                        state.replicas());
        Sighting sighting = Sighting.of(row, known, found);
        if (row == null) return;
        switch (sighting) {
            case PASSED, STANDS -> {}
            case FOUND -> found(row);
            case DAMAGED -> damaged(object);
            case SEAL_AGAIN -> sealAgain(row);
            case GONE -> {
                gone(row);
                leavesChain(object);
            }
            case LOST -> {
                if (row.getState() == ReplicaState.LOST) return;
                lastCopies++;
                is(row, ReplicaState.LOST);
            }
        }
    }

    /**
     * A seal moved the object on, and nobody heard of it: the file counts as left by its writer,
     * and is sealed with what the node has.
     */
    private void sealAgain(ReplicaImage row) {
        if (state.writing(row.getInode()) != null) return;
        log.warn(
                "{} has {} under the next generation: sealing it again",
                node,
                Long.toHexString(row.getInode()));
        chains.put(
                row.getInode(),
                WritingImage.newBuilder()
                        .setInode(row.getInode())
                        .setGeneration(row.getGeneration())
                        .addChains(
                                WritingChain.newBuilder().setStripe(row.getStripe()).addNodes(node))
                        .build());
    }

    /** What was lost is there again: nobody could write meanwhile. */
    void found(ReplicaImage row) {
        is(row, ReplicaState.VALID);
    }

    void gone(ReplicaImage row) {
        rows.add(FileChanges.gone(row));
    }

    /** All that follows from the report. */
    List<Change> changes() {
        if (lastCopies > 0) {
            log.error(
                    "{} does not find the last good copy of {} files: gf replicas --lost",
                    node,
                    lastCopies);
        }
        List<Change> all = new ArrayList<>(rows);
        for (WritingImage writing : chains.values()) all.add(FileChanges.writing(writing));
        return all;
    }

    private void is(ReplicaImage row, ReplicaState now) {
        rows.add(Change.newBuilder().setReplica(row.toBuilder().setState(now)).build());
    }

    /**
     * The chain goes on with the others; where there are none the writer is told when it writes.
     */
    private void leavesChain(ObjectId object) {
        WritingImage writing =
                chains.getOrDefault(object.getInode(), state.writing(object.getInode()));
        if (writing == null || writing.getGeneration() != object.getGeneration()) return;
        if (!state.exists(object.getInode())) return;
        WritingImage left = state.record(writing).lostAt(object.getStripe(), node).now();
        if (!left.equals(writing)) chains.put(object.getInode(), left);
    }
}
