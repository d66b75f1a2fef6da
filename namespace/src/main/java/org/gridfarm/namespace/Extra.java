package org.gridfarm.namespace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What few inodes have, kept out of their line. Directories always have one: their {@link Entries}.
 */
class Extra {
    private static final byte[][] NO_XATTRS = {};

    /** Name and value alternate; few, so they are searched in line. */
    private byte[][] xattrs = NO_XATTRS;

    @Nullable Acl acl;
    @Nullable Acl defaultAcl;
    byte @Nullable [] target; // symbolic links
    byte @Nullable [] digest; // of another length than the usual 4 bytes
    long allocated; // when it does not follow from the size
    @Nullable Homes homes; // of a file with several names
    int rdev;
    private int xattrBytes; // of names and values

    byte @Nullable [] xattr(byte[] name) {
        int at = find(name);
        return at < 0 ? null : xattrs[at + 1];
    }

    void putXattr(byte[] name, byte[] value) {
        int at = find(name);
        if (at < 0) {
            at = xattrs.length;
            xattrs = Arrays.copyOf(xattrs, at + 2);
            xattrs[at] = name;
            xattrBytes += name.length;
        } else {
            xattrBytes -= xattrs[at + 1].length;
        }
        xattrs[at + 1] = value;
        xattrBytes += value.length;
    }

    void removeXattr(byte[] name) {
        int at = find(name);
        if (at < 0) {
            return;
        }
        xattrBytes -= xattrs[at].length + xattrs[at + 1].length;
        byte[][] fewer = new byte[xattrs.length - 2][];
        System.arraycopy(xattrs, 0, fewer, 0, at);
        System.arraycopy(xattrs, at + 2, fewer, at, fewer.length - at);
        xattrs = fewer.length == 0 ? NO_XATTRS : fewer;
    }

    /** Names and values, ACLs apart. */
    int xattrBytes() {
        return xattrBytes;
    }

    boolean hasXattrs() {
        return xattrs.length > 0;
    }

    List<byte[]> xattrNames() {
        List<byte[]> names = new ArrayList<>(xattrs.length / 2);
        for (int i = 0; i < xattrs.length; i += 2) {
            names.add(xattrs[i]);
        }
        return names;
    }

    private int find(byte[] name) {
        for (int i = 0; i < xattrs.length; i += 2) {
            if (Arrays.equals(xattrs[i], name)) {
                return i;
            }
        }
        return -1;
    }
}
