package org.gridfarm.metaserver.lock;

import org.gridfarm.metaserver.session.Tally;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockRequest;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All locks and all that wait for one. Owned by the event thread.
 *
 * <p>As in Linux, a request waits only for locks that are held, not for requests queued before it;
 * queued ones are tried in the order of arrival whenever something is given up. Waiting for oneself
 * through others is found for fcntl locks and refused with DEADLOCK. flock locks that are converted
 * are given up before they are waited for, so that two that are raised at once do not wait for each
 * other for ever.
 *
 * <p>A client that claims its locks again after a fail-over sends the same requests, without
 * waiting.
 */
public final class LockTable {
    /** One file's locks of one kind: more are a defect of a program. */
    public static final int LOCKS_PER_FILE_MAX = 65_536;

    /** Each unlock of the file tries them all: some milliseconds. */
    public static final int WAITING_PER_FILE_MAX = 16_384;

    /**
     * Locks looked at to find whether somebody would wait for himself: some milliseconds. Linux,
     * too, gives up after a while, and then lets him wait.
     */
    private static final int DEADLOCK_LOOKS_MAX = 10_000;

    private static final Comparator<LockRequest> IN_ORDER =
            Comparator.comparing(LockRequest::getInode, Long::compareUnsigned)
                    .thenComparing(LockRequest::getFlock)
                    .thenComparing(LockRequest::getAppend)
                    .thenComparingLong(LockRequest::getOwner)
                    .thenComparingLong(LockRequest::getStart);

    private final class File {
        final long inode;
        final Locks ranges = new Locks(this::changed);
        final Locks whole = new Locks(this::changed);
        final Locks appends = new Locks(this::changed);
        final Map<Long, LockRequest> queue = new LinkedHashMap<>();

        File(long inode) {
            this.inode = inode;
        }

        void changed(long session, int more) {
            tally.add(session, more);
            Map<Long, Integer> inodes = inodesOf.computeIfAbsent(session, s -> new HashMap<>());
            inodes.merge(inode, more, (a, b) -> a + b == 0 ? null : a + b);
            if (inodes.isEmpty()) inodesOf.remove(session);
        }

        Locks of(LockRequest request) {
            if (request.getAppend()) {
                return appends;
            }
            return request.getFlock() ? whole : ranges;
        }

        List<LockRequest> heldBy(long session) {
            List<LockRequest> its = new ArrayList<>();
            ranges.of(session).forEach(lock -> its.add(lock.shown(inode, false)));
            whole.of(session).forEach(lock -> its.add(lock.shown(inode, true)));
            for (Held lock : appends.of(session)) {
                its.add(lock.shown(inode, false).toBuilder().setAppend(true).build());
            }
            return its;
        }

        boolean isIdle() {
            return ranges.isEmpty() && whole.isEmpty() && appends.isEmpty() && queue.isEmpty();
        }
    }

    private final Map<Long, File> files = new HashMap<>();
    private final Map<Long, Long> inodeOfTicket = new HashMap<>();
    private final Map<Owner, Set<Long>> ticketsOf = new HashMap<>();
    private final Map<Long, Map<Long, Integer>> inodesOf = new HashMap<>(); // by session
    private final Tally tally;
    private long lastTicket;

    public LockTable() {
        this(Tally.unbounded());
    }

    /**
     * @param tally of what each session holds and waits for
     */
    public LockTable(Tally tally) {
        this.tally = tally;
    }

    /** Locks or unlocks. Refuses with INVALID, DEADLOCK, NO_LOCKS. */
    public LockOutcome request(LockRequest request) {
        requireSane(request);
        if (request.getKind() == LockKind.UNLOCK) {
            return new LockOutcome.Granted(unlock(request));
        }
        File file = files.computeIfAbsent(request.getInode(), File::new);
        try {
            return lock(file, request);
        } finally {
            forgetIfIdle(request.getInode(), file);
        }
    }

