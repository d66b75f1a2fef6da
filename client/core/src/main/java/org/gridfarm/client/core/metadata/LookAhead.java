package org.gridfarm.client.core.metadata;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.wire.Credentials;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;

/**
 * Reads a directory into the cache when one of its names after the other has to be asked for: a
 * walk that stats what it knows by name (git status, make, rsync) then waits for few of them. What
 * is read ahead stays in proportion to what was asked for, so that few names of a vast directory do
 * not cost all of it. A directory that changes meanwhile is begun anew. Thread-safe.
 */
final class LookAhead {
    /** Before so many were found one by one nobody is taken to walk. */
    private static final int FIRST_AFTER = 4;

    /** Names read ahead for each that was found; a name costs a server about so much less. */
    private static final int PER_FOUND = 64;

    private static final int PAGE_MAX = 1_000;
    private static final int DIRECTORIES_MAX = 64;

    /** Reads names behind the cookie, with attributes, into the cache. */
    interface Reader {
        CompletableFuture<Part> read(Credentials who, long directory, long cookie, int limit);
    }

    /**
     * What was read.
     *
     * @param kept all of it is in the cache
     */
    record Part(int names, long lastCookie, boolean end, boolean kept) {}

    private static final class Walk {
        final long stamp;
        int found;
        int read;
        long cookie;
        boolean reading;
        boolean over;

        Walk(long stamp) {
            this.stamp = stamp;
        }
    }

    private final Reader reader;
    private final LongUnaryOperator stamps;

    @GuardedBy("this")
    private final Map<Long, Walk> walks =
            new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Walk> eldest) {
                    return size() > DIRECTORIES_MAX;
                }
            };

    /**
     * @param stamps of a directory: another one after its content was changed or recalled
     */
    LookAhead(Reader reader, LongUnaryOperator stamps) {
        this.reader = reader;
        this.stamps = stamps;
    }

    /** A server was asked for a name of the directory, which is there. */
    void found(Credentials who, long directory) {
        long stamp = stamps.applyAsLong(directory);
        Walk walk;
        synchronized (this) {
            walk = walks.get(directory);
            if (walk == null || walk.stamp != stamp) {
                walk = new Walk(stamp);
                walks.put(directory, walk);
            }
            walk.found++;
        }
        readOn(who, directory, walk);
    }

    private void readOn(Credentials who, long directory, Walk walk) {
        int limit;
        synchronized (this) {
            limit = Math.min(PAGE_MAX, walk.found * PER_FOUND - walk.read);
            if (walk.reading || walk.over || walk.found < FIRST_AFTER || limit < PER_FOUND) return;
            walk.reading = true;
        }
        reader.read(who, directory, walk.cookie, limit)
                .whenComplete((part, thrown) -> {
                    synchronized (this) {
                        walk.reading = false;
                        if (thrown != null || !part.kept) {
                            walk.over = true; // may not be listed, or changes: names do without
                            return;
                        }
                        walk.read += part.names;
                        walk.cookie = part.lastCookie;
                        walk.over = part.end;
                    }
                    readOn(who, directory, walk);
                });
    }
}
