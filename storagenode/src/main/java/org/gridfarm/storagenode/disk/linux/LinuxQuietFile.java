package org.gridfarm.storagenode.disk.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.storagenode.disk.QuietFile;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A descriptor opened with O_NOATIME, which belongs to this. */
final class LinuxQuietFile implements QuietFile {
    private static final MethodHandle PREAD =
            Foreign.function(
                    "pread",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));

    private final Path file;
    private final int fd;

    /** Read while somebody reads: a number that is closed may be another file's at once. */
    private final ReadWriteLock use = new ReentrantReadWriteLock();

    private boolean closed;

    LinuxQuietFile(Path file, int fd) {
        this.file = file;
        this.fd = fd;
    }

    @Override
    public int read(ByteBuffer into, long offset) throws IOException {
        use.readLock().lock();
        try {
            if (closed) throw new ClosedChannelException();
            int count = (int) Foreign.calling((state, arena) -> read(into, offset, state));
            if (count == 0) return -1;
            into.position(into.position() + count);
            return count;
        } finally {
            use.readLock().unlock();
        }
    }

    private long read(ByteBuffer into, long offset, MemorySegment state) throws Throwable {
        MemorySegment room = MemorySegment.ofBuffer(into);
        long count = (long) PREAD.invokeExact(state, fd, room, room.byteSize(), offset);
        if (count < 0) throw LinuxDisk.failure(file, "pread", Foreign.errno(state));
        return count;
    }

    @Override
    public void close() throws IOException {
        use.writeLock().lock();
        try {
            if (!closed) LinuxDisk.close(fd);
            closed = true;
        } finally {
            use.writeLock().unlock();
        }
    }
}
