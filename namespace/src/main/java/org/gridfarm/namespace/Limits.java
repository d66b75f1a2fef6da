package org.gridfarm.namespace;

/** The limits of the namespace. */
public final class Limits {
    /** Bytes of one name, as in Linux. */
    public static final int NAME_BYTES_MAX = 255;

    /** Bytes of a path and of a symbolic link's target: PATH_MAX without its NUL. */
    public static final int PATH_BYTES_MAX = 4095;

    /** Symbolic links followed in one path, as in Linux. */
    public static final int LINKS_FOLLOWED_MAX = 40;

    /**
     * Names of one file: as many as ext4 gives, so that what is copied back fits. Directories have
     * no such limit.
     */
    public static final int HARD_LINKS_MAX = 65_000;

    /**
     * Bytes of an extended attribute's name and value, and of all names of one inode
     * (XATTR_LIST_MAX).
     */
    public static final int XATTR_NAME_BYTES_MAX = 255;

    public static final int XATTR_VALUE_BYTES_MAX = 64 << 10;
    public static final int XATTR_NAMES_BYTES_MAX = 64 << 10;

    /**
     * Bytes of names and values of all extended attributes of one inode, ACLs apart: one value of
     * the largest size and as much besides. They are in the memory of every metaserver; ext4 and
     * XFS hold about as much in an inode's own blocks.
     */
    public static final int XATTR_BYTES_MAX = 128 << 10;

    /**
     * Entries of one ACL: fits a value of 64 KiB with room, and more could not be read by people.
     */
    public static final int ACL_ENTRIES_MAX = 1024;

    /** Bytes of the largest file: what a signed 64-bit offset can name. */
    public static final long FILE_BYTES_MAX = Long.MAX_VALUE;

    /** Copies of one file: more nodes than this would only slow its writes down. */
    public static final int REPLICAS_MAX = 64;

    /** Objects of one file. */
    public static final int STRIPES_MAX = 1024;

    /** Bytes of a stripe unit: a multiple of the checksum block of 64 KiB. */
    public static final long STRIPE_UNIT_MULTIPLE = 64 << 10;

    public static final long STRIPE_UNIT_DEFAULT = 64L << 20;

    private Limits() {}
}
