package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.LockRange;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/// Byte-range locks of one file, and who waits for one. Guarded by the lock of the file system.
final class Locks {

    private record Held(long owner, LockRange range) {}

    private record Waiter(EmptyReply reply, long owner, LockRange range) {}

    private final List<Held> held = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();

    @Nullable LockRange conflict(long owner, LockRange wanted) {
        for (Held one : held) {
            if (one.owner != owner && one.range.conflicts(wanted)) {
                return one.range;
            }
        }
        return null;
    }

    void set(EmptyReply reply, long owner, LockRange range, boolean wait, Object guard) {
        if (range.type() == LockRange.UNLOCK || conflict(owner, range) == null) {
            put(owner, range);
            reply.done();
            serveWaiters();
        } else if (wait) {
            Waiter waiter = new Waiter(reply, owner, range);
            waiters.add(waiter);
            reply.onInterrupt(() -> {
                synchronized (guard) {
                    if (waiters.remove(waiter)) {
                        reply.fail(Errno.EINTR);
                    }
                }
            });
        } else {
            reply.fail(Errno.EAGAIN);
        }
    }

    void release(long owner) {
        if (held.removeIf(one -> one.owner == owner)) {
            serveWaiters();
        }
    }

    /// Replaces what `owner` has in the range; parts outside it stay.
    private void put(long owner, LockRange range) {
        List<Held> rest = new ArrayList<>();
        for (Held one : held) {
            LockRange r = one.range;
            if (one.owner != owner || !r.overlaps(range)) {
                rest.add(one);
                continue;
            }
            if (r.start() < range.start()) {
                rest.add(
                        new Held(
                                owner,
                                new LockRange(r.start(), range.start() - 1, r.type(), r.pid())));
            }
            if (r.end() > range.end()) {
                rest.add(
                        new Held(
                                owner, new LockRange(range.end() + 1, r.end(), r.type(), r.pid())));
            }
        }
        if (range.type() != LockRange.UNLOCK) {
            rest.add(new Held(owner, range));
        }
        held.clear();
        held.addAll(rest);
    }

    private void serveWaiters() {
        for (Waiter waiter : List.copyOf(waiters)) {
            if (conflict(waiter.owner, waiter.range) == null && waiters.remove(waiter)) {
                put(waiter.owner, waiter.range);
                if (!waiter.reply.done()) {
                    held.removeIf(
                            one -> one.owner == waiter.owner && one.range.equals(waiter.range));
                }
            }
        }
    }
}
