package org.gridfarm.metaserver.lock;

import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;

/** A lock that is held, on the bytes from start to end, both included. */
record Held(Owner owner, int pid, boolean exclusive, long start, long end) {
    /** Told how many locks a session has more, or less. */
    interface Count {
        void changed(long session, int more);
    }

    static Held of(LockRequest request) {
        boolean whole = request.getFlock();
        return new Held(
                Owner.of(request),
                request.getPid(),
                request.getKind() == LockKind.EXCLUSIVE_LOCK,
                whole ? 0 : request.getStart(),
                whole ? Long.MAX_VALUE : request.getEnd());
    }

    boolean overlaps(Held other) {
        return start <= other.end && other.start <= end;
    }

    boolean conflictsWith(Held other) {
        return !owner.equals(other.owner) && (exclusive || other.exclusive) && overlaps(other);
    }

    /** The same kind of lock of the same owner right before or after, or overlapping. */
    boolean joins(Held other) {
        return owner.equals(other.owner)
                && exclusive == other.exclusive
                && (overlaps(other) || end + 1 == other.start || other.end + 1 == start);
    }

    Held within(long from, long to) {
        return new Held(owner, pid, exclusive, from, to);
    }

    LockRequest shown(long inode, boolean flock) {
        return LockRequest.newBuilder()
                .setSession(owner.session())
                .setInode(inode)
                .setOwner(owner.owner())
                .setPid(pid)
                .setFlock(flock)
                .setKind(exclusive ? LockKind.EXCLUSIVE_LOCK : LockKind.SHARED)
                .setStart(start)
                .setEnd(end)
                .build();
    }
}
