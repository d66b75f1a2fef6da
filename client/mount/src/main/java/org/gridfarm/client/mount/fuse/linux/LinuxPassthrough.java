package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.gridfarm.client.mount.fuse.Backing;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// Registers backing files with the kernel by ioctl on the device. Thread-safe.
final class LinuxPassthrough implements Passthrough {

    private static final Logger LOG = LoggerFactory.getLogger(LinuxPassthrough.class);

    /// Where a link lies by now nobody looked at what it leads to.
    private static final int REPLICA = Libc.O_RDONLY | Libc.O_CLOEXEC | Libc.O_NOFOLLOW;

    private static final String NOT_ALLOWED =
            "the kernel allows passthrough only with CAP_SYS_ADMIN; data goes through the mount process";

    private final int fd;
    private boolean ended;
    private volatile boolean available;
    private volatile String refusal = "";

    LinuxPassthrough(int fd, Negotiation negotiation) {
        this.fd = fd;
        if (!negotiation.has(Abi.PASSTHROUGH)) {
            refusal =
                    "the kernel has no passthrough (Linux 6.9 is needed), or the mount caches writes";
        } else if (!ThisProcess.isAdministrator()) {
            refusal = NOT_ALLOWED;
        } else {
            available = true;
        }
    }

    /// The device is about to be closed: its number may soon mean another file.
    synchronized void end() {
        ended = true;
        available = false;
    }

    @Override
    public boolean available() {
        return available;
    }

    @Override
    public String refusal() {
        return refusal;
    }

    @Override
    public @Nullable Backing open(Path file) {
        if (!available) {
            return null;
        }
        // Whatever the access here, the kernel opens it again with that of each open.
        int local = Libc.open(file.toString(), REPLICA);
        if (local < 0) {
            refusal = "cannot open " + file + ": errno " + -local;
            return null;
        }
        int result;
        synchronized (this) {
            result = ended ? -Errno.ENODEV : register(local);
        }
        Libc.close(local); // the kernel keeps the file itself
        if (result > 0) {
            return new Registered(result);
        }
        refuse(file, -result);
        return null;
    }

    /// A lease for reading is given to nobody while somebody may write.
    @Override
    public boolean isOpenForWriting(Path file) {
        int local = Libc.open(file.toString(), REPLICA);
        if (local < 0) {
            return false;
        }
        int result = Libc.leaseForAMoment(local);
        Libc.close(local);
        return result == -Errno.EAGAIN;
    }

    @Override
    public boolean forgetReads(Path file) {
        return Libc.setBackAccessTime(file.toString()) == 0;
    }

    @Override
    public Backing adopt(int id) {
        return new Registered(id);
    }

    private int register(int local) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = arena.allocate(Abi.BACKING_MAP_BYTES, 8);
            map.set(JAVA_INT, Abi.BACKING_FD, local);
            return Libc.ioctl(fd, Abi.IOC_BACKING_OPEN, map);
        }
    }

    private void refuse(Path file, int errno) {
        switch (errno) {
            case Errno.EPERM -> {
                available = false;
                refusal = NOT_ALLOWED;
                LOG.info("{}", refusal);
            }
            case Errno.ELOOP ->
                    refusal =
                            file + " lies on a stacked file system, which cannot be passed through";
            default -> refusal = "cannot register " + file + ": errno " + errno;
        }
    }

    private final class Registered implements Backing {

        private final int id;
        private final AtomicInteger holders = new AtomicInteger(1);

        Registered(int id) {
            this.id = id;
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public void retain() {
            if (holders.getAndIncrement() <= 0) {
                throw new IllegalStateException("backing " + id + " was closed");
            }
        }

        @Override
        public void release() {
            int left = holders.decrementAndGet();
            if (left < 0) {
                throw new IllegalStateException("backing " + id + " was released too often");
            }
            if (left == 0) {
                close();
            }
        }

        private void close() {
            synchronized (LinuxPassthrough.this) {
                if (ended) {
                    return; // the kernel dropped every backing with the mount
                }
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment argument = arena.allocate(JAVA_INT);
                    argument.set(JAVA_INT, 0, id);
                    int result = Libc.ioctl(fd, Abi.IOC_BACKING_CLOSE, argument);
                    if (result < 0 && result != -Errno.ENOTCONN && result != -Errno.EBADF) {
                        LOG.warn("closing backing {} failed: errno {}", id, -result);
                    }
                }
            }
        }
    }
}
