package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.RemoveXattr;
import org.gridfarm.protocol.wire.SetXattr;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** setxattr and removexattr by the rules of fs/xattr.c; ACLs by those of fs/posix_acl.c. */
final class XattrChanges {
    private XattrChanges() {}

    static Decision.Accepted set(Command c, SetXattr wish) {
        Inode inode = c.inode(wish.getInode());
        XattrName name = XattrName.of(wish.getName(), c.operation);
        if (wish.getValue().size() > Limits.XATTR_VALUE_BYTES_MAX) {
            throw c.refusal(ErrorKind.TOO_BIG, inode.number);
        }
        switch (name.space()) {
            case ACL -> setAcl(c, inode, name, wish.getValue().toByteArray());
            case POLICY -> {
                return PolicyChanges.set(
                        c,
                        PolicyAttributes.wish(
                                inode.number, name.text(), text(wish.getValue()), c.operation));
            }
            default -> {
                name.requireWrite(inode, c);
                Extra extra = inode.extra();
                boolean present = extra != null && extra.xattr(name.bytes()) != null;
                if (wish.getCreate() && present) {
                    throw c.refusal(ErrorKind.ALREADY_EXISTS, inode.number);
                }
                if (wish.getReplace() && !present) {
                    throw c.refusal(ErrorKind.NO_ATTRIBUTE, inode.number);
                }
                requireRoom(c, inode, extra, name, wish.getValue().size());
                c.changed(inode);
                c.draft.xattr(inode.number, name.bytes(), wish.getValue().toByteArray());
            }
        }
        return c.accept(inode.number, 0);
    }

    static Decision.Accepted remove(Command c, RemoveXattr wish) {
        Inode inode = c.inode(wish.getInode());
        XattrName name = XattrName.of(wish.getName(), c.operation);
        switch (name.space()) {
            case ACL -> setAcl(c, inode, name, new byte[0]);
            case POLICY -> {
                return PolicyChanges.set(c, PolicyAttributes.inherited(inode.number));
            }
            default -> {
                name.requireRemoval(inode, c);
                Extra extra = inode.extra();
                if (extra == null || extra.xattr(name.bytes()) == null) {
                    throw c.refusal(ErrorKind.NO_ATTRIBUTE, inode.number);
                }
                c.changed(inode);
                c.draft.xattrGone(inode.number, name.bytes());
            }
        }
        return c.accept(inode.number, 0);
    }

    private static String text(ByteString value) {
        return value.toString(StandardCharsets.UTF_8).strip();
    }

    /** ENOSPC of setxattr(2). What is replaced by no more always fits. */
    private static void requireRoom(
            Command c, Inode inode, @Nullable Extra extra, XattrName name, int valueBytes) {
        byte[] former = extra == null ? null : extra.xattr(name.bytes());
        if (former == null) {
            requireRoomForName(c, inode, extra, name);
        }
        int before = extra == null ? 0 : extra.xattrBytes();
        int more = valueBytes + (former == null ? name.bytes().length : -former.length);
        if (more > 0 && before + more > Limits.XATTR_BYTES_MAX) {
            throw c.refusal(
                    ErrorKind.NO_SPACE,
                    inode.number,
                    "its extended attributes would have "
                            + (before + more)
                            + " of at most "
                            + Limits.XATTR_BYTES_MAX
                            + " bytes; remove some");
        }
    }

    private static void requireRoomForName(
            Command c, Inode inode, @Nullable Extra extra, XattrName name) {
        int bytes = name.bytes().length + 1;
        if (extra != null) {
            for (byte[] other : extra.xattrNames()) {
                bytes += other.length + 1;
            }
        }
        if (bytes > Limits.XATTR_NAMES_BYTES_MAX) {
            throw c.refusal(ErrorKind.NO_SPACE, inode.number, "too many extended attributes");
        }
    }

    private static void setAcl(Command c, Inode inode, XattrName name, byte[] value) {
        name.requireWrite(inode, c);
        Acl acl;
        try {
            acl = Acl.parse(value);
        } catch (FarmException e) {
            throw e.about(c.operation, Names.text(inode.number));
        }
        if (name.text().equals(Acl.DEFAULT)) {
            setDefault(c, inode, name, acl);
            return;
        }
        if (acl == null) {
            if (inode.acl() != null) {
                c.changed(inode);
                c.draft.xattrGone(inode.number, name.bytes());
            }
            return;
        }
        int mode = (inode.mode() & ~0777) | acl.mode();
        if (!Access.isSuperuser(c.who) && !Access.inGroup(c.who, inode.gid)) {
            mode &= ~Access.SGID;
        }
        c.changed(inode).setMode(mode);
        if (!acl.isMinimal()) {
            c.draft.xattr(inode.number, name.bytes(), acl.bytes());
        } else if (inode.acl() != null) {
            c.draft.xattrGone(inode.number, name.bytes());
        }
    }

    private static void setDefault(Command c, Inode inode, XattrName name, @Nullable Acl acl) {
        if (!inode.isDirectory()) {
            if (acl != null) {
                throw c.refusal(
                        ErrorKind.ACCESS_DENIED,
                        inode.number,
                        "only directories have a default ACL");
            }
        } else if (acl != null) {
            c.changed(inode);
            c.draft.xattr(inode.number, name.bytes(), acl.bytes());
        } else if (inode.defaultAcl() != null) {
            c.changed(inode);
            c.draft.xattrGone(inode.number, name.bytes());
        }
    }
}
