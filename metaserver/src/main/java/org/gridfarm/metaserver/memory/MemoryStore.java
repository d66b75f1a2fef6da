package org.gridfarm.metaserver.memory;

import org.gridfarm.metaserver.commit.Fold;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.protocol.wire.AccountImage;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.SettingImage;
import org.gridfarm.protocol.wire.WritingImage;
import org.gridfarm.protocol.wire.XattrImage;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Journal and tables in maps. Everything is lost with the object. Thread-safe. */
public final class MemoryStore implements JournalStore {
    private static final long INSTANCE = 1;

    private final TreeMap<Long, ChangeBatch> journal = new TreeMap<>();
    private final TreeMap<Long, InodeImage> inodes = new TreeMap<>();
    private final TreeMap<Fold.NamedKey, DirentImage> dirents = new TreeMap<>();
    private final TreeMap<Fold.NamedKey, XattrImage> xattrs = new TreeMap<>();
    private final TreeMap<Fold.ReplicaRow, ReplicaImage> replicas = new TreeMap<>();
    private final TreeMap<String, NodeImage> nodes = new TreeMap<>();
    private final Map<Fold.KindKey, QuotaImage> quotas = new HashMap<>();
    private final Map<Fold.KindKey, AccountImage> accounts = new HashMap<>();
    private final Map<String, SettingImage> settings = new HashMap<>();
    private final Set<Long> orphans = new HashSet<>();
    private final TreeMap<Long, WritingImage> writing = new TreeMap<>();
    private final Map<Fold.OutcomeKey, Outcome> outcomes = new HashMap<>();
    private long epoch;
    private long applied;
    private long nextInode = 2;

    public MemoryStore() {
        inodes.put(
                1L,
                InodeImage.newBuilder()
                        .setInode(1)
                        .setType(FileType.DIRECTORY)
                        .setMode(0755)
                        .setNlink(2)
                        .setParent(1)
                        .setVersion(1)
                        .build());
    }

    @Override
    public synchronized Claim claim(String holder) {
        return new Claim(++epoch, INSTANCE);
    }

    @Override
    public synchronized Loaded load(StateSink sink) {
        settings.values().forEach(v -> sink.change(Change.newBuilder().setSetting(v).build()));
        accounts.values().forEach(v -> sink.change(Change.newBuilder().setAccount(v).build()));
        quotas.values().forEach(v -> sink.change(Change.newBuilder().setQuota(v).build()));
        nodes.values().forEach(v -> sink.change(Change.newBuilder().setNode(v).build()));
        inodes.values().forEach(v -> sink.change(Change.newBuilder().setInode(v).build()));
        dirents.values().forEach(v -> sink.change(Change.newBuilder().setDirent(v).build()));
        xattrs.values().forEach(v -> sink.change(Change.newBuilder().setXattr(v).build()));
        replicas.values().forEach(v -> sink.change(Change.newBuilder().setReplica(v).build()));
        orphans.forEach(v -> sink.change(Change.newBuilder().setOrphan(v).build()));
        writing.values().forEach(v -> sink.change(Change.newBuilder().setWriting(v).build()));
        outcomes.values().forEach(sink::outcome);
        journal.values().forEach(sink::batch);
        return new Loaded(lastSequence(), nextInode);
    }

    private long lastSequence() {
        return journal.isEmpty() ? applied : journal.lastKey();
    }

    @Override
    public synchronized boolean tail(long afterSequence, Consumer<ChangeBatch> journalRows) {
        if (applied > afterSequence) {
            return false;
        }
        journal.tailMap(afterSequence, false).values().forEach(journalRows);
        return true;
    }

    @Override
    public synchronized boolean append(ChangeBatch batch) {
        if (batch.getEpoch() != epoch) {
            return false;
        }
        if (journal.putIfAbsent(batch.getSequence(), batch) != null) {
            throw new StoreException(
                    "journal row " + batch.getSequence() + " is there already", null);
        }
        return true;
    }

    @Override
    public synchronized long epochOf(long sequence) {
        ChangeBatch batch = journal.get(sequence);
        return batch == null ? -1 : batch.getEpoch();
    }

    @Override
    public synchronized boolean fold(Fold fold, long asEpoch) {
        if (asEpoch != epoch) {
            return false;
        }
        if (fold.sequence() <= applied) {
            return true;
        }
        Fold earlier = new Fold(); // what an earlier leader left
        journal.subMap(applied, false, fold.first(), false).values().forEach(earlier::add);
        if (!earlier.isEmpty()) {
            apply(earlier);
        }
        apply(fold);
        return true;
    }

    private void apply(Fold fold) {
        for (long inode : fold.inodesGone()) {
            inodes.remove(inode);
            writing.remove(inode);
            xattrs.keySet().removeIf(key -> key.inode() == inode);
        }
        put(inodes, fold.inodes());
        put(dirents, fold.dirents());
        put(xattrs, fold.xattrs());
        put(replicas, fold.replicas());
        put(nodes, fold.nodes());
        put(writing, fold.writing());
        fold.quotas().forEach((key, image) -> keep(quotas, key, image, image.getGone()));
        fold.accounts().forEach((key, image) -> keep(accounts, key, image, image.getGone()));
        settings.putAll(fold.settings());
        fold.orphans()
                .forEach((inode, is) -> {
                    if (is) orphans.add(inode);
                    else orphans.remove(inode);
                });
        outcomes.keySet().removeIf(key -> fold.sessionsGone().contains(key.session()));
        outcomes.putAll(fold.outcomes());
        outcomes.keySet()
                .removeIf(key -> key.sequence() <= fold.settled().getOrDefault(key.session(), 0L));
        applied = fold.sequence();
        nextInode = Math.max(nextInode, fold.inodeMax() + 1);
        journal.headMap(applied, true).clear();
    }

    private static <K, V> void put(Map<K, V> table, Map<K, Optional<V>> images) {
        images.forEach((key, image) -> {
            if (image.isPresent()) table.put(key, image.get());
            else table.remove(key);
        });
    }

    private static <K, V> void keep(Map<K, V> table, K key, V image, boolean gone) {
        if (gone) table.remove(key);
        else table.put(key, image);
    }

    @Override
    public synchronized long currentEpoch() {
        return epoch;
    }

    @Override
    public synchronized long appliedSequence() {
        return applied;
    }

    @Override
    public void close() {}
}
