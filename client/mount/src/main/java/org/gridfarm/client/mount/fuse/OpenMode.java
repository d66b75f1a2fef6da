package org.gridfarm.client.mount.fuse;

/// How the kernel is to treat an open file (`FOPEN_` of `linux/fuse.h`). [OpenFiles] knows which
/// may stand side by side.
public final class OpenMode {

    /// Reads and writes bypass the page cache.
    public static final int DIRECT_IO = 1;

    /// Pages cached earlier are still true.
    public static final int KEEP_CACHE = 1 << 1;

    public static final int NONSEEKABLE = 1 << 2;

    /// Listings of this directory may be cached.
    public static final int CACHE_DIRECTORY = 1 << 3;

    /// close(2) need not write back first.
    public static final int NO_FLUSH = 1 << 5;

    /// Direct writes to one file may run side by side.
    public static final int PARALLEL_DIRECT_WRITES = 1 << 6;

    /// Reads, writes and mappings go to the backing file.
    public static final int PASSTHROUGH = 1 << 7;

    private OpenMode() {}
}
