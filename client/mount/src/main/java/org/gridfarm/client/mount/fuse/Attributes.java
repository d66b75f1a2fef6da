package org.gridfarm.client.mount.fuse;

/// Attributes of a file on their way to the kernel (`struct fuse_attr`).
///
/// Mutable and without references, so that a request can carry one along and a file system fill it
/// under its own lock. Times are seconds and nanoseconds since 1970 UTC, `blocks` are of 512 bytes.
public final class Attributes {

    public long inode;
    public long size;
    public long blocks;
    public long atime;
    public long mtime;
    public long ctime;
    public int atimeNanos;
    public int mtimeNanos;
    public int ctimeNanos;

    /// When it was made; 0 and 0: not known.
    public long btime;

    public int btimeNanos;

    /// Format and permission bits.
    public int mode;

    public int links;
    public int uid;
    public int gid;

    /// Device number of a device node, in the kernel's 32-bit form ([Flags#device(int, int)]).
    public int device;

    /// Preferred size of IO in bytes.
    public int blockBytes;
}
