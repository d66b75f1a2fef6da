package org.gridfarm.client.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.OpenMode;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.Places;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.FileType;
import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Directory streams. Positions are the farm's cookies, which stay true while the directory changes,
 * moved by two to make room for "." and "..". A stream keeps the page it is in, so that one round
 * trip serves several requests of the kernel.
 */
final class Listings {
    private static final int PAGE_ENTRIES = 512;

    /** Pages kept, some 200 KB each; a stream whose page is gone reads it again. */
    private static final int PAGES_MAX = 64;

    private static final long BEHIND_DOT = 1;
    private static final long BEHIND_DOT_DOT = 2;
    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};
    private static final int NO_GENERATION = 0;

    private final Mounted mounted;
    private final Places places;
    private final OpenBound bound;

    /** Those that keep their page; the one that was read longest ago first. */
    @GuardedBy("paged")
    private final Map<Long, Stream> paged = new LinkedHashMap<>(16, 0.75f, true);

    private final ConcurrentHashMap<Long, Stream> streams = new ConcurrentHashMap<>();
    private final AtomicLong next;
    private final KeptListings kept;
    private @Nullable KernelCache cache;

    Listings(Mounted mounted, Places places, OpenBound bound) {
        this.mounted = mounted;
        this.bound = bound;
        this.places = places;
        this.kept = new KeptListings(Clock.system());
        this.next = new AtomicLong(mounted.firstHandle());
    }

    void started(KernelCache kernel) {
        cache = kernel;
    }

    /** The page last read, and from which cookie on it holds entries. */
    private static final class Stream {
        final boolean isKept; // by the kernel
        final int user;
        @Nullable DirectoryPage page;
        long after;
        long stamp;
        boolean isSpoilt; // something of what the kernel keeps of it may not be believed

        Stream(boolean isKept, int user) {
            this.isKept = isKept;
            this.user = user;
        }

        /** Once it was read from its start. */
        synchronized boolean isSpoilt(boolean fromStart, boolean unbelieved) {
            isSpoilt = unbelieved || (isSpoilt && !fromStart);
            return isSpoilt;
        }
    }

    void open(OpenReply reply, long node) {
        int user = mounted.user(reply);
        if (!bound.admits(reply, user)) {
            return;
        }
        long number = next.getAndIncrement();
        int mode = mode(node);
        streams.put(number, new Stream(mode != 0, user));
        if (!reply.opened(number, mode, 0)) {
            release(number);
        }
    }

    /**
     * The kernel keeps a listing that changes of others are recalled of. What is not known here
     * under a lease it reads without keeping it: a stream that is rewound would not see what others
     * do then.
     */
    private int mode(long node) {
        if (!mounted.beliefs().areRecalled() || !mounted.metadata().isListed(node)) {
            return 0;
        }
        // Where the access time takes a call, the one who reads waits for it.
        if (kept.isBelieved(node) && mounted.times().listed(node).isDone()) {
            return OpenMode.CACHE_DIRECTORY | OpenMode.KEEP_CACHE;
        }
        kept.begins(node);
        return OpenMode.CACHE_DIRECTORY;
    }

    void release(long number) {
        Stream stream = streams.remove(number);
        synchronized (paged) {
            paged.remove(number);
        }
        if (stream != null) {
            bound.left(stream.user);
        }
    }

    /** A stream that a former process opened goes on by its position, and may be kept. */
    private Stream stream(Request reply, long number) {
        return streams.computeIfAbsent(
                number,
                _ -> {
                    int user = mounted.user(reply);
                    bound.shares().takeAnyway(user);
                    return new Stream(true, user);
                });
    }

    private void keepPage(long number, Stream stream) {
        Stream eldest = null;
        synchronized (paged) {
            if (streams.get(number) != stream) {
                return; // it was closed meanwhile
            }
            paged.put(number, stream);
            if (paged.size() > PAGES_MAX) {
                Iterator<Stream> all = paged.values().iterator();
                eldest = all.next();
                all.remove();
            }
        }
        if (eldest != null) {
            synchronized (eldest) {
                eldest.page = null;
            }
        }
    }

    void read(DirectoryReply reply, long node, long number, long offset) {
        CompletableFuture<?> moved = mounted.times().listed(node);
        Stream stream = stream(reply, number);
        long cookie = cookieOf(offset);
        DirectoryPage page = pageOf(stream, cookie, offset == 0);
        if (page != null) {
            moved.whenComplete((_, _) -> send(reply, node, offset, page, stream.stamp, stream));
            return;
        }
        long stamp = mounted.beliefs().stamp();
        mounted.metadata()
                .list(mounted.who(reply), node, cookie, PAGE_ENTRIES, reply.plus())
                .thenCombine(moved, (found, _) -> found)
                .whenComplete((found, failure) -> {
                    if (failure != null) {
                        mounted.failLooking(reply, node, "readdir", failure);
                        return;
                    }
                    synchronized (stream) {
                        stream.page = found;
                        stream.after = cookie;
                        stream.stamp = stamp;
                    }
                    keepPage(number, stream);
                    send(reply, node, offset, found, stamp, stream);
                });
    }

    private static long cookieOf(long offset) {
        return Math.max(0, offset - BEHIND_DOT_DOT);
    }

    private static @Nullable DirectoryPage pageOf(Stream stream, long cookie, boolean fromStart) {
        synchronized (stream) {
            DirectoryPage page = stream.page;
            if (page == null || fromStart || cookie < stream.after) {
                return null;
            }
            List<DirectoryEntry> entries = page.entries();
            boolean more =
                    !entries.isEmpty() && entries.get(entries.size() - 1).getCookie() > cookie;
            return more || page.end() ? page : null;
        }
    }

    private void send(
            DirectoryReply reply,
            long node,
            long offset,
            DirectoryPage page,
            long stamp,
            Stream stream) {
        long cookie = cookieOf(offset);
        if (offset < BEHIND_DOT) {
            reply.addName(DOT, node, Flags.DIRECTORY, BEHIND_DOT);
        }
        if (offset < BEHIND_DOT_DOT) {
            long parent = node == FuseOperations.ROOT || page.parent() == 0 ? node : page.parent();
            reply.addName(DOT_DOT, parent, Flags.DIRECTORY, BEHIND_DOT_DOT);
        }
        int added = 0;
        boolean all = true;
        for (DirectoryEntry entry : page.entries()) {
            if (entry.getCookie() > cookie) {
                all = add(reply, node, entry, page.leased(), stamp);
                if (!all) {
                    break;
                }
                added++;
            }
        }
        boolean end = all && page.end();
        if (!stream.isKept) {
            reply.done();
            return;
        }
        reply.keeps();
        long nanos = mounted.beliefs().nanos(page.leased(), stamp);
        kept.told(node, nanos, end);
        if (stream.isSpoilt(offset == 0, nanos == 0) && end && added == 0) {
            // The kernel serves what it keeps from here on: it is to find the pages gone.
            Objects.requireNonNull(cache).forgetListing(node, _ -> reply.done());
        } else {
            reply.done();
        }
    }

    /**
     * @param listed the names stay true until recalled; attributes may be leased without them
     */
    private boolean add(
            DirectoryReply reply, long node, DirectoryEntry entry, boolean listed, long stamp) {
        long position = entry.getCookie() + BEHIND_DOT_DOT;
        byte[] name = entry.getName().toByteArray();
        if (!reply.plus() || !entry.hasAttributes()) {
            return reply.addName(
                    name, entry.getInode(), Translate.format(entry.getType()), position);
        }
        mounted.fill(reply.attributes(), entry.getAttributes());
        boolean steady = entry.getCacheable() && !entry.getAttributes().getWriting();
        boolean added =
                reply.addEntry(
                        name,
                        position,
                        entry.getInode(),
                        NO_GENERATION,
                        mounted.beliefs().nanos(listed, stamp),
                        mounted.beliefs().nanos(steady, stamp));
        if (added && entry.getType() == FileType.DIRECTORY) {
            places.listed(entry.getInode(), node, new RawName(name));
        }
        return added;
    }
}