    private LockOutcome lock(File file, LockRequest request) {
        Locks locks = file.of(request);
        Held wanted = Held.of(request);
        Held inTheWay = locks.conflict(wanted);
        if (inTheWay == null) {
            if (locks.size() >= LOCKS_PER_FILE_MAX) {
                throw noLocks(request, LOCKS_PER_FILE_MAX + " are all that a file may have");
            }
            requireRoom(request);
            locks.lock(wanted);
            return new LockOutcome.Granted(
                    release(file)); // a weaker lock than before may let others in
        }
        if (!request.getWait()) {
            return new LockOutcome.Conflict(inTheWay.shown(request.getInode(), request.getFlock()));
        }
        boolean mayDeadlock = !request.getFlock() && !request.getAppend();
        if (mayDeadlock && wouldWaitForItself(wanted, locks)) {
            throw new FarmException(ErrorKind.DEADLOCK, "lock", shown(request));
        }
        if (file.queue.size() >= WAITING_PER_FILE_MAX) {
            throw noLocks(request, WAITING_PER_FILE_MAX + " are all that may wait for a file");
        }
        requireRoom(request);
        long ticket = ++lastTicket;
        file.queue.put(ticket, request);
        inodeOfTicket.put(ticket, request.getInode());
        ticketsOf.computeIfAbsent(wanted.owner(), owner -> new HashSet<>()).add(ticket);
        file.changed(request.getSession(), 1);
        boolean converted = request.getFlock() && locks.unlock(wanted.owner(), 0, Long.MAX_VALUE);
        return new LockOutcome.Queued(ticket, converted ? release(file) : List.of());
    }

    private void requireRoom(LockRequest request) {
        String why = tally.refusal(request.getSession(), 0);
        if (why != null) throw noLocks(request, why);
    }

    private static FarmException noLocks(LockRequest request, String why) {
        return new FarmException(ErrorKind.NO_LOCKS, "lock", shown(request), "locks: " + why);
    }

    /** The lock that would be in the way, null if none. */
    public @Nullable LockRequest test(LockRequest request) {
        requireSane(request);
        File file = files.get(request.getInode());
        if (file == null || request.getKind() == LockKind.UNLOCK) {
            return null;
        }
        Held conflict = file.of(request).conflict(Held.of(request));
        return conflict == null ? null : conflict.shown(request.getInode(), request.getFlock());
    }

    /** The queued request is given up; false if it is not queued (any more). */
    public boolean cancel(long ticket) {
        Long inode = inodeOfTicket.get(ticket);
        File file = inode == null ? null : files.get(inode);
        if (inode == null || file == null) {
            return false;
        }
        dequeue(file, ticket);
        forgetIfIdle(inode, file);
        return true;
    }

    /**
     * All locks and queued requests of the session go; returns the tickets granted because of it.
     */
    public List<Long> endSession(long session) {
        List<Long> released = new ArrayList<>();
        for (long inode : List.copyOf(inodesOf.getOrDefault(session, Map.of()).keySet())) {
            File file = files.get(inode);
            if (file == null) {
                continue;
            }
            for (Map.Entry<Long, LockRequest> queued : List.copyOf(file.queue.entrySet())) {
                if (queued.getValue().getSession() == session) {
                    dequeue(file, queued.getKey());
                }
            }
            boolean ranges = file.ranges.unlockSession(session);
            boolean whole = file.whole.unlockSession(session);
            boolean appends = file.appends.unlockSession(session);
            if (ranges || whole || appends) {
                released.addAll(release(file));
            }
            forgetIfIdle(inode, file);
        }
        return released;
    }

    /** The locks held on an inode, for people. */
    public List<LockRequest> held(long inode) {
        List<LockRequest> shown = new ArrayList<>();
        File file = files.get(inode);
        if (file != null) {
            file.ranges.all().forEach(lock -> shown.add(lock.shown(inode, false)));
            file.whole.all().forEach(lock -> shown.add(lock.shown(inode, true)));
        }
        return shown;
    }

    /**
     * The locks that a session holds, in an order that does not change with what it holds.
     *
     * @param after the last one that is known already; the default instance: none is
     * @param most so many are given at a time
     */
    public List<LockRequest> heldBy(long session, LockRequest after, int most) {
        List<LockRequest> held = new ArrayList<>();
        List<Long> inodes =
                inodesOf.getOrDefault(session, Map.of()).keySet().stream()
                        .filter(inode -> Long.compareUnsigned(inode, after.getInode()) >= 0)
                        .sorted(Long::compareUnsigned)
                        .toList();
        for (long inode : inodes) {
            File file = files.get(inode);
            if (file == null) {
                continue;
            }
            file.heldBy(session).stream()
                    .filter(lock -> IN_ORDER.compare(lock, after) > 0)
                    .sorted(IN_ORDER)
                    .limit(most - held.size())
                    .forEach(held::add);
            if (held.size() == most) {
                break;
            }
        }
        return held;
    }

