package org.gridfarm.metaserver.server.state;

import java.time.Duration;

/**
 * Whether the heap has room for more state. Decides from what is in use at most, which is known at
 * any time and counts garbage as well, and from what a whole collection has left, which is the
 * truth. Pure.
 *
 * <pre>
 *   AMPLE --may be full--> DOUBTFUL --collected, and it is--> FULL --hardly anything left--> LAST
 *     ^                       | collected, and it is not       | it has become clearly less
 *     +-----------------------+--------------------------------+
 * </pre>
 */
final class HeapRoom {
    enum Room {
        AMPLE,
        /** Perhaps full: growth waits for a collection to tell. */
        DOUBTFUL,
        /** Nothing that stays is taken any more. */
        FULL,
        /** Nor what only lasts as long as somebody's session. */
        LAST
    }

    /** Full is left when this share of the heap is free again besides. */
    private static final double LEAVE = 0.05;

    /** A collection that stops everything takes this part of the time at most. */
    private static final int COLLECTING_PART = 20;

    private static final long ASK_EVERY_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long ASK_WHILE_FULL_NANOS = Duration.ofSeconds(30).toNanos();

    private final double full;
    private final double last;
    private Room room = Room.AMPLE;
    private boolean asked;
    private boolean everCollected;
    private long collectedAt;
    private long took;

    /**
     * @param full the share of the heap in use from which on it is full, between 0 and 1
     */
    HeapRoom(double full) {
        this.full = full;
        this.last = full + (1 - full) / 2;
    }

    Room room() {
        return room;
    }

    /** So much is in use at most: a part of it may be garbage. */
    void seen(double share) {
        boolean isFull = room == Room.FULL || room == Room.LAST;
        if (isFull) {
            if (share < full - LEAVE) room = Room.AMPLE;
            else room = share >= last ? Room.LAST : Room.FULL;
        } else {
            room = share >= full ? Room.DOUBTFUL : Room.AMPLE;
        }
    }

    /** Whether everything is to be collected now, to know; {@link #collected} tells of it then. */
    boolean asks(long now) {
        if (room == Room.AMPLE || asked) return false;
        long least = room == Room.DOUBTFUL ? ASK_EVERY_NANOS : ASK_WHILE_FULL_NANOS;
        if (everCollected && now - collectedAt < Math.max(least, COLLECTING_PART * took)) {
            return false;
        }
        asked = true;
        return true;
    }

    /** Just so much is in use. */
    void collected(double share, long now, long nanos) {
        asked = false;
        everCollected = true;
        collectedAt = now;
        took = nanos;
        boolean wasFull = room == Room.FULL || room == Room.LAST;
        if (share < (wasFull ? full - LEAVE : full)) room = Room.AMPLE;
        else room = share >= last ? Room.LAST : Room.FULL;
    }
}
