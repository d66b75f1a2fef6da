package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A POSIX ACL. On the wire it is the kernel's form of the extended attributes
 * system.posix_acl_access and system.posix_acl_default (include uapi/linux/posix_acl_xattr.h): a
 * version of 4 bytes, then entries of tag, permissions (2 bytes each) and id (4 bytes),
 * little-endian. The rules are those of fs/posix_acl.c. Immutable.
 */
final class Acl {
    static final String ACCESS = "system.posix_acl_access";
    static final String DEFAULT = "system.posix_acl_default";

    private static final int VERSION = 2;
    private static final int USER_OBJ = 0x01;
    private static final int USER = 0x02;
    private static final int GROUP_OBJ = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHER = 0x20;
    private static final int NO_ID = -1;

    /** Entries in order: tag << 8 | permissions, then the id. */
    private final int[] entries;

    private Acl(int[] entries) {
        this.entries = entries;
    }

    /**
     * Null: no entries, which means that the ACL is to go. Refuses with INVALID what the kernel
     * would.
     */
    static @Nullable Acl parse(byte[] value) {
        if (value.length == 0) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        if (value.length < 4 || (value.length - 4) % 8 != 0 || in.getInt() != VERSION) {
            throw invalid("not of the kernel's form");
        }
        int count = (value.length - 4) / 8;
        if (count == 0) {
            return null;
        }
        if (count > Limits.ACL_ENTRIES_MAX) {
            throw invalid("more than " + Limits.ACL_ENTRIES_MAX + " entries");
        }
        int[] entries = new int[count * 2];
        for (int i = 0; i < entries.length; i += 2) {
            int tag = in.getShort() & 0xffff;
            int permissions = in.getShort() & 0xffff;
            int id = in.getInt();
            if ((permissions & ~7) != 0 || Integer.bitCount(tag) != 1 || tag > OTHER) {
                throw invalid("unknown tag or permission");
            }
            entries[i] = tag << 8 | permissions;
            entries[i + 1] = tag == USER || tag == GROUP ? id : NO_ID;
        }
        Acl acl = new Acl(entries);
        acl.validate();
        return acl;
    }

    /**
     * As posix_acl_valid(): the parts in order, each once, with a mask where users or groups are
     * named.
     */
    private void validate() {
        int stage = USER_OBJ;
        boolean maskNeeded = false;
        for (int i = 0; i < entries.length; i += 2) {
            int tag = tag(i);
            boolean fits =
                    switch (tag) {
                        case USER_OBJ -> stage == USER_OBJ;
                        case USER -> stage == USER;
                        case GROUP_OBJ -> stage == USER;
                        case GROUP -> stage == GROUP;
                        case MASK -> stage == GROUP;
                        default -> stage == OTHER || (stage == GROUP && !maskNeeded);
                    };
            if (!fits || ((tag == USER || tag == GROUP) && entries[i + 1] == NO_ID)) {
                throw invalid("entries out of order or incomplete");
            }
            maskNeeded |= tag == USER || tag == GROUP;
            stage =
                    switch (tag) {
                        case USER_OBJ, USER -> USER;
                        case GROUP_OBJ, GROUP -> GROUP;
                        case MASK -> OTHER;
                        default -> 0;
                    };
        }
        if (stage != 0) {
            throw invalid("entries out of order or incomplete");
        }
    }

    private static FarmException invalid(String why) {
        return new FarmException(ErrorKind.INVALID, "set acl", "", why);
    }

    byte[] bytes() {
        ByteBuffer out = ByteBuffer.allocate(4 + entries.length * 4).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(VERSION);
        for (int i = 0; i < entries.length; i += 2) {
            out.putShort((short) tag(i)).putShort((short) permissions(i)).putInt(entries[i + 1]);
        }
        return out.array();
    }

    /** Only owner, group and others: the mode says as much. */
    boolean isMinimal() {
        return entries.length == 6;
    }

    /** The nine permission bits of the mode that go with this access ACL. */
    int mode() {
        int group = find(MASK);
        return permissions(find(USER_OBJ)) << 6
                | permissions(group < 0 ? find(GROUP_OBJ) : group) << 3
                | permissions(find(OTHER));
    }

    /** This ACL after a chmod (__posix_acl_chmod_masq). */
    Acl withMode(int mode) {
        int[] changed = entries.clone();
        int group = find(MASK) < 0 ? find(GROUP_OBJ) : find(MASK);
        set(changed, find(USER_OBJ), mode >> 6 & 7);
        set(changed, group, mode >> 3 & 7);
        set(changed, find(OTHER), mode & 7);
        return new Acl(changed);
    }

    /**
     * The access ACL of what is made with this mode in a directory that has this as its default
     * (posix_acl_create_masq).
     */
    Acl forNew(int mode) {
        return withMode(mode & mode());
    }

    /**
     * Whether all of {@code wanted} (rwx bits) is allowed, for somebody who is not the owner
     * (posix_acl_permission).
     */
    boolean permits(Credentials who, int gid, int wanted) {
        boolean inGroup = false;
        int mask = find(MASK);
        int masked = mask < 0 ? 7 : permissions(mask);
        for (int i = 0; i < entries.length; i += 2) {
            boolean allowed = (permissions(i) & wanted) == wanted;
            switch (tag(i)) {
                case USER -> {
                    if (entries[i + 1] == who.getUid()) {
                        return allowed && (masked & wanted) == wanted;
                    }
                }
                case GROUP_OBJ, GROUP -> {
                    int group = tag(i) == GROUP_OBJ ? gid : entries[i + 1];
                    if (Access.inGroup(who, group)) {
                        inGroup = true;
                        if (allowed) {
                            return (masked & wanted) == wanted;
                        }
                    }
                }
                case OTHER -> {
                    return !inGroup && allowed;
                }
                default -> {}
            }
        }
        return false;
    }

    private static void set(int[] entries, int at, int permissions) {
        entries[at] = (entries[at] & ~7) | permissions;
    }

    private int find(int tag) {
        for (int i = 0; i < entries.length; i += 2) {
            if (tag(i) == tag) {
                return i;
            }
        }
        return -1;
    }

    private int tag(int at) {
        return entries[at] >> 8;
    }

    private int permissions(int at) {
        return entries[at] & 7;
    }
}
