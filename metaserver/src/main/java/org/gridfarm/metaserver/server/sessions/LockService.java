package org.gridfarm.metaserver.server.sessions;

import org.gridfarm.metaserver.lock.LockOutcome;
import org.gridfarm.metaserver.lock.LockTable;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.HeldLocksReply;
import org.gridfarm.protocol.wire.HeldLocksRequest;
import org.gridfarm.protocol.wire.LockKind;
import org.gridfarm.protocol.wire.LockReply;
import org.gridfarm.protocol.wire.LockRequest;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * LOCK, TEST_LOCK and HELD_LOCKS at the leader. A request that waits is kept until it is granted,
 * cancelled, or its session ends. Locks live in memory: clients claim theirs again after a change
 * of leader. Event thread.
 */
public final class LockService {
    private static final int READ = 4;
    private static final int WRITE = 2;

    private final FarmState state;
    private final OpenFiles opens;
    private final Reach reach;
    private final LeaderContext leader;
    private final Events events;
    private final LockTable locks;
    private final Map<Long, Exchange<LockRequest, LockReply>> waiting = new HashMap<>();

    public LockService(
            FarmState state, OpenFiles opens, Reach reach, LeaderContext leader, Events events) {
        this.opens = opens;
        this.reach = reach;
        this.state = state;
        this.leader = leader;
        this.locks = new LockTable(leader.bounds().locks());
        this.events = events;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.LOCK, this::lock);
        table.on(MetadataMethods.TEST_LOCK, this::test);
        table.on(MetadataMethods.HELD_LOCKS, this::held);
    }

    private LockRequest own(Exchange<LockRequest, LockReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        LockRequest request = exchange.request();
        // Of an inode that is gone locks may be left.
        boolean unlocks = request.getKind() == LockKind.UNLOCK;
        if (!unlocks && !state.exists(request.getInode())) {
            throw new FarmException(ErrorKind.STALE, "lock", Long.toHexString(request.getInode()));
        }
        if (!unlocks && !caller.speaksForOthers()) requireOpenable(caller, request.getInode());
        return request.toBuilder().setSession(caller.session()).build();
    }

    /** Who locks has the file open, or could open it; after a change of leader it is not yet. */
    private void requireOpenable(Caller caller, long inode) {
        if (opens.isOpenBy(caller.session(), inode)) return;
        reach.require(caller, caller.own(), inode, "lock");
        Namespace namespace = state.namespace();
        if (!namespace.may(inode, READ, caller.own())
                && !namespace.may(inode, WRITE, caller.own())) {
            throw new FarmException(ErrorKind.ACCESS_DENIED, "lock", Long.toHexString(inode));
        }
    }

    /** Without the number of the session that holds it. */
    private static LockRequest shown(LockRequest holder) {
        return holder.toBuilder().clearSession().build();
    }

    private void lock(Exchange<LockRequest, LockReply> exchange) {
        LockRequest request = own(exchange);
        boolean unlocks = request.getKind() == LockKind.UNLOCK;
        if (!request.getReclaim() && !unlocks) awaitReclaims("lock");
        if (!unlocks) {
            leader.bounds().requireAnyRoom("lock");
            leader.hasSomething(request.getSession());
        }
        switch (locks.request(request)) {
            case LockOutcome.Granted granted -> {
                exchange.reply(LockReply.newBuilder().setGranted(true).build());
                grant(granted.released());
            }
            case LockOutcome.Conflict conflict ->
                    exchange.reply(
                            LockReply.newBuilder().setConflict(shown(conflict.holder())).build());
            case LockOutcome.Queued queued -> {
                waiting.put(queued.ticket(), exchange);
                exchange.onCancel(() -> events.submit(() -> cancel(queued.ticket())));
                grant(queued.released());
            }
        }
    }

    /** Who held a lock under the former leader comes first; everybody else asks again. */
    private void awaitReclaims(String operation) {
        if (leader.inGrace()) {
            throw new FarmException(
                    ErrorKind.NOT_READY,
                    operation,
                    "",
                    "locks held under the former leader are being claimed again");
        }
    }

    private void test(Exchange<LockRequest, LockReply> exchange) {
        awaitReclaims("test lock");
        LockRequest inTheWay = locks.test(own(exchange));
        exchange.reply(
                inTheWay == null
                        ? LockReply.newBuilder().setGranted(true).build()
                        : LockReply.newBuilder().setConflict(shown(inTheWay)).build());
    }

    /** In its grace a leader tells what has been claimed: the caller has nobody else to ask. */
    private void held(Exchange<HeldLocksRequest, HeldLocksReply> exchange) {
        long session = Callers.live(exchange, leader).session();
        LockRequest after = exchange.request().getAfter();
        List<LockRequest> told = locks.heldBy(session, after, MetadataMethods.LOCKS_TOLD_MAX);
        HeldLocksReply.Builder reply = HeldLocksReply.newBuilder();
        told.forEach(lock -> reply.addLocks(shown(lock)));
        exchange.reply(reply.setMore(told.size() == MetadataMethods.LOCKS_TOLD_MAX).build());
    }

    private void grant(List<Long> tickets) {
        for (long ticket : tickets) {
            Exchange<LockRequest, LockReply> exchange = waiting.remove(ticket);
            if (exchange == null) continue;
            if (exchange.isCancelled()) {
                // The caller is gone and will not know that it has the lock.
                LockRequest given =
                        exchange.request().toBuilder()
                                .setKind(LockKind.UNLOCK)
                                .setSession(Callers.of(exchange).session())
                                .build();
                if (locks.request(given) instanceof LockOutcome.Granted undone) {
                    grant(undone.released());
                }
            } else {
                exchange.reply(LockReply.newBuilder().setGranted(true).build());
            }
        }
    }

    private void cancel(long ticket) {
        if (locks.cancel(ticket)) waiting.remove(ticket);
    }

    /** The session is over: what it holds is free. */
    public void ended(long session) {
        waiting.values()
                .removeIf(exchange -> {
                    Caller caller = exchange.peer().attachment(Caller.KEY);
                    boolean its = caller != null && caller.session() == session;
                    if (its) exchange.fail(new FarmException(ErrorKind.SESSION_ENDED, "lock", ""));
                    return its;
                });
        grant(locks.endSession(session));
    }
}
