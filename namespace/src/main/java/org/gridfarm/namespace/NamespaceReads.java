package org.gridfarm.namespace;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.ReadDirectoryReply;
import org.gridfarm.protocol.wire.XattrImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The reads behind {@link Namespace}. */
final class NamespaceReads {
    static final ByteString ACCESS_ACL = ByteString.copyFromUtf8(Acl.ACCESS);
    static final ByteString DEFAULT_ACL = ByteString.copyFromUtf8(Acl.DEFAULT);

    private final Namespace state;

    NamespaceReads(Namespace state) {
        this.state = state;
    }

    Attributes.@Nullable Builder lookup(long parent, ByteString name, Credentials who) {
        Inode directory = state.requireDirectory(parent, "lookup");
        Access.require(directory, who, Access.EXECUTE, "lookup", Names.text(parent));
        Inode found = state.entryOf(directory, Names.searched(name, "lookup"));
        return found == null ? null : found.attributes(state.defaultReplicas());
    }

    boolean isEmptyDirectory(long inode) {
        Inode directory = state.find(inode);
        return directory != null && directory.isDirectory() && directory.entries().isEmpty();
    }

    long peek(long parent, ByteString name) {
        Inode directory = state.find(parent);
        Inode found =
                directory == null || !directory.isDirectory()
                        ? null
                        : state.entryOf(directory, name.toByteArray());
        return found == null ? 0 : found.number;
    }

    ReadDirectoryReply.Builder list(
            long number, long cookie, int limit, boolean withAttributes, Credentials who) {
        Inode directory = state.requireDirectory(number, "list");
        Access.require(directory, who, Access.READ, "list", Names.text(number));
        boolean attributes = withAttributes && Access.may(directory, who, Access.EXECUTE);
        ReadDirectoryReply.Builder reply =
                ReadDirectoryReply.newBuilder().setParent(directory.parent);
        Entries entries = directory.entries();
        int position = entries.after(cookie);
        for (; position < entries.end() && reply.getEntriesCount() < limit; position++) {
            Entry entry = entries.at(position);
            if (entry != null && entry.inode.exists()) {
                DirectoryEntry.Builder shown =
                        reply.addEntriesBuilder()
                                .setName(UnsafeByteOperations.unsafeWrap(entry.name))
                                .setInode(entry.inode.number)
                                .setType(entry.inode.type())
                                .setCookie(entry.cookie);
                if (attributes) {
                    shown.setAttributes(entry.inode.attributes(state.defaultReplicas()));
                }
            }
        }
        return reply.setEnd(position >= entries.end());
    }

    ByteString readLink(long number) {
        Inode inode = state.require(number, "readlink");
        if (inode.type() != FileType.SYMLINK) {
            throw new FarmException(
                    ErrorKind.INVALID, "readlink", Names.text(number), "not a symbolic link");
        }
        return inode.target();
    }

    ByteString getXattr(long number, ByteString wanted, Credentials who) {
        Inode inode = state.require(number, "get xattr");
        XattrName name = XattrName.of(wanted, "get xattr");
        byte[] value = name.isVisible(inode, who) ? value(inode, name) : null;
        if (value == null) {
            throw new FarmException(ErrorKind.NO_ATTRIBUTE, "get xattr", name.text());
        }
        if (name.space() == XattrName.Space.USER) {
            Access.require(inode, who, Access.READ, "get xattr", name.text());
        }
        return UnsafeByteOperations.unsafeWrap(value);
    }

    private byte @Nullable [] value(Inode inode, XattrName name) {
        return switch (name.space()) {
            case ACL -> {
                Acl acl = name.text().equals(Acl.ACCESS) ? inode.acl() : inode.defaultAcl();
                yield acl == null ? null : acl.bytes();
            }
            case POLICY ->
                    PolicyAttributes.read(inode.policy(), state.defaultReplicas(), name.text());
            default -> {
                Extra extra = inode.extra();
                yield extra == null ? null : extra.xattr(name.bytes());
            }
        };
    }

