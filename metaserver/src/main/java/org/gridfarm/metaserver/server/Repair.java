package org.gridfarm.metaserver.server;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.ReplicateObjectReply;
import org.gridfarm.protocol.wire.ReplicateObjectRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Makes missing copies and drops superseded ones: fewest good copies first, a few at a time per
 * node. Files are looked at when something about them changed, and all of them when a node goes
 * down, drains or is removed. Event thread.
 */
final class Repair {
    private static final Logger log = LoggerFactory.getLogger(Repair.class);

    /** Copies under way to one node and from one node. */
    private static final int COPIES_PER_NODE_MAX = 4;

    /** Files judged in one go, so that the event thread is never held up for long. */
    private static final int JUDGED_PER_TICK = 2000;

    /** A failed copy is not tried again before this. */
    private static final long RETRY_NANOS = 5_000_000_000L;

    private record Job(long inode, long version, int stripe, int generation, String target) {}

    private final FarmState state;
    private final FileOpens opens;
    private final NodeService nodes;
    private final LeaderContext leader;
    private final LinkedHashSet<Long> toJudge = new LinkedHashSet<>();
    private final Map<ObjectId, Job> running = new HashMap<>();
    private final Set<Long> held = new LinkedHashSet<>();
    private final Map<String, Integer> busy = new HashMap<>();
    private final Map<Long, Long> notBefore = new HashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private Set<String> usable = Set.of();

    private record Waiting(long inode, String node, Runnable done, BooleanSupplier givenUp) {}

    Repair(FarmState state, FileOpens opens, NodeService nodes, LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.nodes = nodes;
        this.leader = leader;
    }

    /** Something about the file's copies changed. */
    void suspect(long inode) {
        toJudge.add(inode);
    }

    /** A new leader knows nothing of what its predecessor had queued. */
    void suspectAll() {
        state.problems((kind, image, live) -> suspect(image.getInode()));
    }

