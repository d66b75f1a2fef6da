package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The locks this session was granted, so that they can be asked for again after a fail-over.
 * Thread-safe.
 */
final class HeldLocks {
    private record Owner(long inode, long owner, boolean flock, boolean append) {}

    private final Map<Owner, List<LockRequest>> held = new HashMap<>();

    /** A request was granted: what it covers is now as it says. */
    synchronized void granted(LockRequest request) {
        if (request.getAllOwners()) {
            held.keySet().removeIf(one -> one.inode == request.getInode() && !one.append);
            return;
        }
        Owner owner =
                new Owner(
                        request.getInode(),
                        request.getOwner(),
                        request.getFlock(),
                        request.getAppend());
        List<LockRequest> ranges = new ArrayList<>();
        for (LockRequest former : held.getOrDefault(owner, List.of())) {
            addRemainder(former, request, ranges);
        }
        if (request.getKind() != LockKind.UNLOCK) {
            ranges.add(request.toBuilder().setWait(false).build());
        }
        if (ranges.isEmpty()) {
            held.remove(owner);
        } else {
            held.put(owner, ranges);
        }
    }

    /** What is left of the former range beside the new one. */
    private static void addRemainder(LockRequest former, LockRequest over, List<LockRequest> into) {
        if (former.getEnd() < over.getStart() || former.getStart() > over.getEnd()) {
            into.add(former);
            return;
        }
        if (former.getStart() < over.getStart()) {
            into.add(former.toBuilder().setEnd(over.getStart() - 1).build());
        }
        if (former.getEnd() > over.getEnd()) {
            into.add(former.toBuilder().setStart(over.getEnd() + 1).build());
        }
    }

    synchronized int ranges(long inode, long owner, boolean flock) {
        return held.getOrDefault(new Owner(inode, owner, flock, false), List.of()).size();
    }

    synchronized List<LockRequest> all() {
        List<LockRequest> all = new ArrayList<>();
        held.values().forEach(all::addAll);
        return all;
    }

    /** The file is gone, and every lock on it. */
    synchronized void forget(long inode) {
        held.keySet().removeIf(one -> one.inode == inode);
    }

    synchronized void clear() {
        held.clear();
    }
}
