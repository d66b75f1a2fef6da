package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.nodes.ChainChoice;
import org.gridfarm.metaserver.server.nodes.NodeService;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * Files that stay open for writing get their level back, too: a node joins a chain that has become
 * short, at its end, and takes what is written from then on; the writer sends everything that was
 * there before down the chain, and names the node as a holder in its next commit. Event thread.
 *
 * <p>Only with a single writing session: what it sends with the chain it knew before is done before
 * it sends what was there, so no write passes the node by. What is decided is in the journal; a new
 * leader finds it there.
 *
 * <p>Writers that are idle do not notice that a member is gone: they are told to look.
 */
public final class ChainRepair {
    private static final Logger log = LoggerFactory.getLogger(ChainRepair.class);

    /** How often files open for writing are looked at. */
    private static final long EVERY_NANOS = Duration.ofSeconds(1).toNanos();

    private final FarmState state;
    private final OpenFiles opens;
    private final Relocations relocations;
    private final ChainChoice choice;
    private final NodeService nodes;
    private final LeaderContext leader;
    private final IntSupplier joiningMax;
    private long lookedAt;
    private int joining;

    /**
     * @param joiningMax so many chains are mended at a time
     */
    public ChainRepair(
            FarmState state,
            OpenFiles opens,
            Relocations relocations,
            ChainChoice choice,
            NodeService nodes,
            LeaderContext leader,
            IntSupplier joiningMax) {
        this.state = state;
        this.opens = opens;
        this.relocations = relocations;
        this.choice = choice;
        this.nodes = nodes;
        this.leader = leader;
        this.joiningMax = joiningMax;
        this.lookedAt = state.monotonicNanos();
    }

    public void tick(long now) {
        if (now - lookedAt < EVERY_NANOS || leader.inGrace()) return;
        lookedAt = now;
        long[] written = state.writtenInodes();
        joining = 0;
        for (long inode : written) {
            WritingImage writing = state.writing(inode);
            if (writing == null) continue;
            for (WritingChain chain : writing.getChainsList()) joining += chain.getJoiningCount();
        }
        Map<Long, List<DataTouch>> told = new HashMap<>();
        for (long inode : written) {
            WritingImage writing = state.writing(inode);
            if (writing == null) continue;
            boolean joined = joining < joiningMax.getAsInt() && look(writing, now);
            if (joined || missesMember(writing, now)) tellWriters(inode, told);
        }
        leader.recallData(told, () -> {});
    }

    /** A head that is silent is asked for by readers; another one may only be restarting. */
    private boolean missesMember(WritingImage writing, long now) {
        for (WritingChain chain : writing.getChainsList()) {
            for (int i = 0; i < chain.getNodesCount(); i++) {
                NodeState node = state.nodes().state(chain.getNodes(i), now);
                boolean gone = node == NodeState.DOWN || node == NodeState.REMOVED;
                if (gone || (i == 0 && !node.isReadable())) return true;
            }
        }
        return false;
    }

    /** It learns of its chain by asking for it again, and of its members by asking them. */
    private void tellWriters(long inode, Map<Long, List<DataTouch>> told) {
        DataTouch touch = new DataTouch(inode, DataMode.DATA_MODE_UNSPECIFIED_VALUE, true);
        for (long session : opens.writers(inode)) {
            told.computeIfAbsent(session, s -> new ArrayList<>()).add(touch);
        }
    }

    /** True when somebody joins one of its chains from now on. */
    private boolean look(WritingImage writing, long now) {
        long inode = writing.getInode();
        if (!state.exists(inode) || relocations.isMoving(inode)) return false;
        InodeImage image = state.image(inode);
        if (image.getGeneration() != writing.getGeneration()) return false;
        Set<Long> sessions = opens.writers(inode);
        if (sessions.size() != 1 || !sessions.stream().allMatch(leader::isLive)) return false;
        for (int i = 0; i < writing.getChainsCount(); i++) {
            WritingChain chain = writing.getChains(i);
            if (!isShort(image, chain, now)) continue;
            String node = choose(image, writing, chain, now);
            if (node == null) continue;
            join(writing, i, node);
            return true; // what is written has changed; its other chains follow
        }
        return false;
    }

    /** Something was promised, and on fewer nodes than wanted, one of which can be reached. */
    private boolean isShort(InodeImage image, WritingChain chain, long now) {
        if (chain.getJoiningCount() > 0 || chain.getNodesCount() == 0) return false;
        int counting = 0;
        boolean readable = false;
        for (String node : chain.getNodesList()) {
            if (state.nodes().state(node, now).counts()) counting++;
            readable |= state.isReadable(node);
        }
        return readable
                && counting < state.level(image)
                && state.hasContent(
                        Layouts.object(image.getInode(), chain.getStripe(), image.getGeneration()));
    }

    /** Null where none can take it now. */
    private @Nullable String choose(
            InodeImage image, WritingImage writing, WritingChain chain, long now) {
        ObjectId object =
                Layouts.object(image.getInode(), chain.getStripe(), image.getGeneration());
        List<ReplicaImage> rows =
                state.rows(image.getInode(), chain.getStripe(), image.getGeneration());
        Set<String> excluded = new HashSet<>();
        for (ReplicaImage row : rows) excluded.add(row.getNode());
        List<WritingChain> others = new ArrayList<>(writing.getChainsList());
        others.remove(chain);
        while (true) {
            String node;
            try {
                node =
                        choice.choose(
                                        image,
                                        chain.getStripe(),
                                        1,
                                        new ChainChoice.Beside("", excluded),
                                        Set.copyOf(chain.getNodesList()),
                                        others)
                                .getFirst();
            } catch (FarmException e) {
                makeRoom(rows, now);
                return null;
            }
            if (leader.node(node) != null && !nodes.isDeleting(node, object)) return node;
            excluded.add(node);
        }
    }

    /** A node that could take a copy has one that missed a write: that goes first. */
    private void makeRoom(List<ReplicaImage> rows, long now) {
        List<Change> gone = new ArrayList<>();
        for (ReplicaImage row : rows) {
            boolean bad =
                    row.getState() == ReplicaState.STALE || row.getState() == ReplicaState.CORRUPT;
            if (bad && state.nodes().state(row.getNode(), now).takesNew()) {
                gone.add(FileChanges.gone(row));
            }
        }
        leader.change(gone, 0);
    }

    private void join(WritingImage writing, int index, String node) {
        log.info(
                "object {}.{} stays open on {}; {} joins them",
                Long.toHexString(writing.getInode()),
                writing.getChains(index).getStripe(),
                writing.getChains(index).getNodesList(),
                node);
        joining++;
        Writing record = Objects.requireNonNull(state.record(writing.getInode()));
        leader.change(record.joinedBy(writing.getChains(index).getStripe(), node).changes(), 0);
    }
}
