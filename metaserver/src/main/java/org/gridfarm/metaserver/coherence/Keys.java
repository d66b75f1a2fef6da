package org.gridfarm.metaserver.coherence;

import com.google.protobuf.ByteString;

/** Holdings and readable things as non-zero longs. Inode numbers are below 2^62. */
public final class Keys {
    private Keys() {}

    /** The attributes, extended attributes and ACL of an inode. */
    public static long attributes(long inode) {
        return inode << 1;
    }

    /** A directory: its entries, the absence of entries, its listing. */
    public static long directory(long inode) {
        return inode << 1 | 1;
    }

    public static boolean isDirectory(long key) {
        return (key & 1) != 0;
    }

    public static long inode(long key) {
        return key >>> 1;
    }

    /**
     * One name in a directory, for waiting only: two names with the same key wait for each other's
     * changes, which is harmless. Never equal to an attribute or directory key.
     */
    public static long entry(long directory, ByteString name) {
        long hash = directory * 0x9E3779B97F4A7C15L + name.hashCode();
        hash ^= hash >>> 29;
        return hash * 0xBF58476D1CE4E5B9L | Long.MIN_VALUE;
    }
}
