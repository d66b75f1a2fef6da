package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.metaserver.quota.Quotas;
import org.gridfarm.metaserver.replica.FileChanges;
import org.gridfarm.metaserver.replica.Files;
import org.gridfarm.metaserver.replica.NodeFacts;
import org.gridfarm.metaserver.replica.NodeState;
import org.gridfarm.metaserver.replica.NodeTable;
import org.gridfarm.metaserver.replica.ReplicaMap;
import org.gridfarm.metaserver.replica.Room;
import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.session.Delegations;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.metaserver.session.Outcomes;
import org.gridfarm.metaserver.session.Owners;
import org.gridfarm.namespace.Content;
import org.gridfarm.namespace.Context;
import org.gridfarm.namespace.Decision;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.namespace.Resolved;
import org.gridfarm.namespace.Visited;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.ReadDirectoryReply;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.ResolveReply;
import org.gridfarm.protocol.wire.SettingImage;
import org.gridfarm.protocol.wire.StatFsReply;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Everything that changes make up, in memory: the namespace, where content lies, who writes what,
 * the nodes, settings and outcomes. The same at the leader, at caches and while loading. Owned by
 * one thread at a time.
 */
public final class FarmState {
    /** For statfs only: what the heap of a large server holds. */
    private static final long INODES_MAX = 1_000_000_000L;

    /** The setting that holds, as decimal text, below which inode numbers were given out. */
    static final String SETTING_NUMBERS = "inode-numbers";

    private final Clock clock;
    private final Entropy entropy;
    private final NodeTable nodes;
    private final Outcomes outcomes = new Outcomes();
    private final Owners owners = new Owners();
    private final Delegations delegations = new Delegations();
    private final LongMap<WritingImage> writing = new LongMap<>();
    private final Map<String, ByteString> settings = new HashMap<>();
    private final Quotas quotas = new Quotas();
    private Namespace namespace = new Namespace();
    private ReplicaMap replicas = noReplicas();
    private long nextInode = 2;
    private long lastNow;

    public FarmState(Clock clock, Entropy entropy, long repairAfterNanos) {
        this.clock = clock;
        this.entropy = entropy;
        this.nodes = new NodeTable(ServerLimits.NODE_LEASE, Duration.ofNanos(repairAfterNanos));
    }

    private ReplicaMap noReplicas() {
        return new ReplicaMap(files());
    }

    /** What the planner of copies asks about files. */
    public Files files() {
        return new Files() {
            @Override
            public @Nullable Content content(long inode) {
                return namespace.content(inode);
            }

            @Override
            public boolean isWritten(long inode) {
                return writing.get(inode) != null;
            }

            @Override
            public String name(long inode) {
                return namespace.exists(inode) ? namespace.path(inode) : "a file that is gone";
            }
        };
    }

    // ---- changes ----------------------------------------------------------------------------

    public void apply(ChangeBatch batch) {
        for (Change change : batch.getChangesList()) apply(change);
        for (Outcome outcome : batch.getOutcomesList()) outcomes.add(outcome, batch.getSequence());
    }

    /** A row while loading; order within a kind does not matter. {@link #loaded} comes last. */
    public void load(Change change) {
        if (change.hasQuota()) quotas.apply(change, namespace);
        take(change);
    }

    public void load(ChangeBatch batch) {
        for (Change change : batch.getChangesList()) load(change);
        for (Outcome outcome : batch.getOutcomesList()) outcomes.add(outcome, batch.getSequence());
    }

    /** Directories may have come after what they hold: only now is it known what trees use. */
    public void loaded() {
        quotas.recount(namespace);
    }

    public void apply(Change change) {
        quotas.apply(change, namespace);
        take(change);
        if (change.hasSetting()
                && change.getSetting().getKey().equals(Namespace.SETTING_REPLICAS)) {
            quotas.recount(namespace); // every file without a level of its own has other copies
        }
    }

