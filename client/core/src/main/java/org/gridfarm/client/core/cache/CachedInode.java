package org.gridfarm.client.core.cache;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What is known of one inode. Guarded by its shard, whose ring it is linked into. */
final class CachedInode {
    /** Object, map slot and attributes message, measured with room to spare. */
    private static final int BYTES_SELF = 112;

    private static final int BYTES_ATTRIBUTES = 184;
    private static final int BYTES_ENTRY = 120; // map entry, Name, array header, boxed number

    /** Of a name that somebody was told, and that is not known here any more. */
    private static final Object UNKNOWN = new Object();

    final long number;
    CachedInode next = this;
    CachedInode previous = this;
    @Nullable Attributes attributes;
    @Nullable Listing listing;
    boolean granted; // content of this directory was granted and not recalled since
    boolean complete; // a name that is not among the entries is not in the directory
    private @Nullable Map<Name, Object> entries; // null once the directory was recalled
    private long entryBytes;

    /** What names lead to that nobody was told of yet. */
    private Map<Name, Long> given = Map.of();

    private long givenBytes;

    CachedInode(long number) {
        this.number = number;
    }

    @Nullable Object entry(Name name) {
        Object target = entries == null ? null : entries.get(name);
        if (target == null) {
            return given.get(name);
        }
        return target == UNKNOWN ? null : target;
    }

    /** The next recall will name it. */
    boolean isNoted(Name name) {
        return entries != null && entries.containsKey(name);
    }

    /** All there are. What somebody was told of stays told. */
    void given(Map<Name, Long> all) {
        if (entries != null) {
            entries.replaceAll((name, target) -> {
                Long now = all.get(name);
                return now == null ? LeasedCache.Known.ABSENT : now;
            });
        }
        setGiven(all);
    }

    private void setGiven(Map<Name, Long> all) {
        given = all;
        givenBytes = 0;
        for (Name name : all.keySet()) {
            givenBytes += BYTES_ENTRY + name.bytes().length;
        }
    }

    /** Whoever was told of the name will be told when another client changes it. */
    boolean isTold(Name name) {
        return granted && entries != null && entries.containsKey(name);
    }

    Set<Name> names() {
        return entries == null ? Set.of() : Set.copyOf(entries.keySet());
    }

    void put(Name name, Object target) {
        if (entries == null) {
            entries = new HashMap<>(4);
        }
        if (entries.put(name, target) == null) {
            entryBytes += BYTES_ENTRY + name.bytes().length;
        }
    }

    /** It stays told: the next recall has to name it. */
    void forget(Name name) {
        put(name, UNKNOWN);
        complete = false;
    }

    /** What the names lead to; they stay told. */
    void forgetTargets() {
        if (entries != null) {
            entries.replaceAll((name, target) -> UNKNOWN);
        }
        setGiven(Map.of());
        complete = false;
    }

    /** After a recall, of which all that were told of a name are told. */
    void dropContent() {
        entries = null;
        entryBytes = 0;
        setGiven(Map.of());
        listing = null;
        granted = false;
        complete = false;
    }

    boolean isEmpty() {
        return attributes == null && entries == null && listing == null && !complete;
    }

    long bytes() {
        return BYTES_SELF
                + (attributes == null ? 0 : BYTES_ATTRIBUTES)
                + entryBytes
                + givenBytes
                + (listing == null ? 0 : listing.bytes());
    }

    void unlink() {
        previous.next = next;
        next.previous = previous;
        alone();
    }

    void alone() {
        next = this;
        previous = this;
    }

    void linkBefore(CachedInode ring) {
        previous = ring.previous;
        next = ring;
        previous.next = this;
        ring.previous = this;
    }
}
