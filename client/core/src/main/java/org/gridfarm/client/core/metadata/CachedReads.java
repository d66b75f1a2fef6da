package org.gridfarm.client.core.metadata;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.client.core.cache.LeasedCache;
import org.gridfarm.client.core.cache.Listing;
import org.gridfarm.client.core.session.FarmSession;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.*;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Reads: from the cache while the lease holds, else from the reading server, filling the cache by
 * what it grants.
 */
final class CachedReads {
    private final FarmSession session;
    private final LeasedCache cache;
    private final LookAhead ahead;
    private volatile @Nullable SizeSource sizes;

    /** Of one name whose file goes each time between two answers. */
    private static final int LOOKUPS_MAX = 5;

    /** Before a chain that did not answer is asked for anew. */
    private static final Duration CHAIN_PAUSE = Duration.ofMillis(200);

    CachedReads(FarmSession session, LeasedCache cache) {
        this.session = session;
        this.cache = cache;
        this.ahead = new LookAhead(this::readAhead, cache::contentStamp);
    }

    void sizesFrom(SizeSource source) {
        sizes = source;
    }

    @Nullable Attributes cachedAttributes(long inode) {
        return session.leaseNanosLeft() > 0 ? steady(inode) : null;
    }

    @Nullable Attributes leasedAttributes(long inode) {
        return session.leaseNanosLeft() > 0 ? cache.attributes(inode) : null;
    }

    boolean isListed(long directory) {
        return session.leaseNanosLeft() > 0 && cache.page(directory, 0, 1) != null;
    }

    private boolean isWriting(long inode) {
        SizeSource source = sizes;
        return source != null && source.isWriting(inode);
    }

    /** Of a file that is being written here the cache knows neither size nor times. */
    private @Nullable Attributes steady(long inode) {
        if (isWriting(inode)) {
            return null;
        }
        Attributes known = cache.attributes(inode);
        return known == null || known.getWriting() ? null : known; // written once, when it was made
    }

    /** Of a file that nobody but this process writes, which knows the rest. */
    private @Nullable Attributes written(long inode) {
        SizeSource source = sizes;
        if (source == null || !source.isWriting(inode)) {
            return null;
        }
        Attributes known = leasedAttributes(inode);
        return known == null ? null : source.own(known);
    }

    @Nullable Attributes cachedLookup(long parent, Name name) {
        if (session.leaseNanosLeft() <= 0) {
            return null;
        }
        Object entry = cache.entry(parent, name);
        if (entry == LeasedCache.Known.ABSENT) {
            return Metadata.ABSENT;
        }
        return entry == null ? null : steady((Long) entry);
    }

    /** The same of a file that this process writes, and nobody else. */
    private @Nullable Attributes writtenLookup(long parent, Name name) {
        return session.leaseNanosLeft() > 0 && cache.entry(parent, name) instanceof Long inode
                ? written(inode)
                : null;
    }

    CompletableFuture<Found> lookup(Credentials who, long parent, Name name) {
        return lookup(who, parent, name, LOOKUPS_MAX);
    }

