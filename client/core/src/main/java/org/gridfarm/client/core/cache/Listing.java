package org.gridfarm.client.core.cache;

import org.gridfarm.protocol.wire.DirectoryEntry;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A directory's entries from the first one on, in cookie order, as far as they were read. Guarded
 * by its shard.
 */
public final class Listing {
    private static final int BYTES_ENTRY = 160;

    private final long parent;
    private final List<DirectoryEntry> entries = new ArrayList<>();
    private boolean end;
    private long bytes = 64;

    /** Consecutive entries; {@code end}: nothing follows. */
    public record Page(List<DirectoryEntry> entries, boolean end, long parent) {}

    Listing(long parent) {
        this.parent = parent;
    }

    /** Adds a page if it begins where the known part ends. */
    void join(long cookie, List<DirectoryEntry> page, boolean pageEnd) {
        if (end || cookie != lastCookie()) {
            return;
        }
        for (DirectoryEntry entry : page) {
            DirectoryEntry bare =
                    entry.hasAttributes() ? entry.toBuilder().clearAttributes().build() : entry;
            entries.add(bare);
            bytes += BYTES_ENTRY + bare.getName().size();
        }
        end = pageEnd;
    }

    private long lastCookie() {
        return entries.isEmpty() ? 0 : entries.get(entries.size() - 1).getCookie();
    }

    /**
     * Up to {@code limit} entries behind the cookie; null if the known part does not reach beyond
     * it.
     */
    @Nullable Page page(long cookie, int limit) {
        int from = firstBehind(cookie);
        if (from == entries.size() && !end) {
            return null;
        }
        int to = Math.min(entries.size(), from + limit);
        return new Page(
                List.copyOf(entries.subList(from, to)), end && to == entries.size(), parent);
    }

    private int firstBehind(long cookie) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(entries.get(middle).getCookie(), cookie) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    long bytes() {
        return bytes;
    }
}
