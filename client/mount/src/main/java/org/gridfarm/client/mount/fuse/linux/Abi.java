package org.gridfarm.client.mount.fuse.linux;

/// Offsets, sizes and numbers of `linux/fuse.h` 7.45, the same on x86-64 and aarch64. A test
/// compiles the header and compares.
///
/// Offsets of request bodies count from the end of the request header, of reply bodies from the end
/// of the reply header.
final class Abi {

    static final int MAJOR = 7;
    static final int MINOR = 45;
    static final int MINOR_OLDEST = 31;

    // struct fuse_in_header
    static final int IN_LEN = 0;
    static final int IN_OPCODE = 4;
    static final int IN_UNIQUE = 8;
    static final int IN_NODEID = 16;
    static final int IN_UID = 24;
    static final int IN_GID = 28;
    static final int IN_PID = 32;
    static final int IN_BYTES = 40;

    // struct fuse_out_header
    static final int OUT_LEN = 0;
    static final int OUT_ERROR = 4;
    static final int OUT_UNIQUE = 8;
    static final int OUT_BYTES = 16;

    /// Bit of `unique` in a request that was delivered before.
    static final long UNIQUE_RESEND = 1L << 63;

    static final int LOOKUP = 1;
    static final int FORGET = 2;
    static final int GETATTR = 3;
    static final int SETATTR = 4;
    static final int READLINK = 5;
    static final int SYMLINK = 6;
    static final int MKNOD = 8;
    static final int MKDIR = 9;
    static final int UNLINK = 10;
    static final int RMDIR = 11;
    static final int RENAME = 12;
    static final int LINK = 13;
    static final int OPEN = 14;
    static final int READ = 15;
    static final int WRITE = 16;
    static final int STATFS = 17;
    static final int RELEASE = 18;
    static final int FSYNC = 20;
    static final int SETXATTR = 21;
    static final int GETXATTR = 22;
    static final int LISTXATTR = 23;
    static final int REMOVEXATTR = 24;
    static final int FLUSH = 25;
    static final int INIT = 26;
    static final int OPENDIR = 27;
    static final int READDIR = 28;
    static final int RELEASEDIR = 29;
    static final int FSYNCDIR = 30;
    static final int GETLK = 31;
    static final int SETLK = 32;
    static final int SETLKW = 33;
    static final int ACCESS = 34;
    static final int CREATE = 35;
    static final int INTERRUPT = 36;
    static final int BMAP = 37;
    static final int DESTROY = 38;
    static final int IOCTL = 39;
    static final int POLL = 40;
    static final int BATCH_FORGET = 42;
    static final int FALLOCATE = 43;
    static final int READDIRPLUS = 44;
    static final int RENAME2 = 45;
    static final int LSEEK = 46;
    static final int COPY_FILE_RANGE = 47;
    static final int SYNCFS = 50;
    static final int TMPFILE = 51;
    static final int STATX = 52;
    static final int COPY_FILE_RANGE_64 = 53;
    static final int OPCODE_END = 54;

    // struct fuse_attr
    static final int ATTR_INO = 0;
    static final int ATTR_SIZE = 8;
    static final int ATTR_BLOCKS = 16;
    static final int ATTR_ATIME = 24;
    static final int ATTR_MTIME = 32;
    static final int ATTR_CTIME = 40;
    static final int ATTR_ATIMENSEC = 48;
    static final int ATTR_MTIMENSEC = 52;
    static final int ATTR_CTIMENSEC = 56;
    static final int ATTR_MODE = 60;
    static final int ATTR_NLINK = 64;
    static final int ATTR_UID = 68;
    static final int ATTR_GID = 72;
    static final int ATTR_RDEV = 76;
    static final int ATTR_BLKSIZE = 80;
    static final int ATTR_FLAGS = 84;
    static final int ATTR_BYTES = 88;

    // struct fuse_entry_out
    static final int ENTRY_NODEID = 0;
    static final int ENTRY_GENERATION = 8;
    static final int ENTRY_VALID = 16;
    static final int ENTRY_ATTR_VALID = 24;
    static final int ENTRY_VALID_NSEC = 32;
    static final int ENTRY_ATTR_VALID_NSEC = 36;
    static final int ENTRY_ATTR = 40;
    static final int ENTRY_BYTES = 128;

    // struct fuse_attr_out
    static final int ATTR_OUT_VALID = 0;
    static final int ATTR_OUT_VALID_NSEC = 8;
    static final int ATTR_OUT_ATTR = 16;
    static final int ATTR_OUT_BYTES = 104;

