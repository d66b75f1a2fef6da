package org.gridfarm.protocol.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.netty.util.internal.PlatformDependent;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Memory for frames that have begun to arrive and are not whole, over all accepted connections of a
 * process: a sender who begins large frames and ends none would take all of it. Half of it is for
 * one identity; who finds no room is not read from until there is. Thread-safe.
 */
final class FrameRoom {
    private record Waiting(String who, int bytes, Runnable ready) {}

    private final long max;

    @GuardedBy("this")
    private final Map<String, Long> taken = new HashMap<>(); // by identity

    @GuardedBy("this")
    private final Map<String, Long> stalled = new HashMap<>(); // by identity

    @GuardedBy("this")
    private long allTaken;

    @GuardedBy("this")
    private long allStalled;

    @GuardedBy("this")
    private final List<Waiting> waiting = new ArrayList<>(); // in order of arrival

    /** A quarter of what buffers may take at all; the rest is for what is being worked on. */
    static FrameRoom ofThisProcess() {
        return new FrameRoom(PlatformDependent.maxDirectMemory() / 4);
    }

    /**
     * @param max bytes; not less than for two of the largest frames for each of two identities
     */
    FrameRoom(long max) {
        this.max = Math.max(4L * (RpcLimits.FRAME_BYTES_MAX + FrameReader.LENGTH_BYTES), max);
    }

    /**
     * @param ready runs later, on whatever thread, when room has been taken; never when this
     *     returns true
     */
    synchronized boolean take(String who, int bytes, Runnable ready) {
        if (fits(who, bytes)) {
            add(who, bytes);
            return true;
        }
        waiting.add(new Waiting(who, bytes, ready));
        return false;
    }

    @GuardedBy("this")
    private boolean fits(String who, int bytes) {
        return allTaken + bytes <= max && taken.getOrDefault(who, 0L) + bytes <= max / 2;
    }

    @GuardedBy("this")
    private void add(String who, int bytes) {
        taken.merge(who, (long) bytes, Long::sum);
        allTaken += bytes;
    }

    void give(String who, int bytes) {
        List<Runnable> ready = new ArrayList<>();
        synchronized (this) {
            subtract(taken, who, bytes);
            allTaken -= bytes;
            for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
                Waiting next = all.next();
                if (fits(next.who, next.bytes)) {
                    add(next.who, next.bytes);
                    ready.add(next.ready);
                    all.remove();
                }
            }
        }
        ready.forEach(Runnable::run);
    }

    private static void subtract(Map<String, Long> from, String who, long bytes) {
        from.computeIfPresent(who, (name, before) -> before <= bytes ? null : before - bytes);
    }

    /** False: it has got its room meanwhile. */
    synchronized boolean cancel(Runnable ready) {
        return waiting.removeIf(one -> one.ready == ready);
    }

    /** OVERLOADED when too much of what nobody has room for was received already. */
    synchronized void stall(String who, int bytes) {
        if (allStalled + bytes > max || stalled.getOrDefault(who, 0L) + bytes > max / 2) {
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    "receive",
                    who,
                    "too many requests arrive at once over its connections");
        }
        stalled.merge(who, (long) bytes, Long::sum);
        allStalled += bytes;
    }

    synchronized void unstall(String who, long bytes) {
        subtract(stalled, who, bytes);
        allStalled -= bytes;
    }

    synchronized int waiting() {
        return waiting.size();
    }

    synchronized boolean isEmpty() {
        return allTaken == 0 && allStalled == 0 && waiting.isEmpty() && taken.isEmpty();
    }
}
