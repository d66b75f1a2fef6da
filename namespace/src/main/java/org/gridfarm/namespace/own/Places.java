package org.gridfarm.namespace.own;

import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.Rename;

import java.util.List;
import java.util.stream.Stream;

/** Which directories a command is about. */
public final class Places {
    private Places() {}

    /**
     * The directories whose names or attributes the command may change, in the namespace as it is.
     * Of those that are delegated to the session which asks for this the leader has them given back
     * first: what that decides there on its own would start from something else.
     */
    public static List<Long> changedBy(MutateRequest request, Namespace namespace) {
        Stream<Long> changed =
                switch (request.getOperationCase()) {
                    case CREATE -> {
                        CreateFile q = request.getCreate();
                        boolean opens = namespace.peek(q.getParent(), q.getName()) != 0;
                        yield opens ? Stream.of() : Stream.of(q.getParent());
                    }
                    case MKDIR -> Stream.of(request.getMkdir().getParent());
                    case SYMLINK -> Stream.of(request.getSymlink().getParent());
                    case MKNOD -> Stream.of(request.getMknod().getParent());
                    case UNLINK -> Stream.of(request.getUnlink().getParent());
                    case RMDIR -> {
                        Remove q = request.getRmdir();
                        yield Stream.of(q.getParent(), namespace.peek(q.getParent(), q.getName()));
                    }
                    case RENAME -> {
                        Rename q = request.getRename();
                        yield Stream.of(
                                q.getParent(),
                                q.getToParent(),
                                namespace.peek(q.getParent(), q.getName()),
                                namespace.peek(q.getToParent(), q.getToName()));
                    }
                    case LINK ->
                            Stream.of(
                                    request.getLink().getParent(),
                                    namespace.homeOf(request.getLink().getInode()));
                    case SET_ATTRIBUTES -> Stream.of(request.getSetAttributes().getInode());
                    case SET_XATTR -> Stream.of(request.getSetXattr().getInode());
                    case REMOVE_XATTR -> Stream.of(request.getRemoveXattr().getInode());
                    case SET_POLICY -> Stream.of(request.getSetPolicy().getInode());
                    case TEMPORARY, COMMIT, OPERATION_NOT_SET -> Stream.of();
                };
        return changed.filter(namespace::isDirectory).distinct().toList();
    }

    /**
     * Those in which the command changes a name, and a directory that it takes away or moves, as
     * far as the namespace knows: who would decide about it has to have them.
     */
    static List<Long> namesChangedIn(MutateRequest request, Namespace namespace) {
        Stream<Long> places =
                switch (request.getOperationCase()) {
                    case CREATE -> Stream.of(request.getCreate().getParent());
                    case MKDIR -> Stream.of(request.getMkdir().getParent());
                    case SYMLINK -> Stream.of(request.getSymlink().getParent());
                    case MKNOD -> Stream.of(request.getMknod().getParent());
                    case LINK -> Stream.of(request.getLink().getParent());
                    case UNLINK -> Stream.of(request.getUnlink().getParent());
                    case RMDIR -> {
                        Remove q = request.getRmdir();
                        long removed = namespace.peek(q.getParent(), q.getName());
                        yield Stream.of(q.getParent(), directory(removed, namespace));
                    }
                    case RENAME -> {
                        Rename q = request.getRename();
                        long moved = namespace.peek(q.getParent(), q.getName());
                        yield Stream.of(
                                q.getParent(), q.getToParent(), directory(moved, namespace));
                    }
                    case SET_ATTRIBUTES, SET_XATTR, REMOVE_XATTR, SET_POLICY -> Stream.of();
                    case TEMPORARY, COMMIT, OPERATION_NOT_SET -> Stream.of();
                };
        return places.filter(place -> place != 0).distinct().toList();
    }

    private static long directory(long inode, Namespace namespace) {
        return namespace.isDirectory(inode) ? inode : 0;
    }
}