    // struct fuse_open_out; 12 is backing_id since 7.40, padding before
    static final int OPEN_FH = 0;
    static final int OPEN_FLAGS = 8;
    static final int OPEN_BACKING = 12;
    static final int OPEN_BYTES = 16;

    // struct fuse_getattr_in
    static final int GETATTR_FLAGS = 0;
    static final int GETATTR_FH = 8;
    static final int GETATTR_HAS_FH = 1;

    // struct fuse_statx_in begins as fuse_getattr_in; struct fuse_statx_out, with struct fuse_statx
    static final int STATX_OUT_VALID = 0;
    static final int STATX_OUT_VALID_NSEC = 8;
    static final int STATX_OUT_STAT = 32;
    static final int STATX_OUT_BYTES = 288;
    static final int STATX_MASK = 0;
    static final int STATX_BLKSIZE = 4;
    static final int STATX_NLINK = 16;
    static final int STATX_UID = 20;
    static final int STATX_GID = 24;
    static final int STATX_MODE = 28;
    static final int STATX_INO = 32;
    static final int STATX_SIZE = 40;
    static final int STATX_BLOCKS = 48;
    static final int STATX_ATIME = 64; // struct fuse_sx_time: seconds, and nanoseconds 8 behind
    static final int STATX_BTIME = 80;
    static final int STATX_CTIME = 96;
    static final int STATX_MTIME = 112;
    static final int STATX_RDEV_MAJOR = 128;
    static final int STATX_RDEV_MINOR = 132;
    static final int STATX_BASIC_STATS = 0x7ff;
    static final int STATX_HAS_BTIME = 0x800;

    // struct fuse_setattr_in
    static final int SETATTR_VALID = 0;
    static final int SETATTR_FH = 8;
    static final int SETATTR_SIZE = 16;
    static final int SETATTR_LOCK_OWNER = 24;
    static final int SETATTR_ATIME = 32;
    static final int SETATTR_MTIME = 40;
    static final int SETATTR_CTIME = 48;
    static final int SETATTR_ATIMENSEC = 56;
    static final int SETATTR_MTIMENSEC = 60;
    static final int SETATTR_CTIMENSEC = 64;
    static final int SETATTR_MODE = 68;
    static final int SETATTR_UID = 76;
    static final int SETATTR_GID = 80;

    // struct fuse_mknod_in
    static final int MKNOD_MODE = 0;
    static final int MKNOD_RDEV = 4;
    static final int MKNOD_UMASK = 8;
    static final int MKNOD_BYTES = 16;

    // struct fuse_mkdir_in
    static final int MKDIR_MODE = 0;
    static final int MKDIR_UMASK = 4;
    static final int MKDIR_BYTES = 8;

    // struct fuse_rename_in, struct fuse_rename2_in
    static final int RENAME_NEWDIR = 0;
    static final int RENAME_BYTES = 8;
    static final int RENAME2_FLAGS = 8;
    static final int RENAME2_BYTES = 16;

    // struct fuse_link_in
    static final int LINK_OLDNODEID = 0;
    static final int LINK_BYTES = 8;

    // struct fuse_open_in
    static final int OPEN_IN_FLAGS = 0;
    static final int OPEN_IN_OPEN_FLAGS = 4;
    static final int OPEN_KILL_SUIDGID = 1;

    // struct fuse_create_in
    static final int CREATE_FLAGS = 0;
    static final int CREATE_MODE = 4;
    static final int CREATE_UMASK = 8;
    static final int CREATE_BYTES = 16;

    // struct fuse_read_in, struct fuse_write_in
    static final int READ_FH = 0;
    static final int READ_OFFSET = 8;
    static final int READ_SIZE = 16;
    static final int READ_READ_FLAGS = 20;
    static final int READ_LOCKOWNER =
            1 << 1; // a process asks; what goes into the cache has no owner
    static final int WRITE_WRITE_FLAGS = 20;
    static final int READ_FLAGS = 32;
    static final int WRITE_BYTES = 40;

    // struct fuse_write_out
    static final int WRITE_OUT_BYTES = 8;

    // struct fuse_release_in
    static final int RELEASE_FH = 0;
    static final int RELEASE_FLAGS = 8;
    static final int RELEASE_RELEASE_FLAGS = 12;
    static final int RELEASE_LOCK_OWNER = 16;
    static final int RELEASE_FLOCK_UNLOCK = 2;

    // struct fuse_flush_in
    static final int FLUSH_FH = 0;
    static final int FLUSH_LOCK_OWNER = 16;

    // struct fuse_fsync_in
    static final int FSYNC_FH = 0;
    static final int FSYNC_FLAGS = 8;
    static final int FSYNC_DATASYNC = 1;

