package org.gridfarm.namespace;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;

import java.util.ArrayDeque;
import java.util.Arrays;

/** Path resolution as in path_resolution(7): one walk. */
final class Walk {
    private static final String OPERATION = "resolve";

    private final Namespace state;
    private final Credentials who;
    private final Visited visited;
    private final ArrayDeque<byte[]> left = new ArrayDeque<>();
    private int linksFollowed;

    Walk(Namespace state, Credentials who, Visited visited) {
        this.state = state;
        this.who = who;
        this.visited = visited;
    }

    Resolved walk(long start, ByteString path, boolean followLast) {
        if (path.size() > Limits.PATH_BYTES_MAX) {
            throw new FarmException(
                    ErrorKind.NAME_TOO_LONG, OPERATION, "path of " + path.size() + " bytes");
        }
        byte[] bytes = path.toByteArray();
        // "name/" asks for a directory: a link there is followed, and anything else is refused
        boolean directoryWanted = bytes.length > 0 && bytes[bytes.length - 1] == '/';
        Inode at =
                state.requireDirectory(
                        bytes.length > 0 && bytes[0] == '/' ? Namespace.ROOT : start, OPERATION);
        push(bytes);
        Resolved last = new Resolved(at.number, at.parent, ByteString.EMPTY);
        visited.inode(at.number);
        while (!left.isEmpty()) {
            byte[] name = left.removeFirst();
            if (!at.isDirectory()) {
                throw new FarmException(ErrorKind.NOT_A_DIRECTORY, OPERATION, Names.text(name));
            }
            Access.require(at, who, Access.EXECUTE, OPERATION, Names.text(name));
            ByteString shown = UnsafeByteOperations.unsafeWrap(name);
            Names.searched(shown, OPERATION);
            boolean dots = Names.isDot(name) || Names.isDotDot(name);
            if (!dots) {
                visited.entry(at.number, shown);
            }
            Inode next = state.entryOf(at, name);
            if (next == null) {
                if (left.isEmpty()) {
                    return new Resolved(0, at.number, shown);
                }
                throw new FarmException(ErrorKind.NOT_FOUND, OPERATION, Names.text(name));
            }
            visited.inode(next.number);
            if (next.type() == FileType.SYMLINK
                    && (!left.isEmpty() || followLast || directoryWanted)) {
                at = follow(next, at, name);
                last = new Resolved(at.number, at.parent, ByteString.EMPTY); // a link to "/"
                continue;
            }
            last =
                    dots
                            ? new Resolved(next.number, next.parent, ByteString.EMPTY)
                            : new Resolved(next.number, at.number, shown);
            at = next;
        }
        if (directoryWanted && !at.isDirectory()) {
            throw new FarmException(
                    ErrorKind.NOT_A_DIRECTORY, OPERATION, last.lastName().toStringUtf8());
        }
        return last;
    }

    /** What the link says comes before what is left of the path; returns where that begins. */
    private Inode follow(Inode link, Inode directory, byte[] name) {
        if (++linksFollowed > Limits.LINKS_FOLLOWED_MAX) {
            throw new FarmException(ErrorKind.LINK_LOOP, OPERATION, Names.text(name));
        }
        byte[] target = link.target().toByteArray();
        push(target);
        return target.length > 0 && target[0] == '/'
                ? state.requireDirectory(Namespace.ROOT, OPERATION)
                : directory;
    }

    private void push(byte[] path) {
        int end = path.length;
        for (int i = path.length - 1; i >= -1; i--) {
            if (i < 0 || path[i] == '/') {
                if (end > i + 1) {
                    left.addFirst(Arrays.copyOfRange(path, i + 1, end));
                }
                end = i;
            }
        }
    }
}