    private void take(Change change) {
        switch (change.getChangeCase()) {
            case INODE, INODE_GONE, DIRENT, DIRENT_GONE, XATTR, XATTR_GONE, ORPHAN, ORPHAN_GONE -> {
                if (change.hasInode())
                    nextInode = Math.max(nextInode, change.getInode().getInode() + 1);
                if (change.hasInodeGone()) {
                    writing.remove(change.getInodeGone());
                    delegations.remove(change.getInodeGone());
                }
                namespace.apply(change);
                replicas.apply(change);
            }
            case REPLICA, REPLICA_GONE -> replicas.apply(change);
            case NODE -> {
                nodes.apply(change);
                replicas.nodeStands(change.getNode().getName(), change.getNode().getGroup());
            }
            case NODE_GONE -> {
                nodes.apply(change);
                replicas.nodeIs(change.getNodeGone(), NodeState.REMOVED);
            }
            case WRITING -> {
                WritingImage image = change.getWriting();
                if (image.getGone()) writing.remove(image.getInode());
                else writing.put(image.getInode(), image);
                replicas.touched(image.getInode());
            }
            case SETTING -> {
                settings.put(change.getSetting().getKey(), change.getSetting().getValue());
                if (change.getSetting().getKey().equals(SETTING_NUMBERS)) {
                    inodesBelow(Long.parseLong(change.getSetting().getValue().toStringUtf8()));
                }
                int before = namespace.defaultReplicas();
                namespace.apply(change);
                if (namespace.defaultReplicas() != before) replicas.allTouched();
            }
            case SESSION_GONE -> outcomes.forget(change.getSessionGone());
            case SESSION -> owners.apply(change.getSession());
            case DELEGATION -> delegations.apply(change.getDelegation());
            case QUOTA, ACCOUNT -> {} // quotas have been told before
            case CHANGE_NOT_SET ->
                    throw new IllegalStateException(
                            "a change of a kind this program does not know");
        }
    }

    public void clear() {
        namespace = new Namespace();
        replicas = noReplicas();
        nodes.clear();
        outcomes.clear();
        owners.clear();
        delegations.clear();
        writing.clear();
        settings.clear();
        quotas.clear();
        nextInode = 2;
    }

    /** What there is little of, as changes: settings, quotas, nodes, whose sessions are. */
    public void exportFew(Consumer<Change> sink) {
        settings.forEach((key, value) ->
                sink.accept(
                        Change.newBuilder()
                                .setSetting(SettingImage.newBuilder().setKey(key).setValue(value))
                                .build()));
        for (QuotaImage quota : quotas.limits()) {
            sink.accept(Change.newBuilder().setQuota(quota).build());
        }
        for (String name : nodes.names()) {
            NodeImage image = nodes.image(name);
            if (image != null) sink.accept(Change.newBuilder().setNode(image).build());
        }
        owners.images().forEach(sink);
        delegations.images().forEach(sink);
    }

    // ---- deciding ---------------------------------------------------------------------------

    /**
     * What a session has decided beside the command itself: the leader comes to the same with it.
     *
     * @param inode number of what the command makes; one of those that were {@linkplain
     *     #moreNumbers set aside}
     * @param time of the change, nanoseconds since 1970
     */
    public record Decided(long inode, long time) {}

    /** What the command changes; throws the refusal. */
    public Decision.Accepted decide(MutateRequest request, Credentials who, OpenFiles opens) {
        return decide(request, who, opens, null);
    }

    /**
     * @param decided by the session that the place of the change is delegated to; null: nothing is
     */
    public Decision.Accepted decide(
            MutateRequest request, Credentials who, OpenFiles opens, @Nullable Decided decided) {
        if (decided != null) {
            lastNow = Math.max(lastNow, Math.min(decided.time, clock.epochNanos()));
        }
        Decision decision =
                namespace.decide(
                        request,
                        who,
                        new Context() {
                            @Override
                            public long now() {
                                return decided == null ? nowNanos() : decided.time;
                            }

                            @Override
                            public long nextInode() {
                                if (decided == null) return nextInode++;
                                requireSetAside(decided.inode, request);
                                return decided.inode;
                            }

                            @Override
                            public boolean isOpen(long inode) {
                                return opens.isOpen(inode);
                            }

                            @Override
                            public boolean mayWrite(long session, long handle, long inode) {
                                OpenFiles.Handle open = opens.find(handle);
                                return open != null
                                        && open.session() == session
                                        && open.inode() == inode
                                        && open.write();
                            }

                            @Override
                            public boolean isWriting(long session, long inode) {
                                return opens.writers(inode).contains(session);
                            }
                        });
        return switch (decision) {
            case Decision.Accepted accepted -> withCopies(accepted);
            case Decision.Refused refused -> throw refused.failure();
        };
    }

