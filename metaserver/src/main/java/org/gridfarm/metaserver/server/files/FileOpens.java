package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.quota.Growth;
import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.nodes.ChainChoice;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.Tickets;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * Opening, committing and closing files at the leader. Decides as changes and leaves the waiting to
 * its callers. Event thread.
 */
public final class FileOpens {
    private final FarmState state;
    private final OpenFiles opens;
    private final Layouts layouts;
    private final ChainChoice choice;
    private final LeaderContext leader;
    private final Growth growth;
    private final Privileges privileges;
    private final OpensUnderWay underWay = new OpensUnderWay();
    private LongPredicate inTransit = inode -> false;
    private LongConsumer seal = inode -> {};

    public FileOpens(
            FarmState state,
            OpenFiles opens,
            Layouts layouts,
            ChainChoice choice,
            LeaderContext leader) {
        this.growth = new Growth(state.quotas());
        this.privileges = new Privileges(state, opens, leader);
        this.state = state;
        this.opens = opens;
        this.layouts = layouts;
        this.choice = choice;
        this.leader = leader;
    }

    /**
     * @param between tells of files whose content is going from one place or generation to another:
     *     nobody begins to write to them meanwhile. Hears of all that are opened
     */
    public void refuseWritersOf(LongPredicate between) {
        inTransit = between;
    }

    /**
     * @param seal makes what stands on the chain of a file the content, now that nobody writes
     */
    public void sealBy(LongConsumer seal) {
        this.seal = seal;
    }

    public OpenFiles files() {
        return opens;
    }

    /** Its content is going from one place or generation to another. */
    boolean isInTransit(long inode) {
        return inTransit.test(inode);
    }

    /**
     * Opens an inode for the caller, who has been found to be allowed to. The changes this takes
     * are in the open batch when it returns; {@code opened} runs when the others have given up what
     * they may no longer cache, and must still wait for the batch.
     */
    void open(Caller caller, Credentials who, long inode, OpenRequest wish, Runnable opened) {
        requireRoom(caller, wish, "open");
        open(caller, who, inode, wish, List.of(), opened);
    }

    /** For one more open file, unless that handle is open already. */
    void requireRoom(Caller caller, OpenRequest wish, String operation) {
        if (opens.find(wish.getHandle()) == null) {
            leader.bounds().requireRoomToOpen(caller.session(), operation);
        }
    }

    /**
     * Along with a command: whether there is room for one more was asked before it changed
     * anything.
     *
     * @param place where {@link #place} found room for a new file, empty: none has been looked for
     */
    void open(
            Caller caller,
            Credentials who,
            long inode,
            OpenRequest wish,
            List<WritingChain> place,
            Runnable opened) {
        open(caller, who, inode, wish, place, false, opened);
    }

    private void open(
            Caller caller,
            Credentials who,
            long inode,
            OpenRequest wish,
            List<WritingChain> place,
            boolean wroteBefore,
            Runnable opened) {
        if (wish.getHandle() == 0) {
            throw new FarmException(
                    ErrorKind.INVALID, "open", Long.toHexString(inode), "no handle was drawn");
        }
        OpenFiles.Handle known = opens.find(wish.getHandle());
        if (known != null) {
            if (known.session() != caller.session() || known.inode() != inode) {
                throw new FarmException(
                        ErrorKind.INVALID, "open", Long.toHexString(inode), "the handle is in use");
            }
            underWay.whenOver(known.handle(), opened); // asked again
            return;
        }
        InodeImage image = state.image(inode);
        boolean between = inTransit.test(inode); // its seal comes before others by that
        if (wish.getWrite() && between) {
            throw new FarmException(
                    ErrorKind.NOT_READY,
                    "open",
                    Long.toHexString(inode),
                    "it moves from full nodes, or is brought into order after its writer was lost");
        }
        if (wish.getWrite() && !wroteBefore && isAwaited(inode, caller.session())) {
            // It believes itself alone, and would write where this one has written meanwhile.
            throw new FarmException(
                    ErrorKind.NOT_READY,
                    "open",
                    Long.toHexString(inode),
                    "its writer has not come to the new leader yet");
        }
        boolean empties = empties(wish, inode);
        if (wish.getWrite()) {
            List<Change> started = startWriting(caller, image, wish, place, empties);
            limit(who, inode, 0);
            leader.change(started, caller.session());
            if (!wroteBefore && place.isEmpty()) privileges.opened(caller, who, inode, wish);
        }
        OpenFiles.Opened result =
                opens.open(
                        new OpenFiles.Handle(
                                caller.session(),
                                wish.getHandle(),
                                inode,
                                wish.getRead() || !wish.getWrite(),
                                wish.getWrite(),
                                who.getUid(),
                                empties),
                        wroteBefore);
        Runnable over = underWay.begin(wish.getHandle(), opened);
        Map<Long, List<DataTouch>> recalls = new HashMap<>();
        result.lowered()
                .forEach((session, mode) ->
                        recalls.put(
                                session, List.of(new DataTouch(inode, mode.getNumber(), true))));
        leader.recallData(
                recalls,
                () -> {
                    opens.lowered(inode, result.lowered().keySet());
                    opens.answered(wish.getHandle());
                    over.run();
                });
    }

