package org.gridfarm.client.mount.fuse;

/// A lock of bytes `start` to `end`, both included; `end` is [Long#MAX_VALUE] for the rest of the
/// file.
///
/// @param pid process that holds or wants it
public record LockRange(long start, long end, int type, int pid) {

    public static final int READ = 0;
    public static final int WRITE = 1;
    public static final int UNLOCK = 2;

    public boolean overlaps(LockRange other) {
        return start <= other.end && other.start <= end;
    }

    /// True when two owners cannot hold both.
    public boolean conflicts(LockRange other) {
        return overlaps(other) && (type == WRITE || other.type == WRITE);
    }
}
