package org.gridfarm.metaserver.commit;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.AccountImage;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DelegationImage;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.SessionImage;
import org.gridfarm.protocol.wire.SettingImage;
import org.gridfarm.protocol.wire.WritingImage;
import org.gridfarm.protocol.wire.XattrImage;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a run of batches comes to: the last image of every row they touched, or its absence. A
 * thousand creates in one directory are one update of that directory; a temporary file is nothing
 * but a delete. Keys are sorted, so that the tables' indexes are walked once.
 *
 * <p>Pure; owned by whoever folds.
 */
public final class Fold {
    /** Keys of rows with a byte name: directory entries and extended attributes. */
    public record NamedKey(long inode, ByteString name) implements Comparable<NamedKey> {
        @Override
        public int compareTo(NamedKey other) {
            int byInode = Long.compare(inode, other.inode);
            return byInode != 0
                    ? byInode
                    : ByteString.unsignedLexicographicalComparator().compare(name, other.name);
        }
    }

    /** Key of a replica row. */
    public record ReplicaRow(long inode, int stripe, int generation, String node)
            implements Comparable<ReplicaRow> {
        @Override
        public int compareTo(ReplicaRow other) {
            int order = Long.compare(inode, other.inode);
            if (order == 0) order = Integer.compare(stripe, other.stripe);
            if (order == 0) order = Integer.compareUnsigned(generation, other.generation);
            return order != 0 ? order : node.compareTo(other.node);
        }
    }

    /** Key of a quota or account row. */
    public record KindKey(String kind, long id) {}

    /** Key of an outcome. */
    public record OutcomeKey(long session, long sequence) {}

    private final TreeMap<Long, Optional<InodeImage>> inodes = new TreeMap<>();
    private final TreeMap<NamedKey, Optional<DirentImage>> dirents = new TreeMap<>();
    private final TreeMap<NamedKey, Optional<XattrImage>> xattrs = new TreeMap<>();
    private final TreeMap<ReplicaRow, Optional<ReplicaImage>> replicas = new TreeMap<>();
    private final Map<String, Optional<NodeImage>> nodes = new HashMap<>();
    private final Map<KindKey, QuotaImage> quotas = new HashMap<>();
    private final Map<KindKey, AccountImage> accounts = new HashMap<>();
    private final Map<String, SettingImage> settings = new HashMap<>();
    private final TreeMap<Long, Boolean> orphans = new TreeMap<>();
    private final TreeMap<Long, Optional<WritingImage>> writing = new TreeMap<>();
    private final TreeMap<Long, Optional<SessionImage>> sessions = new TreeMap<>();
    private final TreeMap<Long, Optional<DelegationImage>> delegations = new TreeMap<>();
    private final Map<OutcomeKey, Outcome> outcomes = new HashMap<>();
    private final Map<Long, Long> settled = new HashMap<>();
    private final Set<Long> inodesGone = new HashSet<>();
    private final Set<Long> sessionsGone = new HashSet<>();
    private long sequence;
    private long first;
    private long inodeMax;
    private int changes;
    private long bytes;

    /** Adds a batch; batches come in order. */
    public void add(ChangeBatch batch) {
        for (Change change : batch.getChangesList()) {
            add(change);
        }
        for (Outcome outcome : batch.getOutcomesList()) {
            outcomes.put(new OutcomeKey(outcome.getSession(), outcome.getSequence()), outcome);
            settled.merge(outcome.getSession(), outcome.getSettled(), Math::max);
        }
        if (isEmpty()) first = batch.getSequence();
        sequence = batch.getSequence();
        changes += batch.getChangesCount() + batch.getOutcomesCount();
        bytes += batch.getSerializedSize();
    }

