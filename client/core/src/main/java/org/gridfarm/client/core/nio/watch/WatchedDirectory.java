package org.gridfarm.client.core.nio.watch;

import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.core.metadata.Found;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DirectoryEntry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A directory under watch: what was seen of it, and what there is to be looked at again. Marks are
 * set by network threads; looks are made by one thread at a time.
 *
 * <p>INVARIANT: between looks, whatever is not marked is leased, or due at {@code laterAt}.
 */
final class WatchedDirectory {
    /** As long as a server does not lease again what it has recalled, and a little more. */
    private static final Duration LATER = Duration.ofMillis(1_100);

    /** More entries than this are sooner listed with all others. */
    private static final int ASKED_MAX = 256;

    private static final int PAGE_ENTRIES = 1_000;

    /** After a listing, rest this many times what it took: it leaves others most of the server. */
    private static final int REST = 4;

    private final Metadata metadata;
    private final long inode;

    private final ReentrantLock beginning = new ReentrantLock(); // held over the first look

    // All guarded by this.
    private boolean begun;
    private final Seen seen = new Seen();
    private final Set<Long> marked = new HashSet<>(); // entries to be asked for
    private boolean listing; // everything is
    private boolean looking; // so a recall may be of an entry that was not seen yet:
    private final Set<Long> met = new HashSet<>();
    private final Set<Long> unleased = new HashSet<>(); // to be asked for then:
    private boolean unleasedListing;
    private long laterAt;
    private long restsUntil = System.nanoTime();

    WatchedDirectory(Metadata metadata, long inode) {
        this.metadata = metadata;
        this.inode = inode;
    }

    long inode() {
        return inode;
    }

    // ---- marks

    synchronized void markAll() {
        listing = true;
    }

    /** Attributes of any inodes changed. Whether that concerns what is here. */
    synchronized boolean mark(Iterable<Long> inodes) {
        boolean concerned = false;
        for (long changed : inodes) {
            if (changed == inode) {
                listing = true;
                concerned = true;
            } else if (seen.has(changed)) {
                marked.add(changed);
                concerned = true;
            } else if (looking && met.size() <= ASKED_MAX) {
                met.add(changed);
            }
        }
        return concerned;
    }

    /** A call failed for a reason that will pass. */
    synchronized void lookLater() {
        listing = false;
        marked.clear();
        unleasedListing = true;
        laterAt = System.nanoTime() + LATER.toNanos();
    }

    /** When there is something to be looked at next, in nanoseconds from now. */
    synchronized long dueIn(long now) {
        if (!begun) {
            return Long.MAX_VALUE;
        }
        if (listing || !marked.isEmpty()) {
            return Math.max(0, restsUntil - now);
        }
        boolean later = unleasedListing || !unleased.isEmpty();
        return later ? Math.max(0, laterAt - now) : Long.MAX_VALUE;
    }

    // ---- looks

    /** The first look, unless it was made. */
    void begin() {
        beginning.lock();
        try {
            if (isBegun()) {
                return;
            }
            begins();
            try {
                Map<Name, Sight> now = list();
                synchronized (this) {
                    seen.begin(now);
                    begun = true;
                }
            } finally {
                ends();
            }
        } finally {
            beginning.unlock();
        }
    }

    private synchronized boolean isBegun() {
        return begun;
    }

    /** What differs from the look before; NOT_FOUND: the directory is no more. */
    List<Difference> look() {
        List<Long> asked = begins();
        try {
            return asked.isEmpty() ? listed() : looked(asked);
        } finally {
            ends();
        }
    }

    /** After the last look: everything that was there. */
    synchronized List<Difference> leave() {
        return seen.become(Map.of());
    }

    /** The entries that are to be looked at; none: all of them. */
    private synchronized List<Long> begins() {
        looking = true;
        if (laterAt - System.nanoTime() <= 0) {
            listing |= unleasedListing;
            marked.addAll(unleased);
            unleased.clear();
            unleasedListing = false;
        }
        boolean all = listing || marked.size() > ASKED_MAX;
        List<Long> asked = all ? List.of() : List.copyOf(marked);
        if (all) {
            unleased.clear();
            unleasedListing = false;
        }
        listing = false;
        marked.clear();
        return asked;
    }

    private synchronized void ends() {
        looking = false;
        if (met.size() > ASKED_MAX) {
            listing = true;
        }
        for (long changed : met) {
            if (seen.has(changed)) {
                marked.add(changed);
            }
        }
        met.clear();
    }

    private List<Difference> listed() {
        long began = System.nanoTime();
        Map<Name, Sight> now = list();
        long ended = System.nanoTime();
        synchronized (this) {
            restsUntil = ended + REST * (ended - began);
            return seen.become(now);
        }
    }

    private Map<Name, Sight> list() {
        Attributes directory =
                await(metadata.attributes(inode)).require("watch", Long.toHexString(inode));
        if (directory.getNlink() == 0) {
            throw new FarmException(ErrorKind.NOT_FOUND, "watch", Long.toHexString(inode));
        }
        Map<Name, Sight> now = new HashMap<>();
        long cookie = 0;
        boolean end = false;
        while (!end) {
            DirectoryPage page =
                    await(metadata.list(metadata.self(), inode, cookie, PAGE_ENTRIES, true));
            note(page);
            for (DirectoryEntry entry : page.entries()) {
                now.put(Name.of(entry.getName().toByteArray()), Sight.of(entry.getAttributes()));
                cookie = entry.getCookie();
            }
            end = page.end() || page.entries().isEmpty();
        }
        return now;
    }

    private synchronized void note(DirectoryPage page) {
        unleasedListing |= !page.leased();
        for (DirectoryEntry entry : page.entries()) {
            if (!entry.getCacheable()) {
                unleased.add(entry.getInode());
            }
        }
        laterAt = System.nanoTime() + LATER.toNanos();
    }

    private List<Difference> looked(List<Long> asked) {
        Map<Long, CompletableFuture<Found>> answers = new LinkedHashMap<>();
        asked.forEach(each -> answers.put(each, metadata.attributes(each)));
        List<Difference> found = new ArrayList<>();
        answers.forEach((each, answer) -> {
            try {
                Found now = await(answer);
                found.addAll(noted(each, now));
            } catch (FarmException e) {
                if (e.kind() == ErrorKind.STALE || e.kind() == ErrorKind.NOT_FOUND) {
                    markAll(); // its name went, too
                } else {
                    lookLater();
                }
            }
        });
        return found;
    }

    private synchronized List<Difference> noted(long each, Found now) {
        Attributes attributes = now.attributes();
        if (attributes == null || attributes.getNlink() == 0) {
            listing = true;
            return List.of();
        }
        if (!now.attributesLeased()) {
            unleased.add(each);
            laterAt = System.nanoTime() + LATER.toNanos();
        }
        return seen.become(Sight.of(attributes));
    }

    private static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(false);
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "watch", "");
        } catch (ExecutionException e) {
            throw FarmException.of(e, "watch", "");
        }
    }
}