    private void requireSetAside(long inode, MutateRequest request) {
        if (inode <= Namespace.ROOT || inode >= nextInode || exists(inode)) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    Namespace.operation(request),
                    Long.toHexString(inode),
                    "that inode number was not set aside, or is in use");
        }
    }

    /** Sets so many numbers aside; they are whose they are once the change is durable. */
    public Change moreNumbers(int count) {
        return Change.newBuilder()
                .setSetting(
                        SettingImage.newBuilder()
                                .setKey(SETTING_NUMBERS)
                                .setValue(
                                        ByteString.copyFromUtf8(Long.toString(nextInode + count))))
                .build();
    }

    /** The number that would be given out next. */
    public long nextNumber() {
        return nextInode;
    }

    public Delegations delegations() {
        return delegations;
    }

    /**
     * The delegated directory by which a session decides about the inode: itself, or the one that a
     * file lies in; 0: none.
     */
    public long delegatedBy(long inode) {
        if (delegations.size() == 0) return 0;
        long directory = namespace.homeOf(inode);
        return directory != 0 && delegations.of(directory) != 0 ? directory : 0;
    }

    /** The same where it is another session that decides; else 0. */
    public long delegatedToOther(long session, long inode) {
        long directory = delegatedBy(inode);
        return directory != 0 && delegations.of(directory) != session ? directory : 0;
    }

    /** The copies of a file that goes go with it, one by one: the nodes are told to delete them. */
    private Decision.Accepted withCopies(Decision.Accepted accepted) {
        if (accepted.changes().stream().noneMatch(Change::hasInodeGone)) return accepted;
        List<Change> changes = new ArrayList<>();
        for (Change change : accepted.changes()) {
            if (change.hasInodeGone()) {
                for (ReplicaImage row : allRows(change.getInodeGone())) {
                    changes.add(FileChanges.gone(row));
                }
            }
            changes.add(change);
        }
        return new Decision.Accepted(
                changes,
                accepted.inode(),
                accepted.parent(),
                accepted.otherParent(),
                accepted.created());
    }

    /** Inode numbers below this were used before. */
    public void inodesBelow(long next) {
        nextInode = Math.max(nextInode, next);
    }

    /** Nanoseconds since 1970, never going back within one leader's time. */
    public long nowNanos() {
        lastNow = Math.max(lastNow + 1, clock.epochNanos());
        return lastNow;
    }

    public long monotonicNanos() {
        return clock.nanoTime();
    }

    public Entropy entropy() {
        return entropy;
    }

    /**
     * Refuses what a quota does not permit.
     *
     * @return what is to be changed with it: times of grace that begin or end
     */
    public List<Change> withinQuotas(List<Change> changes, Credentials who) {
        return quotas.check(changes, who, nowNanos(), namespace);
    }

    // ---- looking ----------------------------------------------------------------------------

    public Quotas quotas() {
        return quotas;
    }

    public Namespace namespace() {
        return namespace;
    }

    public boolean exists(long inode) {
        return namespace.exists(inode);
    }

    /** Whether the number was ever given out. */
    public boolean wasInode(long inode) {
        return inode > 0 && inode < nextInode;
    }

    public long inodes() {
        return namespace.inodeCount();
    }

    /** Refuses with STALE what is gone. */
    public InodeImage image(long inode) {
        return namespace.image(inode);
    }

    /** Refuses with STALE what is gone: NOT_FOUND is said of names. */
    public Attributes attributes(long inode) {
        return marked(namespace.attributes(inode).build());
    }

    /** With what the namespace does not know: that somebody writes. */
    public Attributes marked(Attributes attributes) {
        WritingImage image = writing.size() > 0 ? writing.get(attributes.getInode()) : null;
        // What has only still to be sealed is as it was committed.
        return image == null || image.getWritersCount() == 0
                ? attributes
                : attributes.toBuilder()
                        .setWriting(true)
                        .setToldUntil(image.getToldUntil())
                        .build();
    }

    public @Nullable WritingImage writing(long inode) {
        return writing.get(inode);
    }

    /** What may become of a file that is noted as written. */
    public @Nullable Writing record(long inode) {
        WritingImage noted = writing.get(inode);
        return noted == null || !exists(inode) ? null : record(noted);
    }

    /** The same, of a record that was noted or is about to be; the file exists. */
    public Writing record(WritingImage noted) {
        InodeImage image = image(noted.getInode());
        long inode = noted.getInode();
        return Writing.of(image, noted, stripe -> rows(inode, stripe, image.getGeneration()));
    }

    public long[] writtenInodes() {
        return writing.keys();
    }

    public boolean isOrphan(long inode) {
        return namespace.isOrphan(inode);
    }

    public long[] orphans() {
        return namespace.orphans();
    }

    public Outcomes outcomes() {
        return outcomes;
    }

    public Owners owners() {
        return owners;
    }

    public @Nullable ByteString setting(String key) {
        return settings.get(key);
    }

    public NodeTable nodes() {
        return nodes;
    }

    public ReplicaMap replicas() {
        return replicas;
    }

    public @Nullable Attributes lookup(Credentials who, long parent, ByteString name) {
        Attributes.Builder found = namespace.lookup(parent, name, who);
        return found == null ? null : marked(found.build());
    }

    public boolean isEmptyDirectory(long inode) {
        return namespace.isEmptyDirectory(inode);
    }

    public ResolveReply.Builder resolve(
            ReadScope scope, Credentials who, long start, ByteString path, boolean followLast) {
        Resolved end =
                namespace.resolve(
                        start == 0 ? Namespace.ROOT : start,
                        path,
                        followLast,
                        who,
                        new Visited() {
                            @Override
                            public void entry(long directory, ByteString name) {
                                scope.readsEntry(directory, name);
                            }

                            @Override
                            public void inode(long inode) {
                                scope.readsAttributes(inode);
                            }
                        });
        ResolveReply.Builder reply =
                ResolveReply.newBuilder().setParent(end.parent()).setLastName(end.lastName());
        if (end.inode() != 0) reply.setFound(true).setAttributes(attributes(end.inode()));
        return reply;
    }

    public ReadDirectoryReply.Builder list(
            Credentials who, long inode, long cookie, int limit, boolean withAttributes) {
        ReadDirectoryReply.Builder page = namespace.list(inode, cookie, limit, withAttributes, who);
        if (withAttributes && writing.size() > 0) {
            for (DirectoryEntry.Builder entry : page.getEntriesBuilderList()) {
                if (entry.hasAttributes()) entry.setAttributes(marked(entry.getAttributes()));
            }
        }
        return page;
    }

    public boolean mayRead(Credentials who, long inode) {
        return namespace.may(inode, 4, who);
    }

    /** Refuses with ACCESS_DENIED: 4 read, 2 write, 1 execute. */
    public void requireAccess(Credentials who, long inode, int wanted, String operation) {
        if (!namespace.may(inode, wanted, who)) {
            throw new FarmException(ErrorKind.ACCESS_DENIED, operation, Long.toHexString(inode));
        }
    }

    public String path(long inode) {
        return namespace.path(inode);
    }

    /**
     * What the nodes that can be reached have, divided by the copies that a new file gets. Only
     * what nodes that take new copies have is available, and no more than lies on so many different
     * nodes.
     */
    public StatFsReply statFs(long inode) {
        long now = monotonicNanos();
        long total = 0;
        long free = 0;
        List<Long> rooms = new ArrayList<>();
        for (NodeFacts node : nodes.facts(now)) {
            if (!node.state().isReadable()) continue;
            total += node.capacity();
            free += Math.max(0, node.capacity() - nodes.lastHeartbeat(node.name()).getUsed());
            if (node.state().takesNew()) rooms.add(node.available());
        }
        int level = level(image(inode));
        return StatFsReply.newBuilder()
                .setTotal(total / level)
                .setFree(free / level)
                .setAvailable(Room.available(rooms, level))
                .setInodes(INODES_MAX)
                .setInodesFree(INODES_MAX - inodes())
                .setLevel(level)
                .build();
    }

    // ---- replicas ---------------------------------------------------------------------------

    public List<ReplicaImage> rows(long inode, int stripe, int generation) {
        return replicas.rows(inode, stripe, generation);
    }

    public @Nullable ReplicaImage rowOf(String node, ObjectId object) {
        for (ReplicaImage row :
                rows(object.getInode(), object.getStripe(), object.getGeneration())) {
            if (row.getNode().equals(node)) return row;
        }
        return null;
    }

    /** Rows of other generations than this. */
    List<ReplicaImage> olderRows(long inode, int generation) {
        List<ReplicaImage> older = new ArrayList<>();
        for (ReplicaImage row : replicas.rows(inode)) {
            if (row.getGeneration() != generation) older.add(row);
        }
        return older;
    }

    /** All rows of an inode. */
    public List<ReplicaImage> allRows(long inode) {
        return replicas.rows(inode);
    }

    public List<ReplicaImage> heldBy(String node) {
        List<ReplicaImage> held = new ArrayList<>();
        replicas.inodesAt(
                node,
                0,
                inode -> {
                    for (ReplicaImage row : replicas.rows(inode)) {
                        if (row.getNode().equals(node)) held.add(row);
                    }
                    return true;
                });
        return held;
    }

    public boolean isReadable(String node) {
        return nodes.state(node, clock.nanoTime()).isReadable();
    }

    public String addressOf(String node) {
        NodeImage known = nodes.image(node);
        return known == null ? "" : known.getAddress();
    }

    public int liveCopies(InodeImage image) {
        int least = Integer.MAX_VALUE;
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            List<ReplicaImage> rows = rows(image.getInode(), stripe, image.getGeneration());
            if (rows.isEmpty() && image.getStripeCount() > 1) continue; // never written to
            int live = 0;
            for (ReplicaImage row : rows) {
                if (row.getState() == ReplicaState.VALID && isReadable(row.getNode())) live++;
            }
            least = Math.min(least, live);
        }
        return least == Integer.MAX_VALUE ? level(image) : least;
    }

    /** Bytes were committed of the object, whether a good copy of them is left or not. */
    public boolean hasContent(ObjectId object) {
        return Writing.isPromised(
                image(object.getInode()),
                rows(object.getInode(), object.getStripe(), object.getGeneration()));
    }

    /**
     * No copy of what the object belongs to can be read now: whatever a node has of it, under
     * whichever generation, may be all that is left.
     */
    public boolean isLastHope(ObjectId object) {
        long inode = object.getInode();
        if (!exists(inode) || image(inode).getSize() == 0) return false;
        boolean content = false;
        for (ReplicaImage row : rows(inode, object.getStripe(), image(inode).getGeneration())) {
            switch (row.getState()) {
                case VALID -> {
                    if (isReadable(row.getNode())) return false;
                    content = true;
                }
                case LOST, CORRUPT -> content = true;
                default -> {}
            }
        }
        return content;
    }

    public int goodCopiesElsewhere(ReplicaImage row) {
        int good = 0;
        for (ReplicaImage other : rows(row.getInode(), row.getStripe(), row.getGeneration())) {
            if (!other.getNode().equals(row.getNode())
                    && other.getState() == ReplicaState.VALID
                    && isReadable(other.getNode())) {
                good++;
            }
        }
        return good;
    }

    /** Copies wanted of the file: its own level, or one. */
    public int level(InodeImage image) {
        return Math.max(
                1, image.getReplicas() > 0 ? image.getReplicas() : namespace.defaultReplicas());
    }
}