    List<ByteString> listXattr(long number, Credentials who) {
        Inode inode = state.require(number, "list xattr");
        List<ByteString> names = new ArrayList<>();
        Extra extra = inode.extra();
        if (extra == null) {
            return names;
        }
        if (extra.acl != null) {
            names.add(ACCESS_ACL);
        }
        if (extra.defaultAcl != null) {
            names.add(DEFAULT_ACL);
        }
        for (byte[] bytes : extra.xattrNames()) {
            ByteString name = UnsafeByteOperations.unsafeWrap(bytes);
            if (XattrName.of(name, "list xattr").isVisible(inode, who)) {
                names.add(name);
            }
        }
        return names;
    }

    String path(long number) {
        Inode at = state.find(number);
        ArrayDeque<String> names = new ArrayDeque<>();
        while (at != null && at.number != Namespace.ROOT) {
            Inode parent = state.find(at.parent);
            String name = parent == null || !parent.isDirectory() ? null : nameOf(parent, at);
            if (name == null) {
                names.addFirst("(" + Names.text(at.number) + ")");
                return String.join("/", names);
            }
            names.addFirst(name);
            at = parent;
        }
        return at == null ? "(" + Names.text(number) + ")" : "/" + String.join("/", names);
    }

    private static @Nullable String nameOf(Inode directory, Inode child) {
        Entries entries = directory.entries();
        for (int i = 0; i < entries.end(); i++) {
            Entry entry = entries.at(i);
            if (entry != null && entry.inode == child) {
                return Names.text(entry.name);
            }
        }
        return null;
    }

    void exportInode(long number, Consumer<Change> sink) {
        Inode inode = state.find(number);
        if (inode == null) {
            return;
        }
        sink.accept(Change.newBuilder().setInode(inode.image()).build());
        if (inode.isOrphan()) {
            sink.accept(Change.newBuilder().setOrphan(number).build());
        }
        Extra extra = inode.extra();
        if (extra == null) {
            return;
        }
        if (extra.acl != null) {
            sink.accept(xattr(number, ACCESS_ACL, extra.acl.bytes()));
        }
        if (extra.defaultAcl != null) {
            sink.accept(xattr(number, DEFAULT_ACL, extra.defaultAcl.bytes()));
        }
        for (byte[] name : extra.xattrNames()) {
            byte[] value = extra.xattr(name);
            if (value != null) {
                sink.accept(xattr(number, UnsafeByteOperations.unsafeWrap(name), value));
            }
        }
    }

    private static Change xattr(long inode, ByteString name, byte[] value) {
        return Change.newBuilder()
                .setXattr(
                        XattrImage.newBuilder()
                                .setInode(inode)
                                .setName(name)
                                .setValue(UnsafeByteOperations.unsafeWrap(value)))
                .build();
    }

    void exportEntries(long number, Consumer<Change> sink) {
        Inode directory = state.find(number);
        if (directory == null || !directory.isDirectory()) {
            return;
        }
        Entries entries = directory.entries();
        for (int i = 0; i < entries.end(); i++) {
            Entry entry = entries.at(i);
            if (entry != null) {
                sink.accept(Change.newBuilder().setDirent(row(number, entry)).build());
            }
        }
    }

    long exportEntries(long number, long cookie, int limit, Consumer<Change> sink) {
        Inode directory = state.find(number);
        if (directory == null || !directory.isDirectory()) {
            return 0;
        }
        Entries entries = directory.entries();
        int given = 0;
        for (int i = entries.after(cookie); i < entries.end(); i++) {
            Entry entry = entries.at(i);
            if (entry != null) {
                sink.accept(Change.newBuilder().setDirent(row(number, entry)).build());
                if (++given == limit) {
                    return entry.cookie;
                }
            }
        }
        return 0;
    }

    private static DirentImage row(long directory, Entry entry) {
        return DirentImage.newBuilder()
                .setParent(directory)
                .setName(UnsafeByteOperations.unsafeWrap(entry.name))
                .setInode(entry.inode.number)
                .setType(entry.inode.type())
                .setCookie(entry.cookie)
                .build();
    }
}
