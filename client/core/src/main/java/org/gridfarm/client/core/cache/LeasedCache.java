package org.gridfarm.client.core.cache;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/**
 * The client's cache of the namespace, bounded in bytes; what was used least recently of its shard
 * leaves first, from shards that have more than their share. Thread-safe: spread over shards by
 * inode number, each with its own lock, which is never held over anything foreign and never
 * together with another.
 *
 * <p>Two keys per inode: its attributes, and (a directory's) content: entries, absent names and
 * listing together.
 *
 * <p>INVARIANT: a fill with a stamp taken before a recall or a change of its key began is
 * discarded.
 */
public final class LeasedCache {
    private static final int SHARDS = 64; // a power of two; far more than threads that could meet

    private final Room room;
    private final Shard[] shards = new Shard[SHARDS];
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    /**
     * @param bytesMax what all entries together may occupy, by an estimate that errs upwards
     */
    public LeasedCache(long bytesMax) {
        room = new Room(bytesMax);
        for (int i = 0; i < SHARDS; i++) {
            shards[i] = new Shard(Math.max(1, bytesMax / SHARDS), room);
        }
    }

    /** One name of a directory, as far as it is known. */
    public enum Known {
        ABSENT
    }

    // ---- serving
    // ----------------------------------------------------------------------------------------------------------------------

    public @Nullable Attributes attributes(long inode) {
        Attributes found = shard(inode).attributes(inode);
        (found == null ? misses : hits).increment();
        return found;
    }

    /** The inode the name leads to, {@link Known#ABSENT}, or null: not known. */
    public @Nullable Object entry(long directory, Name name) {
        Object found = shard(directory).entry(directory, name);
        (found == null ? misses : hits).increment();
        return found;
    }

    /** Entries behind the cookie if the listing is known from there on; see {@link Listing}. */
    public Listing.@Nullable Page page(long directory, long cookie, int limit) {
        return shard(directory).page(directory, cookie, limit);
    }

    // ---- filling
    // ----------------------------------------------------------------------------------------------------------------------

    /** To be taken before the server is asked about the inode's attributes. */
    public long attributesStamp(long inode) {
        return shard(inode).stamp(KeyStates.attributes(inode));
    }

    /** To be taken before the server is asked about the directory's content. */
    public long contentStamp(long directory) {
        return shard(directory).stamp(KeyStates.content(directory));
    }

    /**
     * To be taken before a server is asked about an inode whose number is not known yet; holds for
     * any inode.
     */
    public long[] anyStamp() {
        return stamps(Shard::touches);
    }

    private long[] stamps(ToLongFunction<Shard> of) {
        long[] stamps = new long[SHARDS];
        for (int i = 0; i < SHARDS; i++) {
            stamps[i] = of.applyAsLong(shards[i]);
        }
        return stamps;
    }

    /** The server granted these attributes; kept unless the key was touched since the stamp. */
    public void fillAttributes(long stamp, Attributes attributes) {
        shard(attributes.getInode()).fillAttributes(stamp, attributes);
    }

    /**
     * What a change by this client has made of them, of which the servers recall nothing from it:
     * installed where they are held. {@code stamp} is of before the change.
     */
    public void changedAttributes(long stamp, Attributes now) {
        shard(now.getInode()).changedAttributes(stamp, now);
    }

    /**
     * As above, with {@link #anyStamp()}: kept unless any key of the inode's shard was touched
     * since.
     */
    public void fillAttributes(long[] stamps, Attributes attributes) {
        int index = index(attributes.getInode());
        shards[index].fillAttributesUntouched(stamps[index], attributes);
    }

    /**
     * @param inode null: the name is absent
     * @return false: touched since the stamp, so that nobody may keep it
     */
    public boolean fillEntry(long stamp, long directory, Name name, @Nullable Long inode) {
        return shard(directory)
                .fillEntry(stamp, directory, name, inode == null ? Known.ABSENT : inode);
    }

    /** The name is absent, and so is every other: the directory is empty. */
    public boolean fillEmpty(long stamp, long directory, Name name) {
        return shard(directory).fillEmpty(stamp, directory, name);
    }

    /**
     * To be taken before an inode is made, or a server is asked for a directory that nobody else is
     * to change. Nobody here can change it before the answer: it is for {@link #fillMade}, {@link
     * #fillBorn} and {@link #fillGiven}, which recalls of the same key alone keep from it.
     */
    public long[] madeStamp() {
        return stamps(Shard::recalls);
    }

    /** Attributes of what has just been made and is held. */
    public void fillMade(long[] stamps, Attributes attributes) {
        int index = index(attributes.getInode());
        shards[index].fillMade(stamps[index], attributes);
    }

    /** The directory has just been made, is empty, and is held. */
    public void fillBorn(long[] stamps, long directory) {
        int index = index(directory);
        shards[index].fillBorn(stamps[index], directory);
    }

    /**
     * The directory is held, and has these entries. A change of it by this client may be under way:
     * it brings its own entry and the directory's attributes up to date when it is over.
     *
     * @param stamps from {@link #madeStamp}, of before the server was asked
     */
    public void fillGiven(long[] stamps, Attributes directory, Map<Name, Long> entries) {
        int index = index(directory.getInode());
        shards[index].fillGiven(stamps[index], directory, entries);
    }

    /** A page that follows the cookie. Kept if it joins what is known of the listing. */
    public void fillPage(
            long stamp,
            long directory,
            long cookie,
            List<DirectoryEntry> entries,
            boolean end,
            long parent) {
        shard(directory).fillPage(stamp, directory, cookie, entries, end, parent);
    }

    // ---- own changes
    // ------------------------------------------------------------------------------------------------------------------

    /**
     * Before a change of this client is sent. Until {@link Change#done} or {@link Change#failed}
     * its keys are neither served nor filled.
     */
    public Change begin(long[] attributes, long[] directories) {
        return new Change(this, attributes, directories);
    }

    // ---- losing
    // -----------------------------------------------------------------------------------------------------------------------

    public void recallAttributes(long inode) {
        shard(inode).recall(KeyStates.attributes(inode), inode);
    }

    /**
     * Forgets the directory's content.
     *
     * @return the names that somebody above this cache may have been told of it since the recall
     *     before; null: perhaps names that are not known here any more
     */
    public @Nullable Set<Name> recallContent(long directory) {
        return shard(directory).recallContent(directory);
    }

    /**
     * The directory is held, and its next recall will name this: somebody above this cache may
     * believe of the name what he was told or did himself.
     */
    public boolean isTold(long directory, Name name) {
        return shard(directory).isTold(directory, name);
    }

    public void clear() {
        for (Shard shard : shards) {
            shard.clear();
        }
    }

    public long hits() {
        return hits.sum();
    }

    public long misses() {
        return misses.sum();
    }

    /** What is held, by the same estimate as the bound. */
    public long bytes() {
        return room.taken();
    }

    /** The caller holds the lock of none. */
    Shard shard(long inode) {
        if (room.isOver()) makeRoom();
        return shards[index(inode)];
    }

    private void makeRoom() {
        for (Shard shard : shards) shard.makeRoom();
    }

    private static int index(long inode) {
        long mixed = inode * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 58);
    }
}
