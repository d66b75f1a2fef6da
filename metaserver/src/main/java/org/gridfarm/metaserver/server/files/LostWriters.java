package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.metaserver.session.Owners;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.SealObjectRequest;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Seals files whose writer was lost or left them uncommitted: the chain's live members move the
 * object to the next generation, so that the lost writer's tickets are worth nothing; the head's
 * content, or that of the first member that answers, is the truth; members that differ are stale.
 *
 * <p>Runs when a writer gives a file up with changes that it could not commit, when a session with
 * files open for writing ends, and, after a change of leader, for files whose writers did not come
 * back within the grace period; where others write, too, when the last of them is done. Whatever
 * else left a file noted as written by nobody, it is found by looking now and then. A file of which
 * nobody answers is not sealed without: it would be read with a size that its replicas do not have,
 * and a silent stripe as zeros. Event thread.
 */
public final class LostWriters {
    private static final Logger log = LoggerFactory.getLogger(LostWriters.class);

    private static final long LOOK_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    private final FarmState state;
    private final FileOpens opens;
    private final LeaderContext leader;
    private final Set<Long> sealing = new HashSet<>(); // those of the next three as well
    private final Set<Long> wanted = new LinkedHashSet<>(); // by somebody, who waits
    private final Set<Long> waiting = new LinkedHashSet<>(); // for their turn
    private final Set<Long> silent = new HashSet<>(); // to be tried again
    private final Deque<Left> left = new ArrayDeque<>();
    private final Map<Long, Integer> leftByWriters = new HashMap<>(); // of these, by inode
    private int underWay;
    private boolean beginning;
    private long lookedAt;
    private boolean graceOver;

    public LostWriters(FarmState state, FileOpens opens, LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.leader = leader;
        this.lookedAt = state.monotonicNanos();
    }

    /** What a session that ended had open. */
    private record Left(long inode, long session, boolean write) {}

    /**
     * It is not opened for writing meanwhile; nor does who wants it, to read or to write, wait for
     * all the others.
     */
    public boolean keepsFromWriting(long inode) {
        if (waiting.remove(inode)) wanted.add(inode);
        return sealing.contains(inode) || leftByWriters.containsKey(inode);
    }

    /** Whatever the session had open is closed; what follows from that takes as many turns. */
    public void ended(long session) {
        List<OpenFiles.Handle> handles = opens.files().of(session);
        int writes = 0;
        for (OpenFiles.Handle handle : handles) {
            opens.files().close(handle.handle());
            left.add(new Left(handle.inode(), session, handle.write()));
            if (handle.write()) {
                leftByWriters.merge(handle.inode(), 1, Integer::sum);
                writes++;
            }
        }
        if (writes > ServerLimits.SEALED_AT_ONCE) {
            log.info(
                    "session {} left {} files open for writing: they are sealed one after the other",
                    Long.toHexString(session),
                    writes);
        }
        lookAtLeft();
    }

    private void lookAtLeft() {
        for (int i = 0; i < ServerLimits.LEFT_PER_TURN && !left.isEmpty(); i++) {
            Left one = left.remove();
            if (one.write) {
                leftByWriters.computeIfPresent(
                        one.inode, (inode, count) -> count == 1 ? null : count - 1);
                lostAt(one.inode, one.session);
            } else {
                opens.reapIfOrphan(one.inode);
            }
        }
    }

    private void lostAt(long inode, long session) {
        WritingImage writing = state.writing(inode);
        if (writing != null && opens.isWrittenWithout(writing, session)) {
            opens.writersLeft(inode, s -> s == session, false);
        } else {
            seal(inode);
        }
    }

