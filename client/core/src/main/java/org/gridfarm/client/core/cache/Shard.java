package org.gridfarm.client.core.cache;

import io.netty.util.collection.LongObjectHashMap;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One part of the cache; every method holds its monitor. Inodes are kept in the order of their last
 * use.
 */
final class Shard {
    private final long share; // what it has in any case: a directory of many names needs more
    private final Room room;
    private final LongObjectHashMap<CachedInode> inodes = new LongObjectHashMap<>();
    private final KeyStates keys = new KeyStates();
    private final CachedInode ring = new CachedInode(0); // ring.next: least recently used
    private long touches; // recalls and changes of any key here
    private final RecentRecalls recalls = new RecentRecalls();
    private long bytes;
    private boolean evicted; // something left for want of room: what is here is not all

    Shard(long share, Room room) {
        this.share = share;
        this.room = room;
    }

    synchronized @Nullable Attributes attributes(long inode) {
        CachedInode found = inodes.get(inode);
        if (found == null
                || found.attributes == null
                || keys.pending(KeyStates.attributes(inode))) {
            return null;
        }
        used(found);
        return found.attributes;
    }

    synchronized @Nullable Object entry(long directory, Name name) {
        CachedInode found = inodes.get(directory);
        if (found == null || keys.pending(KeyStates.content(directory))) {
            return null;
        }
        used(found);
        Object known = found.entry(name);
        Object target = known == null && found.complete ? LeasedCache.Known.ABSENT : known;
        // Noted, since whoever asked may keep it.
        if (target != null && !found.isNoted(name)) account(found, () -> found.put(name, target));
        return target;
    }

    synchronized Listing.@Nullable Page page(long directory, long cookie, int limit) {
        CachedInode found = inodes.get(directory);
        if (found == null || found.listing == null || keys.pending(KeyStates.content(directory))) {
            return null;
        }
        used(found);
        return found.listing.page(cookie, limit);
    }

    synchronized long stamp(long key) {
        return keys.stamp(key);
    }

    synchronized long touches() {
        return touches;
    }

    synchronized long recalls() {
        return recalls.count();
    }

    synchronized void fillAttributes(long stamp, Attributes attributes) {
        if (keys.untouched(KeyStates.attributes(attributes.getInode()), stamp)) {
            install(attributes);
        }
    }

    synchronized void changedAttributes(long stamp, Attributes now) {
        CachedInode found = inodes.get(now.getInode());
        boolean held = found != null && found.attributes != null;
        if (held && keys.untouched(KeyStates.attributes(now.getInode()), stamp)) {
            install(now);
        }
    }

    synchronized void fillAttributesUntouched(long touchesThen, Attributes attributes) {
        if (touches == touchesThen && !keys.pending(KeyStates.attributes(attributes.getInode()))) {
            install(attributes);
        }
    }

    synchronized boolean fillEntry(long stamp, long directory, Name name, Object target) {
        if (!keys.untouched(KeyStates.content(directory), stamp)) {
            return false;
        }
        CachedInode inode = make(directory);
        inode.granted = true;
        account(inode, () -> inode.put(name, target));
        return true;
    }

    /** As {@link #fillEntry} of an absent name, and every other is absent, too. */
    synchronized boolean fillEmpty(long stamp, long directory, Name name) {
        if (!fillEntry(stamp, directory, name, LeasedCache.Known.ABSENT)) {
            return false;
        }
        CachedInode found = inodes.get(directory);
        if (found != null) { // else it left for want of room
            found.complete = true;
        }
        return true;
    }

    synchronized void fillMade(long recallsThen, Attributes attributes) {
        long key = KeyStates.attributes(attributes.getInode());
        if (!recalls.hasSince(recallsThen, key) && !keys.pending(key)) {
            install(attributes);
        }
    }

    synchronized void fillBorn(long recallsThen, long directory) {
        long key = KeyStates.content(directory);
        if (!recalls.hasSince(recallsThen, key) && !keys.pending(key)) {
            CachedInode inode = make(directory);
            inode.granted = true;
            inode.complete = true;
        }
    }

    synchronized void fillGiven(long recallsThen, Attributes given, Map<Name, Long> entries) {
        long directory = given.getInode();
        if (!recalls.hasSince(recallsThen, KeyStates.attributes(directory))) {
            install(given);
        }
        if (!recalls.hasSince(recallsThen, KeyStates.content(directory))) {
            CachedInode inode = make(directory);
            inode.granted = true;
            inode.complete = true;
            account(inode, () -> inode.given(entries));
        }
    }

    synchronized boolean isTold(long directory, Name name) {
        CachedInode found = inodes.get(directory);
        return found != null && found.isTold(name);
    }

    /** The names that were told of the directory since the recall before, null: perhaps more. */
    synchronized @Nullable Set<Name> recallContent(long directory) {
        CachedInode found = inodes.get(directory);
        Set<Name> told = found == null ? Set.of() : found.names();
        recall(KeyStates.content(directory), directory);
        return evicted ? null : told;
    }

