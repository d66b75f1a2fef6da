package org.gridfarm.metaserver.server.nodes;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.Standing;
import org.gridfarm.metaserver.replica.Whereabouts;
import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.wire.Candidate;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaProblem;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * How one file stands and what it waits for, as people are told; where it cannot be read, every
 * node that answers says first what it has of it. Event thread.
 */
final class FileStanding {
    /** Of a file of more stripes the others are not asked for. */
    private static final int OBJECTS_MAX = ServerLimits.FIND_OBJECTS_MAX;

    private final FarmState state;
    private final LeaderContext leader;
    private final MissingCopies missing;

    FileStanding(FarmState state, LeaderContext leader, MissingCopies missing) {
        this.state = state;
        this.leader = leader;
        this.missing = missing;
    }

    /** To be told what is known when all have answered. */
    interface Told {
        void standing(ReplicaProblem standing);
    }

    void ask(InodeImage image, Told told) {
        long inode = image.getInode();
        List<ObjectId> objects = unread(image);
        if (objects.isEmpty()) {
            told.standing(describe(inode, List.of()).build());
            return;
        }
        List<Candidate> candidates = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        for (String node : state.nodes().names()) {
            if (leader.node(node) != null) nodes.add(node);
        }
        int[] outstanding = {nodes.size() + 1};
        Runnable answered =
                () -> {
                    if (--outstanding[0] == 0) {
                        told.standing(describe(inode, candidates).build());
                    }
                };
        for (String node : nodes) {
            missing.ask(
                    node,
                    objects,
                    found -> {
                        if (found != null) {
                            found.forEach(each -> candidates.add(candidate(node, each)));
                        }
                        answered.run();
                    });
        }
        answered.run();
    }

    /** Its objects of which no copy can be read. */
    private List<ObjectId> unread(InodeImage image) {
        List<ObjectId> objects = new ArrayList<>();
        int stripes = Math.max(1, image.getStripeCount());
        for (int stripe = 0; stripe < stripes && objects.size() < OBJECTS_MAX; stripe++) {
            ObjectId object = Layouts.object(image.getInode(), stripe, image.getGeneration());
            if (state.isLastHope(object)) objects.add(object);
        }
        return objects;
    }

    private Candidate candidate(String node, FoundObject found) {
        ObjectId object = found.getObject();
        boolean exists = state.exists(object.getInode());
        int generation = exists ? state.image(object.getInode()).getGeneration() : 0;
        int ahead = Integer.compareUnsigned(object.getGeneration(), generation);
        ReplicaImage row = state.rowOf(node, object);
        String what;
        if (found.getQuarantined()) what = "damaged, in quarantine";
        else if (ahead > 0) what = "a later generation than the file's: it was sealed";
        else if (ahead < 0) what = "an older generation than the file's";
        else if (row == null) what = "a copy that counts no more";
        else if (row.getState() == ReplicaState.VALID) what = "the content";
        else what = "a " + Whereabouts.name(row.getState()) + " copy";
        return Candidate.newBuilder()
                .setNode(node)
                .setObject(object)
                .setSize(found.getSize())
                .setWhat(what)
                .build();
    }

    private ReplicaProblem.Builder describe(long inode, List<Candidate> candidates) {
        ReplicaProblem.Builder told = ReplicaProblem.newBuilder().setInode(inode);
        if (!state.exists(inode)) return told;
        InodeImage image = state.image(inode);
        told.setPath(ByteString.copyFromUtf8(state.path(inode)))
                .setWanted(state.level(image))
                .setSize(image.getSize());
        Set<String> waits = new HashSet<>();
        for (ReplicaImage row : state.allRows(inode)) {
            if (row.getGeneration() != image.getGeneration()) continue;
            told.addReplicas(
                    Replica.newBuilder()
                            .setNode(row.getNode())
                            .setState(row.getState())
                            .setLive(state.isReadable(row.getNode())));
            NodeState node = state.nodes().state(row.getNode(), state.monotonicNanos());
            boolean good = row.getState() == ReplicaState.VALID && node.isReadable();
            if (!good && waits.add(row.getNode())) {
                told.addWaitsFor(Whereabouts.said(row, node));
            }
        }
        WritingImage writing = state.writing(inode);
        if (writing == null) {
            Standing standing = state.replicas().standing(inode);
            told.setLive(
                    standing == null || standing.live() == Integer.MAX_VALUE ? 0 : standing.live());
            told.setStanding(standing == null ? "empty" : standing.reach().text());
        } else if (writing.getWritersCount() > 0) {
            told.setStanding("written");
        } else {
            told.setStanding("being sealed").addWaitsFor(sealing(writing));
        }
        return told.addAllCandidates(candidates);
    }

    private static String sealing(WritingImage writing) {
        Set<String> nodes = new TreeSet<>();
        for (WritingChain chain : writing.getChainsList()) nodes.addAll(Writing.holders(chain));
        return "what its writer left is sealed when " + String.join(", ", nodes) + " answer";
    }
}
