package org.gridfarm.client.mount.fuse;

import java.util.concurrent.atomic.AtomicInteger;

/// Other node numbers of a directory, for when the kernel cannot be told of it by its own: it has
/// one place for each node, and may be unable to move it there ([Places]). A rename needs no more
/// than that there is something. Requests at such a number are requests at the directory, of which
/// the kernel may believe nothing, since recalls name the directory's own number. Thread-safe.
public final class StandIns {

    private static final int COUNT_SHIFT = 48;
    private static final int COUNT_MASK = (1 << 14) - 1;
    private static final long MARK = 1L << 62;
    private static final long DIRECTORY_MASK = (1L << COUNT_SHIFT) - 1;

    private final AtomicInteger count = new AtomicInteger();

    /// A number that the kernel does not know; the directory's own where that leaves no room.
    long of(long directory) {
        return (directory & ~DIRECTORY_MASK) != 0
                ? directory
                : MARK | (long) (count.getAndIncrement() & COUNT_MASK) << COUNT_SHIFT | directory;
    }

    /// The directory's own number; other numbers are returned as they are.
    public static long real(long node) {
        return node >>> 62 == 1 ? node & DIRECTORY_MASK : node;
    }
}