    /** Makes one copy at a node that somebody named, whatever the level says. */
    void copyTo(InodeImage image, String node, Runnable done) {
        if (state.nodes().find(node) == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "replicate to", node);
        }
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            List<String> sources = new ArrayList<>();
            boolean there = false;
            for (ReplicaImage row : state.rows(image.getInode(), stripe, image.getGeneration())) {
                there |= row.getNode().equals(node) && row.getState() == ReplicaState.VALID;
                if (row.getState() == ReplicaState.VALID && state.isReadable(row.getNode())) {
                    sources.add(row.getNode());
                }
            }
            ObjectId object = Layouts.object(image.getInode(), stripe, image.getGeneration());
            if (there || sources.isEmpty() || running.containsKey(object)) continue;
            start(image, stripe, object, node, sources);
        }
        waiting.add(new Waiting(image.getInode(), node, done, () -> false));
    }

    /** Runs the action when the file has as many live copies as it wants. */
    void whenLevelHolds(long inode, Runnable done, BooleanSupplier givenUp) {
        waiting.add(new Waiting(inode, "", done, givenUp));
    }

    private void releaseWaiting() {
        List<Waiting> due = new ArrayList<>();
        waiting.removeIf(w -> {
            if (w.givenUp().getAsBoolean()) return true;
            return isSettled(w) && due.add(w);
        });
        due.forEach(w -> w.done().run());
    }

    private boolean isSettled(Waiting w) {
        if (!state.exists(w.inode())) return true;
        InodeImage image = state.image(w.inode());
        if (w.node().isEmpty()) return state.liveCopies(image) >= state.level(image);
        return running.keySet().stream().noneMatch(o -> o.getInode() == w.inode());
    }

    int queued() {
        return toJudge.size() + notBefore.size() + held.size();
    }

    int running() {
        return running.size();
    }

    void changed(Change change) {
        switch (change.getChangeCase()) {
            case REPLICA -> suspect(change.getReplica().getInode());
            case REPLICA_GONE -> suspect(change.getReplicaGone().getInode());
            case WRITING -> suspect(change.getWriting().getInode());
            case INODE -> suspect(change.getInode().getInode());
            default -> {}
        }
    }

    void tick(long now) {
        Set<String> nowUsable = new HashSet<>();
        for (LiveNodes.Node node : state.nodes().all()) {
            String name = node.image.getName();
            if (!state.nodes().isDown(name, now) && !leaving(name)) nowUsable.add(name);
        }
        if (!nowUsable.equals(usable)) {
            Set<String> lost = new HashSet<>(usable);
            lost.removeAll(nowUsable);
            Set<String> gained = new HashSet<>(nowUsable);
            gained.removeAll(usable);
            usable = nowUsable;
            for (String name : lost) state.heldBy(name).forEach(row -> suspect(row.getInode()));
            if (!gained.isEmpty()) suspectAll();
            if (!lost.isEmpty())
                log.info("nodes {} are down or leaving: their copies are made elsewhere", lost);
        }
        List<Long> due = new ArrayList<>();
        notBefore.forEach((inode, at) -> {
            if (now - at >= 0) due.add(inode);
        });
        due.forEach(inode -> {
            notBefore.remove(inode);
            suspect(inode);
        });
        if (running.isEmpty()) {
            toJudge.addAll(held);
            held.clear();
        }
        judge(now);
        releaseWaiting();
    }

    private boolean leaving(String name) {
        var image = state.nodes().image(name);
        return image == null
                || image.getAdminState().equals("draining")
                || image.getAdminState().equals("removed");
    }

    private void judge(long now) {
        List<Long> some = new ArrayList<>();
        for (long inode : toJudge) {
            if (some.size() == JUDGED_PER_TICK) break;
            some.add(inode);
        }
        some.forEach(toJudge::remove);
        some.sort(Comparator.comparingInt(this::goodCopies));
        for (long inode : some) judge(inode, now);
    }

    private int goodCopies(long inode) {
        if (!state.exists(inode)) return Integer.MAX_VALUE;
        InodeImage image = state.image(inode);
        int good = 0;
        for (ReplicaImage row : state.rows(inode, 0, image.getGeneration())) {
            if (row.getState() == ReplicaState.VALID && state.isReadable(row.getNode())) good++;
        }
        return good;
    }

    private void judge(long inode, long now) {
        if (!state.exists(inode) || state.writing(inode) != null)
            return; // judged again when closed
        InodeImage image = state.image(inode);
        List<Change> changes = new ArrayList<>();
        for (ReplicaImage old : state.olderRows(inode, image.getGeneration())) {
            changes.add(FileOpens.gone(old));
        }
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            stripe(image, stripe, now, changes);
        }
        leader.change(changes, 0);
    }

    private void stripe(InodeImage image, int stripe, long now, List<Change> changes) {
        List<ReplicaImage> rows = state.rows(image.getInode(), stripe, image.getGeneration());
        if (rows.isEmpty()) return;
        ObjectId object = Layouts.object(image.getInode(), stripe, image.getGeneration());
        if (running.containsKey(object)) return;
        List<String> sources = new ArrayList<>();
        Set<String> holding = new HashSet<>();
        int staying = 0;
        for (ReplicaImage row : rows) {
            holding.add(row.getNode());
            if (row.getState() != ReplicaState.VALID) continue;
            if (state.isReadable(row.getNode())) sources.add(row.getNode());
            if (usable.contains(row.getNode())) staying++;
        }
        int level = state.level(image);
        if (sources.isEmpty()) return; // nothing to copy from: judged again when a holder returns
        if (staying >= level) {
            dropUnwanted(image, rows, staying - level, changes);
            return;
        }
        if (copy(image, stripe, object, sources, holding)) return;
        if (busy.values().stream().anyMatch(count -> count >= COPIES_PER_NODE_MAX)) {
            held.add(image.getInode()); // until a copy under way has ended
        } else {
            notBefore.put(image.getInode(), now + RETRY_NANOS / 5);
        }
    }

    /** With enough good copies: stale, corrupt, leaving and surplus ones go. */
    private void dropUnwanted(
            InodeImage image, List<ReplicaImage> rows, int surplus, List<Change> changes) {
        int tooMany = surplus;
        for (ReplicaImage row : rows) {
            boolean bad =
                    row.getState() == ReplicaState.STALE || row.getState() == ReplicaState.CORRUPT;
            boolean left = row.getState() == ReplicaState.VALID && leaving(row.getNode());
            boolean extra =
                    row.getState() == ReplicaState.VALID
                            && !left
                            && tooMany > 0
                            && !opens.files().isOpen(image.getInode());
            if (extra) tooMany--;
            if (bad || left || extra) changes.add(FileOpens.gone(row));
        }
    }

    private boolean copy(
            InodeImage image,
            int stripe,
            ObjectId object,
            List<String> sources,
            Set<String> holding) {
        InodeImage one = image.toBuilder().setReplicas(1).build();
        String target;
        try {
            Set<String> excluded = new HashSet<>(holding);
            busy.forEach((name, count) -> {
                if (count >= COPIES_PER_NODE_MAX) excluded.add(name);
            });
            target = new SpreadChoice(state).choose(one, stripe, "", excluded).getFirst();
        } catch (FarmException e) {
            log.debug("no target for {}: {}", Long.toHexString(image.getInode()), e.getMessage());
            return false;
        }
        return start(image, stripe, object, target, sources);
    }

    private boolean start(
            InodeImage image, int stripe, ObjectId object, String target, List<String> sources) {
        NodeLink link = leader.node(target);
        if (link == null) return false;
        Job job =
                new Job(
                        image.getInode(),
                        image.getVersion(),
                        stripe,
                        image.getGeneration(),
                        target);
        running.put(object, job);
        busy.merge(target, 1, Integer::sum);
        ReplicateObjectRequest.Builder request =
                ReplicateObjectRequest.newBuilder().setObject(object).setSize(image.getSize());
        for (String source : sources) {
            request.addSources(
                    ChainMember.newBuilder()
                            .setNode(source)
                            .setAddress(state.addressOf(source))
                            .setTicket(nodes.ticket(source, object, false)));
        }
        link.call(
                StorageMethods.REPLICATE_OBJECT,
                request.build(),
                ServerLimits.COPY_DEADLINE,
                (reply, failure) -> copied(object, job, reply, failure));
        return true;
    }

    /** The target has room again: what waited for it goes on at once. */
    private void next() {
        Iterator<Long> waited = held.iterator();
        for (int i = 0; i < COPIES_PER_NODE_MAX && waited.hasNext(); i++) {
            toJudge.add(waited.next());
            waited.remove();
        }
        judge(state.monotonicNanos());
    }

    private void copied(
            ObjectId object,
            Job job,
            @Nullable ReplicateObjectReply reply,
            @Nullable FarmException failure) {
        running.remove(object);
        busy.merge(job.target(), -1, Integer::sum);
        suspect(job.inode());
        if (failure != null) {
            log.warn(
                    "copying {} to {}: {}",
                    Long.toHexString(job.inode()),
                    job.target(),
                    failure.getMessage());
            toJudge.remove(job.inode());
            notBefore.put(job.inode(), state.monotonicNanos() + RETRY_NANOS);
            return;
        }
        if (reply == null || !state.exists(job.inode())) return;
        InodeImage image = state.image(job.inode());
        // Whoever wrote meanwhile, the copy may have missed it.
        if (image.getGeneration() != job.generation()
                || image.getVersion() != job.version()
                || state.writing(job.inode()) != null) {
            nodes.deleteLater(job.target(), object);
            return;
        }
        leader.change(
                List.of(FileOpens.row(image, job.stripe(), job.target(), ReplicaState.VALID)), 0);
        next();
    }
}
