package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.replica.NodeTable;
import org.gridfarm.metaserver.replica.RepairEffect;
import org.gridfarm.metaserver.replica.RepairEffect.Reason;
import org.gridfarm.metaserver.replica.RepairEvent;
import org.gridfarm.metaserver.replica.RepairPlanner;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerLimits;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Carries out what the planner of copies wants: has nodes copy objects, journals the rows that come
 * and go. Event thread.
 */
public final class Repair {
    private static final Logger log = LoggerFactory.getLogger(Repair.class);

    /** A copy under way; worth nothing once the file has been opened for writing. */
    private static final class Job {
        final RepairEffect.Copy copy;
        boolean overtaken;

        Job(RepairEffect.Copy copy) {
            this.copy = copy;
        }
    }

    private final FarmState state;
    private final RepairPlanner planner;
    private final NodeService nodes;
    private final LeaderContext leader;
    private final Events events;
    private final Map<ObjectId, Job> jobs = new HashMap<>();
    private final CopyWaits waits;
    private boolean stepAsked;

    public Repair(
            FarmState state,
            RepairPlanner planner,
            NodeService nodes,
            LeaderContext leader,
            Events events) {
        this.state = state;
        this.planner = planner;
        this.nodes = nodes;
        this.leader = leader;
        this.events = events;
        this.waits = new CopyWaits(state);
        nodes.spare(this::isCopying);
    }

    private boolean isCopying(String node, ObjectId object) {
        Job job = jobs.get(object);
        return job != null && job.copy.target().equals(node);
    }

    public RepairPlanner planner() {
        return planner;
    }

    CopyWaits waits() {
        return waits;
    }

    /** Every change of the farm passes here once it is in memory. */
    public void changed(Change change) {
        if (!change.hasWriting()) return;
        for (Job job : jobs.values()) {
            if (job.copy.object().getInode() == change.getWriting().getInode()) {
                job.overtaken = true;
            }
        }
    }

    public void tick(long now) {
        for (NodeTable.Shift shift : state.nodes().tick(now)) {
            log.info("node {} is {}", shift.node(), shift.to().text());
            state.replicas().nodeIs(shift.node(), shift.to());
        }
        copyWanted();
        carryOut(planner.step(new RepairEvent.Tick(now)));
    }

    /**
     * Makes the copies that somebody waits for at a node that he named, whatever the level says.
     * One of a file that is being copied to another node comes after that.
     */
    void copyWanted() {
        waits.release();
        for (CopyWaits.Wanted copy : waits.wanted()) {
            if (isCopying(copy.inode())) continue;
            carryOut(planner.copyTo(copy.inode(), copy.node(), state.monotonicNanos()));
            if (!isCopying(copy.inode())) {
                waits.failed(copy.node(), copy.inode(), notCopied(copy));
            }
        }
        waits.release();
    }

    private FarmException notCopied(CopyWaits.Wanted copy) {
        return state.writing(copy.inode()) != null
                ? new FarmException(
                        ErrorKind.BUSY,
                        "replicate",
                        state.path(copy.inode()),
                        "it is open for writing")
                : new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "replicate to",
                        copy.node(),
                        "it has no room, or no copy of the file can be read now");
    }

    private boolean isCopying(long inode) {
        return jobs.keySet().stream().anyMatch(object -> object.getInode() == inode);
    }

    private void carryOut(List<RepairEffect> effects) {
        List<Change> gone = new ArrayList<>();
        for (RepairEffect effect : effects) {
            switch (effect) {
                case RepairEffect.Drop drop -> gone.add(drop(drop));
                case RepairEffect.Copy copy -> start(copy);
            }
        }
        leader.change(gone, 0);
    }

    private Change drop(RepairEffect.Drop drop) {
        ReplicaImage row = drop.row();
        log.debug(
                "replica of {} at {} goes: {}",
                Long.toHexString(row.getInode()),
                row.getNode(),
                drop.reason());
        return FileChanges.gone(row);
    }

    private void start(RepairEffect.Copy copy) {
        NodeLink link = leader.node(copy.target());
        if (link == null || nodes.isDeleting(copy.target(), copy.object())) {
            finished(copy, false);
            return;
        }
        ObjectId object = copy.object();
        ReplicateObjectRequest.Builder request =
                ReplicateObjectRequest.newBuilder()
                        .setObject(object)
                        .setSize(copy.bytes())
                        .setBytesPerSecond(rate(copy.reason()));
        for (String source : copy.sources()) {
            request.addSources(
                    ChainMember.newBuilder()
                            .setNode(source)
                            .setAddress(state.addressOf(source))
                            .setTicket(nodes.ticket(source, object, false)));
        }
        Job job = new Job(copy);
        jobs.put(object, job);
        link.call(
                StorageMethods.REPLICATE_OBJECT,
                request.build(),
                ServerLimits.COPY_DEADLINE,
                (reply, failure) -> copied(job, reply, failure));
    }

    /** One large object must not go faster than all are allowed to together. */
    private long rate(Reason reason) {
        return switch (reason) {
            case REPAIR -> planner.limits().bytesPerSecond();
            case BALANCE -> planner.limits().balanceBytesPerSecond();
            case REQUEST -> 0;
        };
    }

    private void copied(
            Job job, @Nullable ReplicateObjectReply reply, @Nullable FarmException failure) {
        RepairEffect.Copy copy = job.copy;
        ObjectId object = copy.object();
        jobs.remove(object);
        if (reply == null) {
            log.warn(
                    "copying {} to {}: {}",
                    Long.toHexString(object.getInode()),
                    copy.target(),
                    Objects.requireNonNull(failure).getMessage());
            waits.failed(copy.target(), object.getInode(), failure);
            finished(copy, false);
            return;
        }
        long inode = object.getInode();
        // Whoever wrote meanwhile, the copy may have missed it.
        boolean stands =
                !job.overtaken
                        && state.exists(inode)
                        && state.image(inode).getGeneration() == object.getGeneration()
                        && state.writing(inode) == null;
        if (stands) {
            leader.change(rows(copy, state.image(inode)), 0);
        } else {
            nodes.deleteLater(copy.target(), object);
        }
        finished(copy, stands);
        stepSoon();
    }

    private List<Change> rows(RepairEffect.Copy copy, InodeImage image) {
        List<Change> changes = new ArrayList<>();
        changes.add(
                FileChanges.row(
                        image, copy.object().getStripe(), copy.target(), ReplicaState.VALID));
        if (copy.reason() == Reason.REQUEST) {
            for (RepairEffect.Drop drop : planner.surplusBeside(copy.object(), copy.target())) {
                changes.add(drop(drop));
            }
        }
        return changes;
    }

    private void finished(RepairEffect.Copy copy, boolean made) {
        carryOut(planner.step(new RepairEvent.Finished(copy, made, state.monotonicNanos())));
    }

    /** The target has room again: what waited for it goes on at once. */
    private void stepSoon() {
        if (stepAsked) return;
        stepAsked = true;
        events.submit(() -> {
            stepAsked = false;
            copyWanted(); // ahead of what the planner would begin
            carryOut(planner.step(new RepairEvent.Tick(state.monotonicNanos())));
        });
    }
}
