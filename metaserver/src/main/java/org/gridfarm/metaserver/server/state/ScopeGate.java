package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.namespace.Namespace;
import org.gridfarm.namespace.Visited;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.auth.Scopes.Right;
import org.gridfarm.protocol.auth.UnderScopes;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.*;

import java.util.Set;

/**
 * Holds a caller to the paths that his token names, whatever he asks: the one place that knows what
 * each request is about. What it lets pass is judged as always, so a token gives nobody more than
 * his account may. Event thread.
 *
 * <p>The way down to a path may be seen, name by name, and nothing beside it.
 */
public final class ScopeGate {
    /** Who has what open for writing; caches answer nothing that asks for it. */
    public interface Writers {
        Writers NONE = (_, _) -> false;

        boolean isWriting(long session, long inode);
    }

    private final FarmState state;
    private final Writers writers;

    public ScopeGate(FarmState state, Writers writers) {
        this.state = state;
        this.writers = writers;
    }

    /** Refuses with ACCESS_DENIED what the caller's token does not cover. */
    void require(Caller caller, Method<?, ?> method, Object request) {
        Scopes scopes = caller.identity().scopes().orElse(null);
        if (scopes == null || method.access().underScopes() == UnderScopes.FREE) return;
        if (!new Question(caller, ScopeReach.of(scopes, state.namespace())).permits(request)) {
            throw refusal(method.name(), caller.identity());
        }
    }

    private static FarmException refusal(String operation, Identity who) {
        return new FarmException(
                ErrorKind.ACCESS_DENIED, operation, who.user(), "not among what the token allows");
    }

    /** One request. */
    private final class Question {
        private final Caller caller;
        private final ScopeReach reach;

        Question(Caller caller, ScopeReach reach) {
            this.caller = caller;
            this.reach = reach;
        }

        boolean permits(Object request) {
            return switch (request) {
                case LookupRequest q -> reach.sees(q.getParent(), q.getName());
                case GetAttributesRequest q -> reach.sees(q.getInode());
                case ResolveRequest q -> walks(q);
                case ReadLinkRequest q -> reach.sees(q.getInode());
                case LocateRequest q ->
                        q.getTickets() ? reads(q.getInode()) : reach.sees(q.getInode());
                case ReadDirectoryRequest q -> reads(q.getInode());
                case GetXattrRequest q -> reads(q.getInode());
                case ListXattrRequest q -> reads(q.getInode());
                case SumRequest q -> reads(q.getInode());
                case AccessedRequest q ->
                        q.getAccessesList().stream().allMatch(access -> reads(access.getInode()));
                case ListReplicasRequest q -> q.getInode() != 0 && reach.sees(q.getInode());
                case LockRequest q -> !reach.rights(q.getInode()).isEmpty();
                case OpenRequest q -> opens(q, q.getInode());
                case RefreshRequest q -> !q.getReclaim() || comesBack(q);
                case MutateRequest q -> changes(q);
                default -> false;
            };
        }

        private boolean reads(long inode) {
            return reach.rights(inode).contains(Right.READ);
        }

        private boolean modifies(long inode) {
            return reach.rights(inode).contains(Right.MODIFY);
        }

        /** Every step of it: what lies elsewhere is not even found to be there or not. */
        private boolean walks(ResolveRequest q) {
            boolean[] strays = {false};
            Visited steps =
                    new Visited() {
                        @Override
                        public void entry(long directory, ByteString name) {
                            strays[0] |= !reach.sees(directory, name);
                        }

                        @Override
                        public void inode(long inode) {
                            strays[0] |= !reach.sees(inode);
                        }
                    };
            long start = q.getStart() == 0 ? Namespace.ROOT : q.getStart();
            try {
                state.namespace()
                        .resolve(start, q.getPath(), q.getFollowLast(), caller.own(), steps);
            } catch (FarmException e) {
                return !strays[0]; // the answer says so, too
            }
            return !strays[0];
        }