    /** Goes on when the open of the handle is over: others have given up what they had to. */
    void whenOpen(long handle, Runnable then) {
        underWay.whenOver(handle, then);
    }

    /** Goes on when all who write the file have told what is closed of it. */
    public void toldByAll(long inode, Runnable then) {
        DataTouch asked = new DataTouch(inode, DataMode.DATA_MODE_UNSPECIFIED_VALUE, false);
        leader.recallData(toOtherWriters(opens, asked, 0), then);
    }

    /** All who write the file, but this session: they are to tell what they have written. */
    Map<Long, List<DataTouch>> othersToTell(long inode, long session) {
        return toOtherWriters(opens, DataTouch.ofTimes(inode), session);
    }

    /** For each session that writes the inode, but one. */
    static Map<Long, List<DataTouch>> toOtherWriters(
            OpenFiles opens, DataTouch touch, long session) {
        Map<Long, List<DataTouch>> told = new HashMap<>();
        for (long writer : opens.writers(touch.inode())) {
            if (writer != session) told.put(writer, List.of(touch));
        }
        return told;
    }

    /**
     * Chains for a file that is about to be made and opened; refuses as {@link #open} would. That
     * asks nobody again: between two looks at the nodes one may fall silent.
     */
    List<WritingChain> place(Caller caller, InodeImage image) {
        List<WritingChain> chains = new ArrayList<>();
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            chains.add(chain(caller, image, stripe, chains, new ArrayList<>()));
        }
        return chains;
    }

    /**
     * Lets the file grow to the wanted size or a little further; QUOTA_EXCEEDED if it may not. The
     * superuser is not limited, but where another writer of the file is.
     */
    void limit(Credentials who, long inode, long wanted) {
        if (who.getUid() != 0) growth.promise(inode, wanted, state.nowNanos(), state.namespace());
    }

    /** Tells what was promised of a change that has been applied. */
    public void changed(Change change) {
        if (change.hasInode()) growth.changed(change.getInode().getInode(), state.namespace());
        else if (change.hasInodeGone()) growth.ended(change.getInodeGone());
        else if (change.hasWriting() && change.getWriting().getGone()) {
            growth.ended(change.getWriting().getInode());
        }
    }

    /** As it stands when it is sent. */
    OpenReply reply(Caller caller, long handle) {
        OpenFiles.Handle open = opens.find(handle);
        if (open == null) {
            throw new FarmException(ErrorKind.BAD_HANDLE, "open", Long.toHexString(handle));
        }
        DataMode mode = mode(open.inode(), caller.session());
        boolean shared = mode == DataMode.WRITE_SHARED || mode == DataMode.EXCLUSIVE;
        Tickets.Asker asker = new Tickets.Asker(caller, open.uid());
        OpenReply.Builder reply = OpenReply.newBuilder();
        if (open.write() && growth.promised(open.inode()) != Growth.UNLIMITED) {
            reply.setSizeLimit(growth.promised(open.inode()));
        }
        return reply.setAttributes(state.attributes(open.inode()))
                .setMode(mode)
                .setLayout(
                        shared
                                ? layouts.chain(open.inode(), asker, open.write())
                                : layouts.replicas(open.inode(), asker))
                .setCacheable(mode != DataMode.WRITE_SHARED)
                .setOthersWrote(haveOthersWritten(open.inode(), caller.session()))
                .setEmptied(open.emptied())
                .build();
    }

    /** As long as the chain may hold what no commit told of, everybody asks the chain. */
    private DataMode mode(long inode, long session) {
        WritingImage writing = state.writing(inode);
        return writing != null && mayHoldMore(writing, session)
                ? DataMode.WRITE_SHARED
                : opens.mode(inode, session);
    }

    /**
     * Than was committed: by a writer that is gone, until the seal has made that the content, or by
     * one that has not come back yet. What has only still to be sealed is as it was committed.
     */
    private boolean mayHoldMore(WritingImage writing, long session) {
        return writing.getWritersCount() > 0
                && (writing.getUnsettled()
                        || isLeft(writing, session)
                        || isAwaited(writing.getInode(), session));
    }

    /** By all who wrote it; a session that comes back may bring those who read first. */
    private boolean isLeft(WritingImage writing, long session) {
        boolean comesBack = leader.inGrace() && writing.getWritersList().contains(session);
        return !opens.isWritten(writing.getInode()) && !comesBack;
    }

    /** Another session wrote it at the former leader, and has not come to this one yet. */
    private boolean isAwaited(long inode, long session) {
        WritingImage writing = state.writing(inode);
        if (writing == null || !leader.inGrace()) return false;
        Set<Long> here = opens.writers(inode);
        return writing.getWritersList().stream()
                .anyMatch(writer -> writer != session && !here.contains(writer));
    }

    /** Or had begun to, at a former leader, and have not come to this one yet. */
    private boolean haveOthersWritten(long inode, long session) {
        WritingImage writing = state.writing(inode);
        return opens.haveOthersWritten(inode, session)
                || (writing != null && isToBeReclaimed(writing, session));
    }

    /** What is open or was written lately lies with its writers, and on a chain. */
    private boolean empties(OpenRequest wish, long inode) {
        return wish.getWrite()
                && wish.getTruncate()
                && state.record(inode) == null
                && !opens.isOpen(inode);
    }

    private List<Change> startWriting(
            Caller caller,
            InodeImage image,
            OpenRequest wish,
            List<WritingChain> place,
            boolean empties) {
        long inode = image.getInode();
        Writing record = state.record(inode);
        if (record != null) return record.writtenBy(caller.session()).changes();
        List<Change> changes = new ArrayList<>();
        InodeImage now = image;
        if (empties) {
            boolean content = hasContent(image);
            long nanos = state.nowNanos();
            now =
                    image.toBuilder()
                            .setGeneration(image.getGeneration() + (content ? 1 : 0))
                            .setSize(0)
                            .clearAllocated()
                            .clearDigest()
                            .setMtime(nanos) // also of a file that is empty already
                            .setCtime(nanos)
                            .setVersion(image.getVersion() + 1)
                            .build();
            changes.add(Change.newBuilder().setInode(now).build());
            if (content) dropReplicas(image, changes);
        }
        WritingImage.Builder started =
                WritingImage.newBuilder()
                        .setInode(inode)
                        .setGeneration(now.getGeneration())
                        .setToldUntil(now.getCtime())
                        .addWriters(caller.session());
        int stripes = Math.max(1, now.getStripeCount());
        started.addAllChains(place);
        for (int stripe = place.size(); stripe < stripes; stripe++) {
            started.addChains(chain(caller, now, stripe, started.getChainsList(), changes));
        }
        if (stripes == 1 && mayBeMadeOf(wish, caller, now, started.getChains(0))) {
            started.setStaged(wish.getStaged());
        }
        changes.add(FileChanges.writing(started.build()));
        return changes;
    }

    /** A staged file lies at the head of the chain of an object that nobody has yet. */
    private boolean mayBeMadeOf(
            OpenRequest wish, Caller caller, InodeImage image, WritingChain chain) {
        return wish.getStaged() != 0
                && chain.getNodesCount() > 0
                && chain.getNodes(0).equals(caller.attachedNode())
                && !hasContent(image);
    }

    private boolean hasContent(InodeImage image) {
        if (image.getSize() > 0) return true;
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            if (!state.rows(image.getInode(), stripe, image.getGeneration()).isEmpty()) return true;
        }
        return false;
    }

    /**
     * Rows of this generation go; the nodes are told to delete what they hold when that is durable.
     */
    private void dropReplicas(InodeImage image, List<Change> changes) {
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            for (ReplicaImage row : state.rows(image.getInode(), stripe, image.getGeneration())) {
                changes.add(FileChanges.gone(row));
            }
        }
    }

    private WritingChain chain(
            Caller caller,
            InodeImage image,
            int stripe,
            List<WritingChain> others,
            List<Change> changes) {
        long inode = image.getInode();
        List<ReplicaImage> rows =
                changes.stream().anyMatch(c -> c.hasReplicaGone())
                        ? List.of()
                        : state.rows(inode, stripe, image.getGeneration());
        List<String> members = new ArrayList<>();
        List<ReplicaImage> away = new ArrayList<>();
        for (ReplicaImage row : rows) {
            boolean lost = row.getState() == ReplicaState.LOST; // and may be found again
            if (row.getState() != ReplicaState.VALID && !lost) continue;
            if (lost || !state.isReadable(row.getNode())) away.add(row);
            else if (row.getNode().equals(caller.attachedNode())) members.addFirst(row.getNode());
            else members.add(row.getNode());
        }
        boolean hasContent =
                !rows.isEmpty()
                        && state.hasContent(Layouts.object(inode, stripe, image.getGeneration()));
        if (members.isEmpty() && (hasContent || !away.isEmpty())) {
            throw new FarmException(
                    ErrorKind.DATA_UNAVAILABLE,
                    "open",
                    Long.toHexString(inode),
                    "no node that holds its content can be reached");
        }
        if (members.isEmpty()) {
            members.addAll(
                    choice.choose(
                            image,
                            stripe,
                            state.level(image),
                            ChainChoice.Beside.of(caller.attachedNode()),
                            Set.of(),
                            others));
        }
        // What misses the coming writes must never be read again, so it is stale before they begin.
        for (ReplicaImage row : away) {
            changes.add(
                    Change.newBuilder()
                            .setReplica(row.toBuilder().setState(ReplicaState.STALE))
                            .build());
        }
        return WritingChain.newBuilder().setStripe(stripe).addAllNodes(members).build();
    }

    /** The content as it stands on its chains: what the commit says becomes the inode's. */
    Attributes commit(Caller caller, Credentials who, MutateRequest request) {
        CommitContent commit = request.getCommit();
        List<Change> changes = new ArrayList<>(state.decide(request, who, opens).changes());
        OpenFiles.Handle handle = opens.find(commit.getHandle());
        Writing record = state.record(commit.getInode());
        if (handle == null || handle.session() != caller.session() || record == null) {
            throw new FarmException(
                    ErrorKind.BAD_HANDLE, "commit", Long.toHexString(commit.getInode()));
        }
        if (opens.isOvertaken(commit.getInode(), handle.session(), commit.getSeen())) {
            throw new FarmException(
                    ErrorKind.STALE,
                    "commit",
                    Long.toHexString(commit.getInode()),
                    "another client has committed since its size was asked for");
        }
        InodeImage image = state.image(commit.getInode());
        Writing committed = record.committed(commit.getObjectsList());
        boolean ends =
                commit.getClose()
                        && !committed.now().getUnsettled()
                        && !committed.isBetweenChains()
                        && !isWrittenBesides(handle)
                        && !isToBeReclaimed(committed.now(), handle.session());
        changes.addAll((ends ? committed.ended() : committed).changes());
        // What was written is there: it counts, and is not refused any more.
        List<Change> graces = state.withinQuotas(changes, Credentials.getDefaultInstance());
        leader.change(changes, caller.session());
        leader.change(graces, 0);
        long version = state.image(commit.getInode()).getVersion();
        opens.committed(commit.getInode(), handle.session(), version);
        if (commit.getClose()) {
            opens.close(handle.handle());
            if (!ends) writerLeft(image.getInode(), handle.session(), true);
            reapIfOrphan(image.getInode());
        }
        return state.exists(image.getInode())
                ? state.attributes(image.getInode())
                : Attributes.newBuilder().setInode(image.getInode()).build();
    }

    private boolean isWrittenBesides(OpenFiles.Handle handle) {
        return opens.handles(handle.inode()).stream()
                .anyMatch(h -> h.write() && h.handle() != handle.handle());
    }

    /**
     * Gives up a handle without committing anything; true if that changed something.
     *
     * @param settled nothing was changed through it since the last commit. Else the members of the
     *     chain may hold what nobody was told of, each of them something else
     */
    boolean close(long session, long handleId, boolean settled) {
        OpenFiles.Handle handle = opens.find(handleId);
        if (handle == null || handle.session() != session) return false;
        opens.close(handleId);
        boolean changed = handle.write() && writerLeft(handle.inode(), session, settled);
        return reapIfOrphan(handle.inode()) || changed;
    }

    private boolean writerLeft(long inode, long session, boolean settled) {
        Writing record = state.record(inode);
        if (record == null) return false;
        WritingImage writing = record.now();
        if (isWrittenWithout(writing, session)) {
            return writersLeft(
                    inode, s -> s == session && !opens.writers(inode).contains(s), settled);
        }
        if (!settled || writing.getUnsettled() || record.isBetweenChains()) {
            seal.accept(inode);
            return false; // the file is still noted as written
        }
        leader.change(record.ended().changes(), session);
        return true;
    }

    /** Somebody has it open for writing, or another writer may not have come to this leader yet. */
    boolean isWrittenWithout(WritingImage writing, long session) {
        return opens.isWritten(writing.getInode()) || isToBeReclaimed(writing, session);
    }

    private boolean isToBeReclaimed(WritingImage writing, long session) {
        return leader.inGrace() && writing.getWritersList().stream().anyMatch(s -> s != session);
    }

    /**
     * Some sessions write no more, and others do; true if that changed something.
     *
     * @param settled nothing is left of what they changed that no commit told of
     */
    boolean writersLeft(long inode, LongPredicate gone, boolean settled) {
        Writing record = state.record(inode);
        if (record == null) return false;
        List<Change> changes = record.writersLeft(gone, settled).changes();
        leader.change(changes, 0);
        return !changes.isEmpty();
    }

    /** A file without a name ends with its last close. */
    public boolean reapIfOrphan(long inode) {
        if (!state.isOrphan(inode) || opens.isOpen(inode) || !state.exists(inode)) return false;
        List<Change> changes = new ArrayList<>();
        for (ReplicaImage row : state.allRows(inode)) changes.add(FileChanges.gone(row));
        WritingImage writing = state.writing(inode);
        if (writing != null) {
            changes.addAll(FileChanges.joiningGone(writing));
            changes.add(FileChanges.writingEnds(inode));
        }
        changes.add(Change.newBuilder().setInodeGone(inode).build());
        changes.add(Change.newBuilder().setOrphanGone(inode).build());
        leader.change(changes, 0);
        return true;
    }

    /** Establishes again, at a new leader, what the client had open at the former one. */
    void reclaim(
            Caller caller,
            Credentials who,
            OpenRequest wish,
            long inode,
            int generation,
            Runnable opened) {
        InodeImage image = state.image(inode);
        WritingImage writing = state.writing(inode);
        if (wish.getWrite()) {
            boolean mine = writing != null && writing.getWritersList().contains(caller.session());
            if (!mine || image.getGeneration() != generation) {
                throw new FarmException(
                        ErrorKind.WRONG_GENERATION,
                        "reclaim",
                        Long.toHexString(inode),
                        "the file was sealed or rewritten meanwhile");
            }
        }
        requireRoom(caller, wish, "open");
        open(caller, who, inode, wish, List.of(), true, opened);
    }
}