    synchronized void fillPage(
            long stamp,
            long directory,
            long cookie,
            List<DirectoryEntry> entries,
            boolean end,
            long parent) {
        if (!keys.untouched(KeyStates.content(directory), stamp)) {
            return;
        }
        CachedInode inode = make(directory);
        inode.granted = true;
        account(
                inode,
                () -> {
                    if (cookie == 0) {
                        inode.listing = new Listing(parent);
                    }
                    if (inode.listing != null) {
                        inode.listing.join(cookie, entries, end);
                    }
                });
    }

    synchronized void recall(long key, long inode) {
        touches++;
        recalls.add(key);
        keys.recalled(key);
        CachedInode found = inodes.get(inode);
        if (found != null) {
            account(
                    found,
                    () -> {
                        if (key == KeyStates.attributes(inode)) {
                            found.attributes = null;
                        } else {
                            found.dropContent();
                        }
                    });
            dropIfEmpty(found);
        }
    }

    synchronized void clear() {
        touches++;
        recalls.addAll();
        keys.recalledAll();
        inodes.clear();
        ring.alone();
        grow(-bytes);
    }

    // ---- own changes, called by Change
    // ------------------------------------------------------------------------------------------------

    /**
     * The number of recalls of the key so far: only if it is the same at the end, this client's
     * grant still stands.
     */
    synchronized int changeBegins(long key) {
        touches++;
        keys.changeBegins(key);
        return keys.recalls(key);
    }

    /**
     * The change of the attributes is over; they are brought up to date if a grant was held
     * throughout, or dropped. Whether they are held now.
     *
     * @param decidedHere by this client, and not at the server: what the server answers to another
     *     change that is under way may be from before, and counts as unknown
     */
    synchronized boolean attributesChanged(
            long inode,
            int recallsThen,
            @Nullable Attributes now,
            boolean granted,
            boolean decidedHere) {
        long key = KeyStates.attributes(inode);
        touches++;
        keys.changeEnds(key);
        CachedInode found = inodes.get(inode);
        boolean held = found != null && found.attributes != null;
        boolean stands = keys.recalls(key) == recallsThen;
        if (decidedHere && keys.pending(key)) keys.recalled(key);
        if (now != null && stands && (held || granted)) {
            install(now);
            return true;
        }
        if (found != null && held) {
            account(found, () -> found.attributes = null);
            dropIfEmpty(found);
        }
        return false;
    }

    /**
     * The change of the directory's content is over. {@code target} null: forget the name. The
     * listing goes in any case.
     */
    synchronized void contentChanged(
            long directory, int recallsThen, @Nullable Name name, @Nullable Object target) {
        long key = KeyStates.content(directory);
        touches++;
        keys.changeEnds(key);
        CachedInode found = inodes.get(directory);
        if (found == null) {
            return;
        }
        boolean stands = found.granted && keys.recalls(key) == recallsThen;
        account(
                found,
                () -> {
                    found.listing = null;
                    if (!stands) {
                        found.forgetTargets();
                    } else if (name != null && target != null) {
                        found.put(name, target);
                    } else if (name != null) {
                        found.forget(name);
                    }
                });
        dropIfEmpty(found);
    }

    // ---- room
    // -------------------------------------------------------------------------------------------------------------------------

    private void install(Attributes attributes) {
        CachedInode inode = make(attributes.getInode());
        Attributes former = inode.attributes;
        if (former == null || former.getVersion() <= attributes.getVersion()) {
            account(inode, () -> inode.attributes = attributes);
        }
    }

    private CachedInode make(long number) {
        CachedInode found = inodes.get(number);
        if (found == null) {
            found = new CachedInode(number);
            inodes.put(number, found);
            grow(found.bytes());
        }
        used(found);
        return found;
    }

    private void used(CachedInode inode) {
        inode.unlink();
        inode.linkBefore(ring);
    }

    /** Does what changes the size of an inode, keeps the sum right and makes room. */
    private void account(CachedInode inode, Runnable action) {
        long before = inode.bytes();
        action.run();
        grow(inode.bytes() - before);
        makeRoom();
    }

    /** While there is too little, what it has beyond its share goes. */
    synchronized void makeRoom() {
        while (bytes > share && room.isOver() && ring.next != ring) {
            evicted = true;
            remove(ring.next);
        }
    }

    private void grow(long by) {
        bytes += by;
        room.take(by);
    }

    private void dropIfEmpty(CachedInode inode) {
        if (inode.isEmpty() && inodes.get(inode.number) == inode) {
            remove(inode);
        }
    }

    private void remove(CachedInode inode) {
        grow(-inode.bytes());
        inode.unlink();
        inodes.remove(inode.number);
    }
}