    /**
     * When the grace period ends: files still marked as written by nobody, orphans open by nobody.
     */
    public void tick(boolean inGrace) {
        lookAtLeft();
        beginWaiting();
        long now = state.monotonicNanos();
        boolean again = now - lookedAt >= LOOK_AGAIN_NANOS;
        if (again) {
            lookedAt = now;
            trySilentAgain();
        }
        if (inGrace) return;
        if (graceOver) {
            if (again) {
                sealAbandoned();
                forgetOwners();
            }
            return;
        }
        graceOver = true;
        for (long inode : state.writtenInodes()) {
            if (!opens.files().isWritten(inode)) seal(inode);
            else if (hasLostWriter(inode)) opens.writersLeft(inode, s -> !leader.isLive(s), false);
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

    /** Of sessions that are over, and under which nothing is left. */
    private void forgetOwners() {
        Set<Long> writers = new HashSet<>();
        List<Change> gone = new ArrayList<>();
        for (long session : state.owners().sessions()) {
            if (leader.isLive(session) || state.outcomes().knows(session)) continue;
            if (writers.isEmpty()) {
                for (long inode : state.writtenInodes()) {
                    WritingImage writing = state.writing(inode);
                    if (writing != null) writers.addAll(writing.getWritersList());
                }
            }
            if (!writers.contains(session)) gone.add(Owners.ends(session));
        }
        leader.change(gone, 0);
    }

    private boolean hasLostWriter(long inode) {
        WritingImage writing = state.writing(inode);
        return writing != null
                && !writing.getWritersList().stream().allMatch(session -> leader.isLive(session));
    }

    /** Nobody has them open for writing, and what should have ended that was refused or failed. */
    private void sealAbandoned() {
        for (long inode : state.writtenInodes()) {
            if (!opens.files().isWritten(inode) && begin(inode)) {
                log.warn(
                        "file {}: noted as written by nobody; sealing it", Long.toHexString(inode));
            }
        }
    }

    private void trySilentAgain() {
        List<Long> some = List.copyOf(silent);
        silent.clear();
        some.forEach(sealing::remove);
        some.forEach(this::begin);
    }

    /** To be called when nobody writes to the file any more. */
    public void seal(long inode) {
        if (!begin(inode)) return;
        if (sealing.size() <= ServerLimits.SEALED_AT_ONCE) {
            log.info("file {}: sealing what its writer left", Long.toHexString(inode));
        } else {
            log.debug("file {}: to be sealed", Long.toHexString(inode));
        }
    }

    private boolean begin(long inode) {
        WritingImage writing = state.writing(inode);
        boolean nobodys = state.isOrphan(inode) && !opens.files().isOpen(inode);
        if (writing == null || !state.exists(inode) || nobodys) {
            opens.reapIfOrphan(inode);
            return false;
        }
        if (!sealing.add(inode)) return false;
        waiting.add(inode);
        beginWaiting();
        return true;
    }

    /** As many as may be under way, and no more in one turn though they be over at once. */
    private void beginWaiting() {
        if (beginning) return; // one that is over at once comes here again
        beginning = true;
        try {
            for (int begun = 0;
                    begun < ServerLimits.SEALED_AT_ONCE
                            && underWay < ServerLimits.SEALED_AT_ONCE
                            && !(wanted.isEmpty() && waiting.isEmpty());
                    begun++) {
                beginOne(first(wanted.isEmpty() ? waiting : wanted));
            }
        } finally {
            beginning = false;
        }
    }

    private static long first(Set<Long> of) {
        Iterator<Long> all = of.iterator();
        long first = all.next();
        all.remove();
        return first;
    }

    private void beginOne(long inode) {
        WritingImage writing = state.writing(inode);
        boolean nobodys = state.isOrphan(inode) && !opens.files().isOpen(inode);
        if (writing == null || !state.exists(inode) || nobodys) {
            sealing.remove(inode);
            opens.reapIfOrphan(inode);
            return;
        }
        underWay++;
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
                for (String name : Writing.holders(chain)) {
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
                                    .setStaged(stagedAt(chain, name))
                                    .build(),
                            ServerLimits.NODE_CALL_DEADLINE,
                            (reply, failure) -> answered(chain.getStripe(), name, reply, failure));
                }
            }
            settled();
        }

        /** A staged file becomes the replica of the head of the only chain. */
        private long stagedAt(WritingChain chain, String node) {
            return chain.getNodes(0).equals(node) ? writing.getStaged() : 0;
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
            underWay--;
            ended();
            beginWaiting();
        }

        private void ended() {
            if (isSilent()) {
                putOff(state.writing(image.getInode()));
                return;
            }
            sealing.remove(image.getInode());
            if (!state.exists(image.getInode())) return;
            InodeImage current = state.image(image.getInode());
            if (current.getGeneration() != image.getGeneration()) return;
            leader.change(state.record(writing).sealed(answers, state.nowNanos()).changes(), 0);
            opens.reapIfOrphan(image.getInode());
        }

        /** Of some stripe it is not known what there is. */
        private boolean isSilent() {
            return state.exists(image.getInode())
                    && writing.getChainsList().stream().anyMatch(this::isSilent);
        }

        /** Until then it is as it was committed, its size is asked of nobody, and nobody joins. */
        private void putOff(@Nullable WritingImage now) {
            silent.add(image.getInode());
            if (now == null || now.getWritersCount() == 0) return;
            log.info(
                    "file {}: nodes that may hold what its writer left are silent; it is sealed"
                            + " when they answer",
                    Long.toHexString(image.getInode()));
            leader.change(state.record(now).putOff().changes(), 0);
        }

        private boolean isSilent(WritingChain chain) {
            Map<String, SealObjectReply> given = answers.getOrDefault(chain.getStripe(), Map.of());
            if (given.values().stream().anyMatch(SealObjectReply::getPresent)) return false;
            boolean promised =
                    state.hasContent(
                            Layouts.object(
                                    image.getInode(), chain.getStripe(), image.getGeneration()));
            for (String name : Writing.holders(chain)) {
                NodeState node = state.nodes().state(name, state.monotonicNanos());
                boolean lost = node == NodeState.REMOVED || (node == NodeState.DOWN && !promised);
                if (!given.containsKey(name) && !lost) return true;
            }
            return false;
        }
    }
}
