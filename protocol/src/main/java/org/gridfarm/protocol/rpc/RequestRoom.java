package org.gridfarm.protocol.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import java.util.HashMap;
import java.util.Map;

/**
 * Memory for requests that were received and are not answered yet, over all accepted connections of
 * a process: who asks for much that has to wait, or makes one request of a million objects, would
 * take all of it. A part of it is for one identity; past that a request is refused before it is
 * read. Thread-safe.
 */
final class RequestRoom {
    /** The largest job that may be submitted is taken by small heaps, too. */
    private static final long LARGEST_JOB = 48L << 20;

    private final long each;
    private final long all;

    @GuardedBy("this")
    private final Map<String, Long> taken = new HashMap<>(); // by identity

    @GuardedBy("this")
    private long allTaken;

    /** A quarter of the heap; of a small one up to a half. */
    static RequestRoom ofThisProcess() {
        long heap = Runtime.getRuntime().maxMemory();
        long each = Math.max(heap / 8, Math.min(heap / 8 * 3, LARGEST_JOB));
        return new RequestRoom(each, Math.min(2 * each, heap / 2));
    }

    /**
     * @param each bytes for one identity; all together have twice as many
     */
    RequestRoom(long each) {
        this(each, 2 * each);
    }

    private RequestRoom(long each, long all) {
        this.each = each;
        this.all = all;
    }

    /** For one identity, and so for one request. */
    long each() {
        return each;
    }

    /** False: there is no room now; for what is heavier than {@link #each} there never is. */
    synchronized boolean take(String who, long bytes) {
        long own = taken.getOrDefault(who, 0L) + bytes;
        if (own > each || allTaken + bytes > all) return false;
        taken.put(who, own);
        allTaken += bytes;
        return true;
    }

    synchronized void give(String who, long bytes) {
        taken.computeIfPresent(who, (name, before) -> before <= bytes ? null : before - bytes);
        allTaken -= bytes;
    }

    synchronized boolean isEmpty() {
        return taken.isEmpty() && allTaken == 0;
    }
}
