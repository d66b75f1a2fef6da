package org.gridfarm.storagenode.disk.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.storagenode.disk.QuietFile;

import java.io.IOException;
import java.lang.foreign.Arena;
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
        try (Arena arena = Arena.ofConfined()) {
            if (closed) throw new ClosedChannelException();
            MemorySegment state = Foreign.state(arena);
            long count =
                    (long)
                            PREAD.invokeExact(
                                    state,
                                    fd,
                                    MemorySegment.ofBuffer(into),
                                    (long) into.remaining(),
                                    offset);
            if (count < 0) throw LinuxDisk.failure(file, "pread", Foreign.errno(state));
            if (count == 0) return -1;
            into.position(into.position() + (int) count);
            return (int) count;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException(e);
        } finally {
            use.readLock().unlock();
        }
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