    /** Whether anybody holds or awaits a lock on the inode. */
    public boolean isLocked(long inode) {
        return files.containsKey(inode);
    }

    public int waiting() {
        return inodeOfTicket.size();
    }

    public void clear() {
        files.clear();
        inodeOfTicket.clear();
        ticketsOf.clear();
        inodesOf.forEach(
                (session, inodes) -> inodes.values().forEach(count -> tally.add(session, -count)));
        inodesOf.clear();
    }

    private List<Long> unlock(LockRequest request) {
        File file = files.get(request.getInode());
        if (file == null) {
            return List.of();
        }
        boolean found;
        if (request.getAllOwners()) {
            found = file.ranges.unlockSession(request.getSession());
            found |= file.whole.unlockSession(request.getSession());
        } else {
            Held range = Held.of(request);
            if (file.of(request).splits(range.owner(), range.start(), range.end())) {
                requireRoom(request); // as in Linux: two locks are more than one
            }
            found = file.of(request).unlock(range.owner(), range.start(), range.end());
        }
        List<Long> released = found ? release(file) : List.of();
        forgetIfIdle(request.getInode(), file);
        return released;
    }

    private List<Long> release(File file) {
        List<Long> released = new ArrayList<>();
        for (Map.Entry<Long, LockRequest> queued : List.copyOf(file.queue.entrySet())) {
            Held wanted = Held.of(queued.getValue());
            Locks locks = file.of(queued.getValue());
            if (locks.conflict(wanted) == null) {
                locks.lock(wanted);
                dequeue(file, queued.getKey());
                released.add(queued.getKey());
            }
        }
        return released;
    }

    private void dequeue(File file, long ticket) {
        LockRequest request = file.queue.remove(ticket);
        inodeOfTicket.remove(ticket);
        if (request == null) {
            return;
        }
        file.changed(request.getSession(), -1);
        ticketsOf.computeIfPresent(
                Owner.of(request),
                (owner, tickets) -> tickets.remove(ticket) && tickets.isEmpty() ? null : tickets);
    }

    private void forgetIfIdle(long inode, File file) {
        if (file.isIdle()) {
            files.remove(inode);
        }
    }

    /** Follows who waits for whom, from those in the way, until the asker is met. */
    private boolean wouldWaitForItself(Held wanted, Locks locks) {
        Set<Owner> found = new LinkedHashSet<>(locks.blockers(wanted, DEADLOCK_LOOKS_MAX));
        Deque<Owner> toVisit = new ArrayDeque<>(found);
        int looks = found.size();
        while (!toVisit.isEmpty() && looks < DEADLOCK_LOOKS_MAX) {
            Owner owner = toVisit.removeFirst();
            for (Owner next : blockersOf(owner, DEADLOCK_LOOKS_MAX - looks)) {
                looks++;
                if (next.equals(wanted.owner())) {
                    return true;
                }
                if (found.add(next)) {
                    toVisit.add(next);
                }
            }
        }
        return false;
    }

    /** Those that one waits for. */
    private Set<Owner> blockersOf(Owner waiting, int looksMax) {
        Set<Owner> blockers = new LinkedHashSet<>();
        for (long ticket : ticketsOf.getOrDefault(waiting, Set.of())) {
            Long inode = inodeOfTicket.get(ticket);
            File file = inode == null ? null : files.get(inode);
            LockRequest queued = file == null ? null : file.queue.get(ticket);
            if (file != null && queued != null && !queued.getFlock()) {
                blockers.addAll(file.ranges.blockers(Held.of(queued), looksMax));
            }
        }
        return blockers;
    }

    private static void requireSane(LockRequest request) {
        if (request.getKind() == LockKind.UNRECOGNIZED
                || (!request.getFlock()
                        && (request.getStart() < 0 || request.getEnd() < request.getStart()))) {
            throw new FarmException(ErrorKind.INVALID, "lock", shown(request));
        }
    }

    private static String shown(LockRequest request) {
        return "inode " + Long.toHexString(request.getInode());
    }
}
