package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenRequest;

/**
 * Set-user and set-group bits and capabilities of files that are open for writing, at the leader.
 * Event thread.
 */
final class Privileges {
    private final FarmState state;
    private final OpenFiles opens;
    private final LeaderContext leader;

    Privileges(FarmState state, OpenFiles opens, LeaderContext leader) {
        this.state = state;
        this.opens = opens;
        this.leader = leader;
    }

    /**
     * A file that exists is opened for writing. That takes them where the open changes the content
     * itself, and where nobody can be relied on to say when it changes.
     */
    void opened(Caller caller, Credentials who, long inode, OpenRequest wish) {
        if (wish.getTruncate() || !wish.getKeepsPrivileges() || !caller.speaksForOthers()) {
            leader.change(
                    state.namespace().privilegesOf(inode, who, state.nowNanos()), caller.session());
        }
    }

    /**
     * Goes on when the other sessions that write the file know what the command has given it, so
     * that their next write takes it away.
     */
    void given(MutateRequest request, long session, Runnable then) {
        long inode = Namespace.privileged(request);
        DataTouch touch = DataTouch.ofPrivileges(inode);
        leader.recallData(FileOpens.toOtherWriters(opens, touch, session), then);
    }
}
