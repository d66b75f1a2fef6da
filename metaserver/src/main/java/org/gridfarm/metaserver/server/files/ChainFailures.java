package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.nodes.ChainChoice;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainFailureRequest;
import org.gridfarm.protocol.wire.InodeImage;

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
        Writing writing = state.record(inode);
        if (writing == null) return; // a reader's report: nothing is being written
        int stripe = report.getStripe();
        List<String> failed =
                handle.write()
                        ? report.getFailedNodesList()
                        : report.getFailedNodesList().stream()
                                .filter(node -> leader.node(node) == null)
                                .toList();
        if (writing.chain(stripe).getNodesCount() == 0) return;
        Writing next =
                writing.left(stripe, failed).isEmpty()
                        ? elsewhere(caller, handle, writing, report, failed)
                        : writing.without(stripe, failed);
        leader.change(next.changes(), 0);
    }

    /**
     * With all members gone what the client has written there is out of reach, unless it has the
     * whole content itself. Where nothing was written yet it starts over on other nodes.
     */
    private Writing elsewhere(
            Caller caller,
            OpenFiles.Handle handle,
            Writing writing,
            ChainFailureRequest report,
            List<String> failed) {
        int stripe = report.getStripe();
        boolean rescue = handle.write() && report.getRescue();
        if ((writing.isPromised(stripe) || report.getWritten()) && !rescue) {
            throw new FarmException(
                    ErrorKind.DATA_UNAVAILABLE,
                    "write",
                    Long.toHexString(handle.inode()),
                    "every node of its chain failed: " + String.join(", ", failed));
        }
        InodeImage image = state.image(handle.inode());
        List<String> chosen =
                choice.choose(
                        image,
                        stripe,
                        state.level(image),
                        new ChainChoice.Beside(
                                caller.attachedNode(), writing.spent(stripe, failed)),
                        Set.of(),
                        List.of());
        return writing.rescued(stripe, chosen);
    }
}
