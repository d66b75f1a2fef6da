package org.gridfarm.client.mount.fuse;

/// What a SETATTR request changes (`struct fuse_setattr_in`). Borrowed: belongs to the request.
public final class SetAttributes {

    public static final int MODE = 1;
    public static final int UID = 1 << 1;
    public static final int GID = 1 << 2;
    public static final int SIZE = 1 << 3;
    public static final int ATIME = 1 << 4;
    public static final int MTIME = 1 << 5;
    public static final int HANDLE = 1 << 6;
    public static final int ATIME_NOW = 1 << 7;
    public static final int MTIME_NOW = 1 << 8;
    public static final int LOCK_OWNER = 1 << 9;
    public static final int CTIME = 1 << 10;

    /// Set-user and set-group bits must go (chown, or truncate by a caller without CAP_FSETID).
    public static final int KILL_SUIDGID = 1 << 11;

    public int valid;

    /// The open file of ftruncate(2) or futimens(2), [FuseOperations#NO_HANDLE] where there is
    /// none.
    public long handle;

    public long size;
    public long lockOwner;
    public long atime;
    public long mtime;
    public long ctime;
    public int atimeNanos;
    public int mtimeNanos;
    public int ctimeNanos;
    public int mode;
    public int uid;
    public int gid;

    /// True when any of `bits` is to be changed.
    public boolean has(int bits) {
        return (valid & bits) != 0;
    }

    /// True when it says only by what it is asked, not what is to be changed.
    public boolean isOfNothing() {
        return (valid & ~(HANDLE | LOCK_OWNER)) == 0;
    }
}
