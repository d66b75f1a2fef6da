package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.namespace.Namespace;
import org.gridfarm.namespace.own.Places;
import org.gridfarm.protocol.wire.*;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which directories that others decide about a request depends on, as far as that can be told
 * before it is run. What reads come upon on their way {@link ReadScope} notes.
 */
public final class Concerned {
    private final FarmState state;
    private final Caller caller;
    private final Set<Long> directories = new LinkedHashSet<>();

    private Concerned(FarmState state, Caller caller) {
        this.state = state;
        this.caller = caller;
    }

    /**
     * Empty: none. The caller's own are among them where the leader is to change them: what he
     * decides there would start from something else.
     */
    public static Set<Long> directories(FarmState state, Caller caller, Object request) {
        Concerned concerned = new Concerned(state, caller);
        concerned.by(request);
        return concerned.directories;
    }

    private void by(Object request) {
        switch (request) {
            case MutateRequest q -> {
                change(q);
                Places.changedBy(q, state.namespace()).forEach(this::delegated);
            }
            case OpenRequest q -> inode(q.getInode());
            case RefreshRequest q -> inode(q.getInode());
            case AccessedRequest q -> q.getAccessesList().forEach(one -> inode(one.getInode()));
            case LockRequest q -> inode(q.getInode());
            case LocateRequest q -> inode(q.getInode());
            case ListReplicasRequest q -> inode(q.getInode());
            case ReplicateRequest q -> inode(q.getInode());
            case SpreadRequest q -> inode(q.getInode());
            case SumRequest q -> inode(q.getInode());
            default -> {} // of no inode, or a read
        }
    }

    private void change(MutateRequest q) {
        for (long inode : Namespace.named(q)) inode(inode);
        switch (q.getOperationCase()) {
            case CREATE -> target(q.getCreate().getParent(), q.getCreate().getName());
            case UNLINK -> target(q.getUnlink().getParent(), q.getUnlink().getName());
            case RMDIR -> target(q.getRmdir().getParent(), q.getRmdir().getName());
            case RENAME -> {
                target(q.getRename().getParent(), q.getRename().getName());
                target(q.getRename().getToParent(), q.getRename().getToName());
            }
            case COMMIT -> inode(q.getCommit().getInode());
            default -> {} // makes something anew, or names it by number
        }
    }

    private void target(long parent, ByteString name) {
        long inode = state.namespace().peek(parent, name);
        if (inode != 0) inode(inode);
    }

    private void inode(long inode) {
        add(state.delegatedToOther(caller.session(), inode));
        if (caller.speaksForOthers() || !state.exists(inode)) return;
        // Whether the caller may walk there depends on the directories above.
        for (long at = inode; at > Namespace.ROOT && state.exists(at); ) {
            at = state.image(at).getParent();
            add(state.delegatedToOther(caller.session(), at));
        }
    }

    private void delegated(long directory) {
        if (state.delegations().of(directory) != 0) directories.add(directory);
    }

    private void add(long directory) {
        if (directory != 0) directories.add(directory);
    }
}
