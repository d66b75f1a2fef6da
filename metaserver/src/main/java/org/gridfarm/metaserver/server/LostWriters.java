package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.SealObjectRequest;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Seals files whose writer was lost: the chain's live members move the object to the next
 * generation, so that the lost writer's tickets are worth nothing; the head's content, or that of
 * the first member that answers, is the truth; members that differ are stale.
 *
 * <p>Runs when a session with files open for writing ends, and, after a change of leader, for files
 * whose writers did not come back within the grace period. Event thread.
 */
final class LostWriters {
    private static final Logger log = LoggerFactory.getLogger(LostWriters.class);

    private final FarmState state;
    private final FileOpens opens;
    private final LeaderContext leader;
    private final Set<Long> sealing = new HashSet<>();
    private boolean graceOver;

    LostWriters(FarmState state, FileOpens opens, LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.leader = leader;
    }

    /** A file being sealed is not opened meanwhile. */
    boolean isSealing(long inode) {
        return sealing.contains(inode);
    }

    /** Whatever the session had open is closed. */
    void ended(long session) {
        for (OpenFiles.Handle handle : opens.files().of(session)) {
            opens.files().close(handle.handle());
            if (handle.write() && !opens.files().isWritten(handle.inode())) {
                seal(handle.inode());
            } else {
                opens.reapIfOrphan(handle.inode());
            }
        }
    }

    /**
     * When the grace period ends: files still marked as written by nobody, orphans open by nobody.
     */
    void tick(boolean inGrace) {
        if (inGrace || graceOver) return;
        graceOver = true;
        for (long inode : state.writtenInodes()) {
            if (!opens.files().isWritten(inode)) seal(inode);
        }
        for (long inode : state.orphans()) {
            opens.reapIfOrphan(inode);
        }
        for (long session : state.outcomes().sessions()) {
            if (!leader.isLive(session)) {
                leader.change(List.of(Change.newBuilder().setSessionGone(session).build()), 0);
            }
        }
    }

    private void seal(long inode) {
        WritingImage writing = state.writing(inode);
        if (writing == null) {
            opens.reapIfOrphan(inode);
            return;
        }
        if (!state.exists(inode) || state.isOrphan(inode) && !opens.files().isOpen(inode)) {
            opens.reapIfOrphan(inode);
            return;
        }
        if (!sealing.add(inode)) return;
        log.info("file {}: its writer is lost; sealing", Long.toHexString(inode));
        new Seal(state.image(inode), writing).start();
    }

    /** One file being sealed; answers are gathered until all members have given one. */
    private final class Seal {
        final InodeImage image;
        final WritingImage writing;
        final Map<Integer, Map<String, SealObjectReply>> answers = new LinkedHashMap<>();
        int outstanding;

        Seal(InodeImage image, WritingImage writing) {
            this.image = image;
            this.writing = writing;
        }

        void start() {
            outstanding = 1;
            for (WritingChain chain : writing.getChainsList()) {
                for (String name : chain.getNodesList()) {
                    NodeLink node = leader.node(name);
                    if (node == null) continue;
                    outstanding++;
                    node.call(
                            StorageMethods.SEAL_OBJECT,
                            SealObjectRequest.newBuilder()
                                    .setObject(
                                            Layouts.object(
                                                    image.getInode(),
                                                    chain.getStripe(),
                                                    image.getGeneration()))
                                    .setGeneration(image.getGeneration() + 1)
                                    .setMayBeAbsent(true)
                                    .build(),
                            ServerLimits.NODE_CALL_DEADLINE,
                            (reply, failure) -> answered(chain.getStripe(), name, reply, failure));
                }
            }
            settled();
        }

        private void answered(
                int stripe,
                String name,
                @Nullable SealObjectReply reply,
                @Nullable FarmException failure) {
            if (reply != null) {
                answers.computeIfAbsent(stripe, s -> new LinkedHashMap<>()).put(name, reply);
            } else if (failure != null) {
                log.warn(
                        "sealing {} at {}: {}",
                        Long.toHexString(image.getInode()),
                        name,
                        failure.getMessage());
            }
            settled();
        }

        private void settled() {
            if (--outstanding > 0) return;
            sealing.remove(image.getInode());
            if (!state.exists(image.getInode())) return;
            InodeImage current = state.image(image.getInode());
            if (current.getGeneration() != image.getGeneration()) return;
            leader.change(outcome(current), 0);
            opens.reapIfOrphan(image.getInode());
        }

        private List<Change> outcome(InodeImage current) {
            List<Change> changes = new ArrayList<>();
            InodeImage.Builder sealed =
                    current.toBuilder()
                            .setGeneration(current.getGeneration() + 1)
                            .setVersion(current.getVersion() + 1)
                            .setCtime(state.nowNanos());
            boolean anything = false;
            long size = 0;
            for (WritingChain chain : writing.getChainsList()) {
                Map<String, SealObjectReply> given =
                        answers.getOrDefault(chain.getStripe(), Map.of());
                SealObjectReply truth = null;
                for (String name : chain.getNodesList()) {
                    SealObjectReply reply = given.get(name);
                    if (truth == null && reply != null && reply.getPresent()) truth = reply;
                }
                for (ReplicaImage row :
                        state.rows(
                                current.getInode(), chain.getStripe(), current.getGeneration())) {
                    changes.add(FileOpens.gone(row));
                }
                if (truth == null) continue;
                anything = true;
                size += truth.getSize();
                for (Map.Entry<String, SealObjectReply> member : given.entrySet()) {
                    if (!member.getValue().getPresent()) continue;
                    boolean same =
                            member.getValue().getSize() == truth.getSize()
                                    && member.getValue().getDigest().equals(truth.getDigest());
                    changes.add(
                            FileOpens.row(
                                    sealed.build(),
                                    chain.getStripe(),
                                    member.getKey(),
                                    same ? ReplicaState.VALID : ReplicaState.STALE));
                }
                if (truth.getMtime() > current.getMtime()) sealed.setMtime(truth.getMtime());
                sealed.setAllocated(truth.getAllocated());
                if (writing.getChainsCount() == 1) sealed.setDigest(truth.getDigest());
                else sealed.clearDigest();
            }
            Change released =
                    FileOpens.writing(
                            WritingImage.newBuilder()
                                    .setInode(current.getInode())
                                    .setGone(true)
                                    .build());
            boolean hadContent =
                    current.getSize() > 0 || changes.stream().anyMatch(Change::hasReplicaGone);
            if (!anything && hadContent) {
                // Nobody who holds it answered: what was committed stays as it is, to be read when
                // they return.
                return List.of(released);
            }
            changes.addFirst(Change.newBuilder().setInode(sealed.setSize(size)).build());
            changes.add(released);
            return changes;
        }
    }
}
