package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.server.nodes.ChainChoice;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.FileChanges;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Members of a chain failed, as a writer reports: they are stale before anybody goes on without
 * them. Who only reads is believed of nodes that this leader does not reach either: else he could
 * have the only copy given up. Event thread.
 */
public final class ChainFailures {
    private final FarmState state;
    private final OpenFiles opens;
    private final ChainChoice choice;
    private final LeaderContext leader;

    public ChainFailures(
            FarmState state, OpenFiles opens, ChainChoice choice, LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.choice = choice;
        this.leader = leader;
    }

    void reported(Caller caller, ChainFailureRequest report) {
        OpenFiles.Handle handle = opens.find(report.getHandle());
        if (handle == null || handle.session() != caller.session()) {
            throw new FarmException(
                    ErrorKind.BAD_HANDLE, "chain", Long.toHexString(report.getHandle()));
        }
        long inode = handle.inode();
        WritingImage writing = state.writing(inode);
        if (writing == null) return; // a reader's report: nothing is being written
        List<String> failed =
                handle.write()
                        ? report.getFailedNodesList()
                        : report.getFailedNodesList().stream()
                                .filter(node -> leader.node(node) == null)
                                .toList();
        boolean rescue = handle.write() && report.getRescue();
        InodeImage image = state.image(inode);
        List<Change> changes = new ArrayList<>();
        WritingImage.Builder now = writing.toBuilder().clearChains();
        for (WritingChain chain : writing.getChainsList()) {
            now.addChains(
                    chain.getStripe() == report.getStripe()
                            ? without(
                                    caller,
                                    image,
                                    chain,
                                    failed,
                                    report.getWritten(),
                                    rescue,
                                    changes)
                            : chain);
        }
        if (now.build().equals(writing)) return;
        changes.add(FileChanges.writing(now.build()));
        leader.change(changes, 0);
    }

    /**
     * With all members gone what the client has written there is out of reach, unless it has the
     * whole content itself.
     */
    private WritingChain without(
            Caller caller,
            InodeImage image,
            WritingChain chain,
            List<String> failed,
            boolean written,
            boolean rescue,
            List<Change> changes) {
        List<String> left = new ArrayList<>(chain.getNodesList());
        List<String> joining = new ArrayList<>(chain.getJoiningList());
        left.removeAll(failed);
        joining.removeAll(failed);
        boolean committed =
                state.hasContent(
                        Layouts.object(image.getInode(), chain.getStripe(), image.getGeneration()));
        if (left.isEmpty()) {
            if ((committed || written) && !rescue) {
                throw new FarmException(
                        ErrorKind.DATA_UNAVAILABLE,
                        "write",
                        Long.toHexString(image.getInode()),
                        "every node of its chain failed: " + String.join(", ", failed));
            }
            // Nothing was written yet, or the client has it all: it starts over on other nodes, or
            // sees why not.
            Set<String> excluded = new HashSet<>(failed);
            excluded.addAll(joining);
            joining.clear();
            left.addAll(
                    choice.choose(
                            image,
                            chain.getStripe(),
                            state.level(image),
                            new ChainChoice.Beside(caller.attachedNode(), excluded),
                            Set.of(),
                            List.of()));
        }
        List<String> before = new ArrayList<>(chain.getNodesList());
        before.addAll(chain.getJoiningList());
        for (String node : before) {
            if (!left.contains(node) && !joining.contains(node)) {
                changes.add(FileChanges.row(image, chain.getStripe(), node, ReplicaState.STALE));
            }
        }
        return chain.toBuilder()
                .clearNodes()
                .addAllNodes(left)
                .clearJoining()
                .addAllJoining(joining)
                .build();
    }
}