    // struct fuse_setxattr_in
    static final int SETXATTR_SIZE = 0;
    static final int SETXATTR_FLAGS = 4;
    static final int SETXATTR_SETXATTR_FLAGS = 8;
    static final int SETXATTR_BYTES = 16;
    static final int SETXATTR_BYTES_SHORT = 8;
    static final int SETXATTR_ACL_KILL_SGID = 1;

    // struct fuse_getxattr_in, struct fuse_getxattr_out
    static final int GETXATTR_SIZE = 0;
    static final int GETXATTR_BYTES = 8;
    static final int GETXATTR_OUT_BYTES = 8;

    // struct fuse_lk_in, struct fuse_lk_out
    static final int LK_FH = 0;
    static final int LK_OWNER = 8;
    static final int LK_START = 16;
    static final int LK_END = 24;
    static final int LK_TYPE = 32;
    static final int LK_PID = 36;
    static final int LK_FLAGS = 40;
    static final int LK_FLOCK = 1;
    static final int LK_OUT_BYTES = 24;

    // struct fuse_access_in, fuse_interrupt_in, fuse_forget_in: one field at 0
    static final int FORGET_ONE_BYTES = 16;
    static final int BATCH_FORGET_BYTES = 8;

    // struct fuse_ioctl_in, struct fuse_ioctl_out
    static final int IOCTL_FH = 0;
    static final int IOCTL_CMD = 12;
    static final int IOCTL_IN_SIZE = 24;
    static final int IOCTL_OUT_SIZE = 28;
    static final int IOCTL_BYTES = 32;
    static final int IOCTL_OUT_BYTES = 16;

    // struct fuse_fallocate_in
    static final int FALLOCATE_FH = 0;
    static final int FALLOCATE_OFFSET = 8;
    static final int FALLOCATE_LENGTH = 16;
    static final int FALLOCATE_MODE = 24;

    // struct fuse_lseek_in
    static final int LSEEK_FH = 0;
    static final int LSEEK_OFFSET = 8;
    static final int LSEEK_WHENCE = 16;

    // struct fuse_copy_file_range_in
    static final int COPY_FH_IN = 0;
    static final int COPY_OFF_IN = 8;
    static final int COPY_NODEID_OUT = 16;
    static final int COPY_FH_OUT = 24;
    static final int COPY_OFF_OUT = 32;
    static final int COPY_LEN = 40;
    static final int COPY_FLAGS = 48;

    // struct fuse_statfs_out
    static final int STATFS_BLOCKS = 0;
    static final int STATFS_BFREE = 8;
    static final int STATFS_BAVAIL = 16;
    static final int STATFS_FILES = 24;
    static final int STATFS_FFREE = 32;
    static final int STATFS_BSIZE = 40;
    static final int STATFS_NAMELEN = 44;
    static final int STATFS_FRSIZE = 48;
    static final int STATFS_BYTES = 80;

    // struct fuse_dirent, struct fuse_direntplus
    static final int DIRENT_INO = 0;
    static final int DIRENT_OFF = 8;
    static final int DIRENT_NAMELEN = 16;
    static final int DIRENT_TYPE = 20;
    static final int DIRENT_NAME = 24;

    // struct fuse_init_in
    static final int INIT_MAJOR = 0;
    static final int INIT_MINOR = 4;
    static final int INIT_MAX_READAHEAD = 8;
    static final int INIT_FLAGS = 12;
    static final int INIT_FLAGS2 = 16;

    // struct fuse_init_out
    static final int INIT_OUT_MAX_BACKGROUND = 16;
    static final int INIT_OUT_CONGESTION = 18;
    static final int INIT_OUT_MAX_WRITE = 20;
    static final int INIT_OUT_TIME_GRAN = 24;
    static final int INIT_OUT_MAX_PAGES = 28;
    static final int INIT_OUT_FLAGS2 = 32;
    static final int INIT_OUT_MAX_STACK_DEPTH = 36;
    static final int INIT_OUT_BYTES = 64;