    private CompletableFuture<Found> lookup(Credentials who, long parent, Name name, int lookups) {
        Attributes known = cachedLookup(parent, name);
        if (known != null) {
            return CompletableFuture.completedFuture(
                    new Found(known == Metadata.ABSENT ? null : known, true, true));
        }
        Attributes own = writtenLookup(parent, name);
        if (own != null) {
            return CompletableFuture.completedFuture(new Found(own, true, false));
        }
        long entryStamp = cache.contentStamp(parent);
        long[] stamps = cache.anyStamp();
        LookupRequest.Builder request =
                LookupRequest.newBuilder()
                        .setCredentials(who)
                        .setParent(parent)
                        .setName(Mutations.bytes(name));
        return session.reader(
                        MetadataMethods.LOOKUP, () -> request.setSession(session.id()).build())
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        FarmException failure =
                                Failures.about(thrown, "lookup", Failures.subject(parent, name));
                        if (failure.kind() == ErrorKind.NOT_FOUND) {
                            return LookupReply.getDefaultInstance();
                        }
                        throw failure;
                    }
                    return reply;
                })
                .thenCompose(reply ->
                        found(
                                reply,
                                () -> lookup(who, parent, name, lookups - 1),
                                lookups > 1,
                                who,
                                parent,
                                name,
                                entryStamp,
                                stamps));
    }

    private CompletableFuture<Found> found(
            LookupReply reply,
            Supplier<CompletableFuture<Found>> again,
            boolean mayAskAgain,
            Credentials who,
            long parent,
            Name name,
            long entryStamp,
            long[] stamps) {
        Attributes attributes = reply.getAttributes();
        boolean named = reply.getEntryCacheable() && fill(reply, parent, name, entryStamp);
        if (!reply.getFound()) {
            return CompletableFuture.completedFuture(new Found(null, named, false));
        }
        ahead.found(who, parent);
        if (attributes.getWriting()) {
            // The head of the chain knows the size; asking for the attributes brings its address.
            return attributes(attributes.getInode())
                    .handle((now, thrown) -> {
                        if (thrown != null) {
                            FarmException failure =
                                    Failures.about(thrown, "stat", Failures.subject(parent, name));
                            if (!isGone(failure)) {
                                throw failure;
                            }
                        } else if (isNamed(now)) {
                            return CompletableFuture.completedFuture(
                                    new Found(now.attributes(), named, now.attributesLeased()));
                        }
                        // Unlinked between the two answers: what has the name now? In the end, as
                        // the name stood when the last was asked, with the size last committed.
                        return mayAskAgain
                                ? again.get()
                                : CompletableFuture.completedFuture(
                                        new Found(attributes, named, false));
                    })
                    .thenCompose(answer -> answer);
        }
        if (reply.getAttributesCacheable()) {
            cache.fillAttributes(stamps, attributes);
        }
        return CompletableFuture.completedFuture(
                new Found(attributes, named, reply.getAttributesCacheable()));
    }

    private boolean fill(LookupReply reply, long parent, Name name, long stamp) {
        if (reply.getEmpty()) {
            return cache.fillEmpty(stamp, parent, name);
        }
        Long target = reply.getFound() ? reply.getAttributes().getInode() : null;
        return cache.fillEntry(stamp, parent, name, target);
    }

    /** The file, or its content at a node. */
    private static boolean isGone(FarmException failure) {
        return failure.kind() == ErrorKind.STALE
                || failure.kind() == ErrorKind.NOT_FOUND
                || failure.kind() == ErrorKind.OBJECT_ABSENT;
    }

    private static boolean isNamed(Found now) {
        Attributes attributes = now.attributes();
        return attributes != null && attributes.getNlink() > 0;
    }

    CompletableFuture<Found> attributes(long inode) {
        Attributes known = cachedAttributes(inode);
        if (known != null) {
            return CompletableFuture.completedFuture(new Found(known, false, true));
        }
        Attributes own = written(inode);
        if (own != null) {
            return CompletableFuture.completedFuture(new Found(own, false, false));
        }
        boolean writing = isWriting(inode);
        long stamp = cache.attributesStamp(inode);
        return askAttributes(inode)
                .thenCompose(reply -> {
                    if (reply.getCacheable()) {
                        cache.fillAttributes(stamp, reply.getAttributes());
                    }
                    boolean leased = reply.getCacheable() && !reply.getAttributes().getWriting();
                    return refined(reply, end()).thenApply(now -> new Found(now, false, leased));
                })
                // Closed meanwhile: its commit may have come after that answer.
                .thenCompose(found ->
                        writing && !isWriting(inode)
                                ? attributes(inode)
                                : CompletableFuture.completedFuture(found));
    }

    /** Until then a writer is waited for that looks for another node. */
    private long end() {
        return session.clock().nanoTime() + session.deadline().toNanos() * 3 / 4;
    }

    /** What is granted of a file that is written nobody else writes. */
    private CompletableFuture<Attributes> refined(GetAttributesReply reply, long until) {
        return refined(reply.getAttributes(), reply.getWriting(), reply.getCacheable(), until);
    }

    /** Where no node of its chain answers, its writer goes on with another one before long. */
    private CompletableFuture<Attributes> refined(
            Attributes attributes, Layout layout, boolean onlyWriter, long until) {
        SizeSource source = sizes;
        if (!attributes.getWriting() || source == null) {
            return CompletableFuture.completedFuture(attributes);
        }
        return source.refine(attributes, layout, onlyWriter)
                .exceptionallyCompose(thrown -> {
                    FarmException failure = FarmException.of(thrown, "stat", "");
                    boolean over = session.clock().nanoTime() - until >= 0;
                    if (over || failure.kind() != ErrorKind.DATA_UNAVAILABLE) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    CompletableFuture<Attributes> again = new CompletableFuture<>();
                    session.clock()
                            .after(
                                    CHAIN_PAUSE,
                                    () ->
                                            refinedAnew(attributes.getInode(), until)
                                                    .whenComplete((now, why) -> {
                                                        if (why == null) {
                                                            again.complete(now);
                                                        } else {
                                                            again.completeExceptionally(why);
                                                        }
                                                    }));
                    return again;
                });
    }

    private CompletableFuture<Attributes> refinedAnew(long inode, long until) {
        return askAttributes(inode).thenCompose(reply -> refined(reply, until));
    }

    private CompletableFuture<GetAttributesReply> askAttributes(long inode) {
        GetAttributesRequest.Builder request = GetAttributesRequest.newBuilder().setInode(inode);
        return ask(
                MetadataMethods.GET_ATTRIBUTES,
                () -> request.setSession(session.id()).build(),
                "stat",
                inode);
    }

    CompletableFuture<ResolveReply> resolve(
            Credentials who, long start, ByteString path, boolean followLast) {
        ResolveRequest.Builder request =
                ResolveRequest.newBuilder()
                        .setCredentials(who)
                        .setStart(start)
                        .setPath(path)
                        .setFollowLast(followLast);
        return session.reader(
                        MetadataMethods.RESOLVE, () -> request.setSession(session.id()).build())
                .thenCompose(reply ->
                        reply.getFound() && reply.getAttributes().getWriting()
                                ? refined(reply.getAttributes(), reply.getWriting(), false, end())
                                        .thenApply(
                                                now -> reply.toBuilder().setAttributes(now).build())
                                : CompletableFuture.completedFuture(reply));
    }

    // ---- directories
    // --------------------------------------------------------------------------------------------------------------------

    CompletableFuture<DirectoryPage> list(
            Credentials who, long directory, long cookie, int limit, boolean withAttributes) {
        DirectoryPage known = cachedPage(directory, cookie, limit, withAttributes);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return page(who, directory, cookie, limit, withAttributes)
                .thenCompose(page -> exactSizes(page.reply, page.kept));
    }

    /**
     * As a server told it.
     *
     * @param kept the cache has all of it, and may until it is recalled
     */
    private record FreshPage(ReadDirectoryReply reply, boolean kept) {}

    private CompletableFuture<FreshPage> page(
            Credentials who, long directory, long cookie, int limit, boolean withAttributes) {
        long stamp = cache.contentStamp(directory);
        long[] stamps = withAttributes ? cache.anyStamp() : new long[0];
        ReadDirectoryRequest.Builder request =
                ReadDirectoryRequest.newBuilder()
                        .setCredentials(who)
                        .setInode(directory)
                        .setCookie(cookie)
                        .setLimit(limit)
                        .setWithAttributes(withAttributes);
        return ask(
                        MetadataMethods.READ_DIRECTORY,
                        () -> request.setSession(session.id()).build(),
                        "list",
                        directory)
                .thenApply(reply -> {
                    if (reply.getCacheable()) {
                        cache.fillPage(
                                stamp,
                                directory,
                                cookie,
                                reply.getEntriesList(),
                                reply.getEnd(),
                                reply.getParent());
                    }
                    boolean kept = reply.getCacheable();
                    for (DirectoryEntry entry : reply.getEntriesList()) {
                        kept &= fill(reply, entry, directory, stamp, stamps);
                    }
                    return new FreshPage(reply, kept);
                });
    }

    private CompletableFuture<LookAhead.Part> readAhead(
            Credentials who, long directory, long cookie, int limit) {
        return page(who, directory, cookie, limit, true)
                .thenApply(page -> {
                    int names = page.reply.getEntriesCount();
                    long last = names == 0 ? cookie : page.reply.getEntries(names - 1).getCookie();
                    return new LookAhead.Part(names, last, page.reply.getEnd(), page.kept);
                });
    }

    /** Whether the name is kept. */
    private boolean fill(
            ReadDirectoryReply reply,
            DirectoryEntry entry,
            long directory,
            long stamp,
            long[] stamps) {
        if (entry.getCacheable() && entry.hasAttributes() && !entry.getAttributes().getWriting()) {
            cache.fillAttributes(stamps, entry.getAttributes());
        }
        return reply.getCacheable()
                && cache.fillEntry(
                        stamp, directory, Name.of(entry.getName().toByteArray()), entry.getInode());
    }

    private @Nullable DirectoryPage cachedPage(
            long directory, long cookie, int limit, boolean withAttributes) {
        if (session.leaseNanosLeft() <= 0) {
            return null;
        }
        Listing.Page page = cache.page(directory, cookie, limit);
        if (page == null || !withAttributes) {
            return page == null
                    ? null
                    : new DirectoryPage(page.entries(), page.end(), page.parent(), true);
        }
        List<DirectoryEntry> full = new ArrayList<>(page.entries().size());
        for (DirectoryEntry entry : page.entries()) {
            Attributes attributes = steady(entry.getInode());
            if (attributes == null) {
                return null;
            }
            full.add(entry.toBuilder().setAttributes(attributes).setCacheable(true).build());
        }
        return new DirectoryPage(full, page.end(), page.parent(), true);
    }

    /** Entries of files that are being written get the size of this moment, one question each. */
    private CompletableFuture<DirectoryPage> exactSizes(ReadDirectoryReply reply, boolean leased) {
        List<CompletableFuture<DirectoryEntry>> entries = new ArrayList<>(reply.getEntriesCount());
        boolean plain = true;
        for (DirectoryEntry entry : reply.getEntriesList()) {
            if (entry.hasAttributes() && entry.getAttributes().getWriting()) {
                plain = false;
                entries.add(
                        attributes(entry.getInode())
                                .handle((now, thrown) -> {
                                    Attributes exact = thrown == null ? now.attributes() : null;
                                    return exact == null
                                            ? entry
                                            : entry.toBuilder().setAttributes(exact).build();
                                }));
            } else {
                entries.add(CompletableFuture.completedFuture(entry));
            }
        }
        if (plain) {
            return CompletableFuture.completedFuture(
                    new DirectoryPage(
                            reply.getEntriesList(), reply.getEnd(), reply.getParent(), leased));
        }
        return CompletableFuture.allOf(entries.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        new DirectoryPage(
                                entries.stream().map(CompletableFuture::join).toList(),
                                reply.getEnd(),
                                reply.getParent(),
                                leased));
    }

    <Q extends MessageLite, R extends MessageLite> CompletableFuture<R> ask(
            Method<Q, R> method, Supplier<Q> request, String operation, long inode) {
        return session.reader(method, request)
                .handle((reply, thrown) -> {
                    if (thrown != null) {
                        throw Failures.about(thrown, operation, Failures.subject(inode));
                    }
                    return reply;
                });
    }
}
