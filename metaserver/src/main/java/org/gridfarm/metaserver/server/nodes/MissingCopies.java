package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.replica.Problem;
import org.gridfarm.metaserver.replica.RollCall;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.FindObjectsReply;
import org.gridfarm.protocol.wire.FindObjectsRequest;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Asks nodes by name for copies that they should have: those that an inventory did not show, and,
 * now and then, those that were not found before. What comes of an answer: {@link
 * org.gridfarm.metaserver.replica.Sighting}. Keeps no list of them: what is lost is in the index of
 * problems. Event thread.
 */
public final class MissingCopies {
    private static final Logger log = LoggerFactory.getLogger(MissingCopies.class);

    private final FarmState state;
    private final LeaderContext leader;
    private final Set<String> asked = new HashSet<>(); // nodes that owe an answer of the last look
    private long lookedAt;
    private long after; // the inode where the last look ended

    public MissingCopies(FarmState state, LeaderContext leader) {
        this.state = state;
        this.leader = leader;
        this.lookedAt = state.monotonicNanos();
    }

    /** A node has come (back): what it did not find before it is asked for soon. */
    void soon() {
        lookedAt = state.monotonicNanos() - ServerLimits.FIND_AGAIN.toNanos();
        after = 0;
    }

    public void tick(long now) {
        if (now - lookedAt < ServerLimits.FIND_AGAIN.toNanos() || !asked.isEmpty()) return;
        lookedAt = now;
        long[] some = state.replicas().list(Problem.LOST, after, ServerLimits.FIND_OBJECTS_MAX);
        after = some.length < ServerLimits.FIND_OBJECTS_MAX ? 0 : some[some.length - 1];
        Map<String, List<ObjectId>> byNode = new HashMap<>();
        for (long inode : some) {
            if (!state.exists(inode)) continue;
            InodeImage image = state.image(inode);
            for (ReplicaImage row : state.allRows(inode)) {
                if (row.getState() == ReplicaState.LOST
                        && row.getGeneration() == image.getGeneration()
                        && state.isReadable(row.getNode())) {
                    byNode.computeIfAbsent(row.getNode(), n -> new ArrayList<>())
                            .add(RollCall.object(row));
                }
            }
        }
        byNode.forEach((node, objects) -> {
            if (leader.node(node) == null) return;
            asked.add(node);
            ask(node, objects, answered -> asked.remove(node));
        });
    }

    /**
     * Asks a node for at most {@link ServerLimits#FIND_OBJECTS_MAX} objects, and takes the answer
     * for what it is.
     *
     * @param done told what the node has of them; null: it did not answer
     */
    void ask(String node, List<ObjectId> objects, Consumer<@Nullable List<FoundObject>> done) {
        NodeLink link = leader.node(node);
        if (link == null) {
            done.accept(null);
            return;
        }
        link.call(
                StorageMethods.FIND_OBJECTS,
                FindObjectsRequest.newBuilder().addAllObjects(objects).build(),
                ServerLimits.FIND_DEADLINE,
                (reply, failure) -> done.accept(answered(node, objects, reply, failure)));
    }

    private @Nullable List<FoundObject> answered(
            String node,
            List<ObjectId> objects,
            @Nullable FindObjectsReply reply,
            @Nullable FarmException failure) {
        if (reply == null) {
            boolean cannotTell =
                    failure != null
                            && failure.kind()
                                    == ErrorKind.UNSUPPORTED; // its inventory is all that it tells
            if (!cannotTell) {
                log.warn(
                        "asking {} for {} objects: {}",
                        node,
                        objects.size(),
                        failure == null ? "" : failure.getMessage());
                return null;
            }
        }
        List<FoundObject> found = reply == null ? List.of() : reply.getFoundList();
        Map<Long, List<FoundObject>> byInode = new HashMap<>();
        for (FoundObject object : found) {
            byInode.computeIfAbsent(object.getObject().getInode(), i -> new ArrayList<>())
                    .add(object);
        }
        NodeReport report = new NodeReport(state, node);
        for (ObjectId object : objects) {
            report.answered(object, byInode.getOrDefault(object.getInode(), List.of()));
        }
        List<Change> changes = report.changes();
        leader.change(changes, 0);
        return found;
    }
}