        private boolean opens(OpenRequest q, long inode) {
            boolean writes = q.getWrite() || q.getTruncate();
            boolean reads = q.getRead() || q.getExecute() || !writes;
            return (!reads || reads(inode)) && (!writes || modifies(inode));
        }

        /** Who made a file may write it to its end, whoever leads by then. */
        private boolean comesBack(RefreshRequest q) {
            Set<Right> rights = reach.rights(q.getInode());
            return q.getWrite() ? rights.contains(Right.CREATE) : rights.contains(Right.READ);
        }

        private boolean changes(MutateRequest q) {
            return switch (q.getOperationCase()) {
                case CREATE -> creates(q.getCreate());
                case MKDIR -> makes(q.getMkdir().getParent(), q.getMkdir().getName());
                case SYMLINK -> makes(q.getSymlink().getParent(), q.getSymlink().getName());
                case MKNOD -> makes(q.getMknod().getParent(), q.getMknod().getName());
                case TEMPORARY ->
                        reach.rights(q.getTemporary().getDirectory()).contains(Right.CREATE);
                case LINK -> links(q.getLink());
                case UNLINK -> removes(q.getUnlink());
                case RMDIR -> removes(q.getRmdir());
                case RENAME -> renames(q.getRename());
                case SET_ATTRIBUTES -> sets(q.getSetAttributes());
                case SET_XATTR -> modifies(q.getSetXattr().getInode());
                case REMOVE_XATTR -> modifies(q.getRemoveXattr().getInode());
                case SET_POLICY -> modifies(q.getSetPolicy().getInode());
                case COMMIT -> true; // of an own handle, or it is refused
                case OPERATION_NOT_SET -> true; // nothing but handles given up
            };
        }

        /** Who may make a file may say how old it is, and whom he lets read it. */
        private boolean sets(SetAttributes q) {
            Set<Right> rights = reach.rights(q.getInode());
            boolean own = writers.isWriting(caller.session(), q.getInode());
            boolean harmless = !q.hasUid() && !q.hasGid() && (own || !q.hasSize());
            return rights.contains(harmless ? Right.CREATE : Right.MODIFY);
        }

        private long at(long directory, ByteString name) {
            return state.namespace().peek(directory, name);
        }

        private boolean makes(long directory, ByteString name) {
            return reach.rights(directory, name).contains(Right.CREATE)
                    || (at(directory, name) == 0 && reach.leads(directory, name, Right.CREATE));
        }

        private boolean creates(CreateFile q) {
            long there = at(q.getParent(), q.getName());
            if (there == 0 || q.getExclusive()) {
                return reach.rights(q.getParent(), q.getName()).contains(Right.CREATE);
            }
            return opens(q.getOpen(), there);
        }

        private boolean removes(Remove q) {
            return reach.rights(q.getParent(), q.getName()).contains(Right.MODIFY);
        }

        /** What may be done where it comes to may be done where it was: no way round a scope. */
        private boolean moves(Set<Right> from, long directory, ByteString name) {
            return from.containsAll(reach.rightsBelow(directory, name));
        }

        private boolean links(MakeLink q) {
            boolean nameless = writers.isWriting(caller.session(), q.getInode());
            return makes(q.getParent(), q.getName())
                    && (nameless || moves(reach.rights(q.getInode()), q.getParent(), q.getName()));
        }

        private boolean renames(Rename q) {
            Set<Right> from = reach.rights(q.getParent(), q.getName());
            Set<Right> to = reach.rights(q.getToParent(), q.getToName());
            boolean replaces =
                    q.getExchange() || q.getWhiteout() || at(q.getToParent(), q.getToName()) != 0;
            Right needed = replaces ? Right.MODIFY : Right.CREATE;
            return from.contains(needed)
                    && to.contains(needed)
                    && moves(from, q.getToParent(), q.getToName())
                    && (!q.getExchange() || moves(to, q.getParent(), q.getName()));
        }
    }
}
