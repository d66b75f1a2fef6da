package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;

import java.nio.charset.StandardCharsets;

/**
 * The name of an extended attribute and the space it belongs to, which decides who may read and
 * write it.
 */
record XattrName(byte[] bytes, String text, Space space) {
    enum Space {
        USER,
        TRUSTED,
        SECURITY,
        ACL,
        /** gf.replicas and its like: not stored, but a view of the policy. */
        POLICY
    }

    /** Refuses with RANGE what is no name and with UNSUPPORTED what is in no known space. */
    static XattrName of(ByteString name, String operation) {
        String text = name.toString(StandardCharsets.ISO_8859_1);
        if (name.isEmpty() || name.size() > Limits.XATTR_NAME_BYTES_MAX || text.indexOf(0) >= 0) {
            throw new FarmException(
                    ErrorKind.RANGE,
                    operation,
                    text,
                    "the name of an attribute has 1 to 255 bytes");
        }
        return new XattrName(name.toByteArray(), text, spaceOf(text, operation));
    }

    private static Space spaceOf(String text, String operation) {
        if (isBelow(text, "user.")) {
            return Space.USER;
        }
        if (isBelow(text, "trusted.")) {
            return Space.TRUSTED;
        }
        if (isBelow(text, "security.")) {
            return Space.SECURITY;
        }
        if (text.equals(Acl.ACCESS) || text.equals(Acl.DEFAULT)) {
            return Space.ACL;
        }
        if (PolicyAttributes.NAMES.contains(text)) {
            return Space.POLICY;
        }
        throw new FarmException(ErrorKind.UNSUPPORTED, operation, text);
    }

    private static boolean isBelow(String text, String prefix) {
        return text.length() > prefix.length() && text.startsWith(prefix);
    }

    /**
     * Capabilities go also in the name of whoever changes the file: its content, which needs the
     * right to write, or its owner. The kernel asks for that before it lets him.
     */
    void requireRemoval(Inode inode, Command c) {
        if (!Privileges.isCapability(bytes) || !c.mayChange(inode)) {
            requireWrite(inode, c);
        }
    }

    void requireWrite(Inode inode, Command c) {
        boolean allowed =
                switch (space) {
                    case USER -> holdsUserAttributes(inode) && !isForeignSticky(inode, c.who);
                    case TRUSTED, SECURITY -> Access.isSuperuser(c.who);
                    case ACL, POLICY -> Access.owns(inode, c.who);
                };
        if (space == Space.ACL && inode.type() == FileType.SYMLINK) {
            throw c.refusal(ErrorKind.UNSUPPORTED, inode.number);
        }
        if (!allowed) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
        }
        if (space == Space.USER) {
            Access.require(inode, c.who, Access.WRITE, c.operation, Names.text(inode.number));
        }
    }

    /** False: for this asker the attribute does not exist. */
    boolean isVisible(Inode inode, Credentials who) {
        return switch (space) {
            case USER -> holdsUserAttributes(inode);
            case TRUSTED -> Access.isSuperuser(who);
            case SECURITY, ACL, POLICY -> true;
        };
    }

    private static boolean holdsUserAttributes(Inode inode) {
        return inode.isRegular() || inode.isDirectory();
    }

    private static boolean isForeignSticky(Inode inode, Credentials who) {
        return inode.isDirectory()
                && (inode.mode() & Access.STICKY) != 0
                && !Access.owns(inode, who);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof XattrName name && text.equals(name.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
