package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Access;
import org.gridfarm.protocol.wire.AccessedReply;
import org.gridfarm.protocol.wire.AccessedRequest;
import org.gridfarm.protocol.wire.Change;

import java.util.ArrayList;
import java.util.List;

/**
 * ACCESSED at the leader: access times of what clients have read. They are one operation, however
 * many they are. Event thread.
 */
public final class Accesses {
    private static final int READ = 4;

    private final FarmState state;
    private final Reach reach;
    private final LeaderContext leader;

    public Accesses(FarmState state, Reach reach, LeaderContext leader) {
        this.reach = reach;
        this.state = state;
        this.leader = leader;
    }

    public void accessed(Exchange<AccessedRequest, AccessedReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        AccessedRequest request = exchange.request();
        if (request.getAccessesCount() > MetadataMethods.ACCESSES_MAX) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "accessed",
                    "",
                    "at most " + MetadataMethods.ACCESSES_MAX + " at once");
        }
        leader.requireRoom();
        long now = state.nowNanos();
        Namespace namespace = state.namespace();
        List<Change> changes = new ArrayList<>();
        for (Access access : request.getAccessesList()) {
            long inode = access.getInode();
            if (!namespace.exists(inode) || !mayRead(caller, inode)) {
                continue;
            }
            long owner = state.delegations().of(inode);
            // Its session decides from what it knows of it, and tells when that is over.
            if (owner != 0 && owner != caller.session()) continue;
            Change change =
                    namespace.accessed(inode, access.getBefore(), Math.min(now, access.getTime()));
            if (change != null) {
                changes.add(change);
            }
        }
        leader.change(changes, caller.session());
        AccessedReply.Builder reply = AccessedReply.newBuilder();
        for (Change change : changes) {
            reply.addChanged(state.attributes(change.getInode().getInode()));
        }
        AccessedReply told = reply.build();
        if (changes.isEmpty()) exchange.reply(told);
        else leader.afterCompletion(leader.openSequence(), () -> exchange.reply(told));
    }

    /** A trusted mount says what its users have read; they were asked whether they may before. */
    private boolean mayRead(Caller caller, long inode) {
        if (caller.speaksForOthers()) return true;
        reach.require(caller, caller.own(), inode, "accessed");
        return state.namespace().may(inode, READ, caller.own());
    }
}