    static final long ASYNC_READ = 1;
    static final long POSIX_LOCKS = 1 << 1;
    static final long ATOMIC_O_TRUNC = 1 << 3;
    static final long EXPORT_SUPPORT = 1 << 4;
    static final long BIG_WRITES = 1 << 5;
    static final long DONT_MASK = 1 << 6;
    static final long FLOCK_LOCKS = 1 << 10;
    static final long HAS_IOCTL_DIR = 1 << 11;
    static final long DO_READDIRPLUS = 1 << 13;
    static final long READDIRPLUS_AUTO = 1 << 14;
    static final long ASYNC_DIO = 1 << 15;
    static final long WRITEBACK_CACHE = 1 << 16;
    static final long PARALLEL_DIROPS = 1 << 18;
    static final long POSIX_ACL = 1 << 20;
    static final long ABORT_ERROR = 1 << 21;
    static final long MAX_PAGES = 1 << 22;
    static final long CACHE_SYMLINKS = 1 << 23;
    static final long EXPLICIT_INVAL_DATA = 1 << 25;
    static final long HANDLE_KILLPRIV_V2 = 1 << 28;
    static final long SETXATTR_EXT = 1 << 29;
    static final long INIT_EXT = 1 << 30;
    static final long HAS_EXPIRE_ONLY = 1L << 35;
    static final long DIRECT_IO_ALLOW_MMAP = 1L << 36;
    static final long PASSTHROUGH = 1L << 37;
    static final long HAS_RESEND = 1L << 39;

    static final int NOTIFY_INVAL_INODE = 2;
    static final int NOTIFY_INVAL_ENTRY = 3;
    static final int NOTIFY_DELETE = 6;
    static final int NOTIFY_RESEND = 7;
    static final int NOTIFY_INC_EPOCH = 8;

    // struct fuse_notify_inval_inode_out
    static final int INVAL_INODE_INO = 0;
    static final int INVAL_INODE_OFF = 8;
    static final int INVAL_INODE_LEN = 16;
    static final int INVAL_INODE_BYTES = 24;

    // struct fuse_notify_inval_entry_out
    static final int INVAL_ENTRY_PARENT = 0;
    static final int INVAL_ENTRY_NAMELEN = 8;
    static final int INVAL_ENTRY_FLAGS = 12;
    static final int INVAL_ENTRY_BYTES = 16;
    static final int EXPIRE_ONLY = 1;

    // struct fuse_notify_delete_out
    static final int DELETE_PARENT = 0;
    static final int DELETE_CHILD = 8;
    static final int DELETE_NAMELEN = 16;
    static final int DELETE_BYTES = 24;

    // struct fuse_backing_map, and the ioctls that take it or its number
    static final int BACKING_FD = 0;
    static final int BACKING_MAP_BYTES = 16;
    static final long IOC_BACKING_OPEN = 0x4010e501L;
    static final long IOC_BACKING_CLOSE = 0x4004e502L;

    static final int NAME_BYTES_MAX = 1024;

    private Abi() {}

    /// As people know it; empty: it has no answer, or is none that a mount is asked.
    static String name(int opcode) {
        return switch (opcode) {
            case LOOKUP -> "lookup";
            case GETATTR, STATX -> "getattr";
            case SETATTR -> "setattr";
            case READLINK -> "readlink";
            case SYMLINK -> "symlink";
            case MKNOD -> "mknod";
            case MKDIR -> "mkdir";
            case UNLINK -> "unlink";
            case RMDIR -> "rmdir";
            case RENAME, RENAME2 -> "rename";
            case LINK -> "link";
            case OPEN -> "open";
            case READ -> "read";
            case WRITE -> "write";
            case STATFS -> "statfs";
            case RELEASE -> "release";
            case FSYNC -> "fsync";
            case SETXATTR -> "setxattr";
            case GETXATTR -> "getxattr";
            case LISTXATTR -> "listxattr";
            case REMOVEXATTR -> "removexattr";
            case FLUSH -> "flush";
            case OPENDIR -> "opendir";
            case READDIR, READDIRPLUS -> "readdir";
            case RELEASEDIR -> "releasedir";
            case FSYNCDIR -> "fsyncdir";
            case GETLK -> "getlk";
            case SETLK -> "setlk";
            case SETLKW -> "setlkw";
            case ACCESS -> "access";
            case CREATE -> "create";
            case IOCTL -> "ioctl";
            case FALLOCATE -> "fallocate";
            case LSEEK -> "lseek";
            case COPY_FILE_RANGE, COPY_FILE_RANGE_64 -> "copy_file_range";
            case SYNCFS -> "syncfs";
            case TMPFILE -> "tmpfile";
            default -> "";
        };
    }

    /// Whoever sends it waits for its answer. Others may come late, when their thread is at
    /// something else.
    static boolean isOfACall(int opcode) {
        return switch (opcode) {
            case READ, WRITE, RELEASE, RELEASEDIR, FORGET, BATCH_FORGET -> false;
            default -> true;
        };
    }

    /// Length of a directory record of `bytes`, padded to 8.
    static int align(int bytes) {
        return (bytes + 7) & ~7;
    }
}