    private void add(Change change) {
        switch (change.getChangeCase()) {
            case INODE -> {
                InodeImage image = change.getInode();
                inodes.put(image.getInode(), Optional.of(image));
                inodeMax = Math.max(inodeMax, image.getInode());
            }
            case INODE_GONE -> {
                long inode = change.getInodeGone();
                inodes.put(inode, Optional.empty());
                inodesGone.add(inode);
                NamedKey from = new NamedKey(inode, ByteString.EMPTY);
                xattrs.subMap(from, new NamedKey(inode + 1, ByteString.EMPTY)).clear();
            }
            case DIRENT -> {
                DirentImage image = change.getDirent();
                dirents.put(new NamedKey(image.getParent(), image.getName()), Optional.of(image));
            }
            case DIRENT_GONE ->
                    dirents.put(
                            new NamedKey(
                                    change.getDirentGone().getParent(),
                                    change.getDirentGone().getName()),
                            Optional.empty());
            case XATTR -> {
                XattrImage image = change.getXattr();
                xattrs.put(new NamedKey(image.getInode(), image.getName()), Optional.of(image));
            }
            case XATTR_GONE ->
                    xattrs.put(
                            new NamedKey(
                                    change.getXattrGone().getInode(),
                                    change.getXattrGone().getName()),
                            Optional.empty());
            case REPLICA -> {
                ReplicaImage r = change.getReplica();
                replicas.put(
                        new ReplicaRow(r.getInode(), r.getStripe(), r.getGeneration(), r.getNode()),
                        Optional.of(r));
            }
            case REPLICA_GONE -> {
                var r = change.getReplicaGone();
                replicas.put(
                        new ReplicaRow(r.getInode(), r.getStripe(), r.getGeneration(), r.getNode()),
                        Optional.empty());
            }
            case NODE -> nodes.put(change.getNode().getName(), Optional.of(change.getNode()));
            case NODE_GONE -> nodes.put(change.getNodeGone(), Optional.empty());
            case QUOTA ->
                    quotas.put(
                            new KindKey(change.getQuota().getKind(), change.getQuota().getId()),
                            change.getQuota());
            case SETTING -> settings.put(change.getSetting().getKey(), change.getSetting());
            case ORPHAN -> orphans.put(change.getOrphan(), true);
            case ORPHAN_GONE -> orphans.put(change.getOrphanGone(), false);
            case SESSION_GONE -> {
                long session = change.getSessionGone();
                outcomes.keySet().removeIf(key -> key.session() == session);
                settled.remove(session);
                sessionsGone.add(session);
            }
            case ACCOUNT ->
                    accounts.put(
                            new KindKey(
                                    change.getAccount().getKind(),
                                    Integer.toUnsignedLong(change.getAccount().getId())),
                            change.getAccount());
            case WRITING -> {
                WritingImage image = change.getWriting();
                writing.put(
                        image.getInode(), image.getGone() ? Optional.empty() : Optional.of(image));
            }
            case SESSION -> {
                SessionImage image = change.getSession();
                sessions.put(
                        image.getSession(),
                        image.getGone() ? Optional.empty() : Optional.of(image));
            }
            case DELEGATION -> {
                DelegationImage image = change.getDelegation();
                delegations.put(
                        image.getDirectory(),
                        image.getGone() ? Optional.empty() : Optional.of(image));
            }
            case CHANGE_NOT_SET ->
                    throw new IllegalStateException(
                            "a change of a kind this program does not know");
        }
    }

    public boolean isEmpty() {
        return sequence == 0;
    }

    /** Changes added, before coalescing. */
    public int changes() {
        return changes;
    }

    /** Bytes added, before coalescing. */
    public long bytes() {
        return bytes;
    }

    /** The first batch added. */
    public long first() {
        return first;
    }

    /** The last batch added. */
    public long sequence() {
        return sequence;
    }

    /** The highest inode number seen, 0 if none. */
    public long inodeMax() {
        return inodeMax;
    }

    public TreeMap<Long, Optional<InodeImage>> inodes() {
        return inodes;
    }

    /** Inodes that ended within the fold, also if the number has an image again. */
    public Set<Long> inodesGone() {
        return inodesGone;
    }

    public TreeMap<NamedKey, Optional<DirentImage>> dirents() {
        return dirents;
    }

    public TreeMap<NamedKey, Optional<XattrImage>> xattrs() {
        return xattrs;
    }

    public TreeMap<ReplicaRow, Optional<ReplicaImage>> replicas() {
        return replicas;
    }

    public Map<String, Optional<NodeImage>> nodes() {
        return nodes;
    }

    public Map<KindKey, QuotaImage> quotas() {
        return quotas;
    }

    public Map<KindKey, AccountImage> accounts() {
        return accounts;
    }

    public Map<String, SettingImage> settings() {
        return settings;
    }

    /** True: is an orphan; false: no longer. */
    public TreeMap<Long, Boolean> orphans() {
        return orphans;
    }

    public TreeMap<Long, Optional<WritingImage>> writing() {
        return writing;
    }

    public TreeMap<Long, Optional<SessionImage>> sessions() {
        return sessions;
    }

    public TreeMap<Long, Optional<DelegationImage>> delegations() {
        return delegations;
    }

    public Map<OutcomeKey, Outcome> outcomes() {
        return outcomes;
    }

    /** Per session the sequence below which it has every answer: older outcomes are dropped. */
    public Map<Long, Long> settled() {
        return settled;
    }

    public Set<Long> sessionsGone() {
        return sessionsGone;
    }
}
