package org.gridfarm.metaserver.server.nodes;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.VerifyObjectRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Replicas whose node died while they were written: their node cannot tell what their bytes should
 * be. Each is compared with another one of its file that is not suspect; one that differs counts as
 * corrupt and is made again. A file's only replica is believed. Event thread.
 */
public final class Suspects {
    private static final int COMPARISONS_MAX = 4; // at once: each reads two replicas
    private static final Logger log = LoggerFactory.getLogger(Suspects.class);

    private record Suspect(String node, ObjectId object) {}

    private final FarmState state;
    private final LeaderContext leader;
    private final Set<Suspect> all = new LinkedHashSet<>(); // also those being compared
    private final Set<Suspect> waiting = new LinkedHashSet<>();
    private int running;

    public Suspects(FarmState state, LeaderContext leader) {
        this.state = state;
        this.leader = leader;
    }

    void add(String node, ObjectId object) {
        Suspect suspect = new Suspect(node, object);
        if (all.add(suspect)) {
            waiting.add(suspect);
        }
    }

    public void tick() {
        for (Suspect suspect : List.copyOf(waiting)) {
            if (running == COMPARISONS_MAX) {
                return;
            }
            look(suspect);
        }
    }

    private void look(Suspect suspect) {
        ObjectId object = suspect.object;
        List<ReplicaImage> others = new ArrayList<>();
        boolean isValid = false;
        for (ReplicaImage row :
                state.rows(object.getInode(), object.getStripe(), object.getGeneration())) {
            if (row.getState() == ReplicaState.VALID) {
                if (row.getNode().equals(suspect.node)) {
                    isValid = true;
                } else if (!all.contains(new Suspect(row.getNode(), object))) {
                    others.add(row);
                }
            }
        }
        if (!isValid || others.isEmpty()) {
            settled(suspect); // gone, or nobody knows better
            return;
        }
        NodeLink here = leader.node(suspect.node);
        NodeLink there = null;
        for (ReplicaImage other : others) {
            there = there == null ? leader.node(other.getNode()) : there;
        }
        // Whoever writes makes the chain agree when he ends; until then they may differ.
        if (here != null && there != null && state.writing(object.getInode()) == null) {
            waiting.remove(suspect);
            running++;
            Comparison comparison = new Comparison(suspect, state.image(object.getInode()));
            comparison.ask(here);
            comparison.ask(there);
        }
    }

    private void settled(Suspect suspect) {
        waiting.remove(suspect);
        all.remove(suspect);
    }

    private final class Comparison {
        private final Suspect suspect;
        private final InodeImage image;
        private final Set<ByteString> digests = new HashSet<>();
        private boolean failed;
        private int outstanding = 2;

        Comparison(Suspect suspect, InodeImage image) {
            this.suspect = suspect;
            this.image = image;
        }

        void ask(NodeLink node) {
            node.call(
                    StorageMethods.VERIFY_OBJECT,
                    VerifyObjectRequest.newBuilder().setObject(suspect.object).build(),
                    ServerLimits.COPY_DEADLINE,
                    (reply, failure) -> {
                        if (failure == null
                                && reply != null
                                && reply.getPresent()
                                && reply.getBadBlocksCount() == 0) {
                            digests.add(reply.getDigest());
                        } else {
                            failed = true;
                        }
                        answered();
                    });
        }

        private void answered() {
            if (--outstanding > 0) {
                return;
            }
            running--;
            ObjectId object = suspect.object;
            boolean changed =
                    !state.exists(object.getInode())
                            || state.writing(object.getInode()) != null
                            || state.image(object.getInode()).getVersion() != image.getVersion();
            if (failed || changed) {
                waiting.add(suspect); // whatever is bad was reported; the rows will tell
                return;
            }
            if (digests.size() > 1) {
                log.warn(
                        "replica of {} at {} was cut off and differs from another",
                        Long.toHexString(object.getInode()),
                        suspect.node);
                leader.change(
                        List.of(
                                FileChanges.row(
                                        image,
                                        object.getStripe(),
                                        suspect.node,
                                        ReplicaState.CORRUPT)),
                        0);
            }
            settled(suspect);
        }
    }
}
