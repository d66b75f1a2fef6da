package org.gridfarm.client.mount.fuse;

/// Numbers of Linux that requests carry (`fcntl.h`, `sys/stat.h`, `sys/xattr.h`, `linux/fuse.h`).
public final class Flags {

    public static final int O_ACCMODE = 3;
    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0x40;
    public static final int O_EXCL = 0x80;
    public static final int O_TRUNC = 0x200;
    public static final int O_APPEND = 0x400;
    public static final int O_DIRECT = 0x4000;
    public static final int O_NOFOLLOW = 0x20000;

    public static final int FORMAT_MASK = 0xF000;
    public static final int SOCKET = 0xC000;
    public static final int SYMLINK = 0xA000;
    public static final int REGULAR = 0x8000;
    public static final int BLOCK_DEVICE = 0x6000;
    public static final int DIRECTORY = 0x4000;
    public static final int CHARACTER_DEVICE = 0x2000;
    public static final int FIFO = 0x1000;
    public static final int SET_UID = 0x800;
    public static final int SET_GID = 0x400;
    public static final int STICKY = 0x200;
    public static final int GROUP_EXECUTE = 0x8;
    public static final int PERMISSIONS = 0xFFF;

    public static final int RENAME_NOREPLACE = 1;
    public static final int RENAME_EXCHANGE = 2;
    public static final int RENAME_WHITEOUT = 4;

    public static final int XATTR_CREATE = 1;
    public static final int XATTR_REPLACE = 2;

    /// Written back from the page cache: handle and caller are guesses.
    public static final int WRITE_CACHE = 1;

    /// Set-user and set-group bits must go.
    public static final int WRITE_KILL_SUIDGID = 4;

    public static final int FALLOC_KEEP_SIZE = 1;
    public static final int FALLOC_PUNCH_HOLE = 2;
    public static final int FALLOC_COLLAPSE_RANGE = 8;
    public static final int FALLOC_ZERO_RANGE = 0x10;
    public static final int FALLOC_INSERT_RANGE = 0x20;

    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;

    private Flags() {}

    /// A device number in the 32-bit form of the protocol (the kernel's `new_encode_dev`).
    public static int device(int major, int minor) {
        return (minor & 0xFF) | ((major & 0xFFF) << 8) | ((minor & ~0xFF) << 12);
    }

    public static int major(int device) {
        return (device >>> 8) & 0xFFF;
    }

    public static int minor(int device) {
        return (device & 0xFF) | ((device >>> 12) & ~0xFF);
    }
}
