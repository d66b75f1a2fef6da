package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Where files of this host have data, how much, and since when. Thread-safe.
public final class HostFiles {
    private static final long BLOCK_BYTES = 512; // whatever the file system's own are: stat(2)

    private HostFiles() {}

    /// The first byte at or after the offset that may hold data; -1: none does. The offset itself
    /// where the file system cannot tell.
    public static long nextData(Path file, long offset) throws IOException {
        int fd = Libc.open(file.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC | Libc.O_NOFOLLOW);
        if (fd < 0) {
            throw new IOException(file + ": errno " + -fd);
        }
        try {
            long at = Libc.lseek(fd, offset, Flags.SEEK_DATA);
            return at >= 0 ? at : at == -Errno.ENXIO ? -1 : offset;
        } finally {
            Libc.close(fd);
        }
    }

    /// Bytes that the file takes on the disk.
    public static long allocated(Path file) throws IOException {
        long blocks = Libc.blocks(file.toString());
        if (blocks < 0) {
            throw new IOException(file + ": errno " + -blocks);
        }
        return blocks * BLOCK_BYTES;
    }

    /// It was changed at this moment, by the clock that dates what is written into it.
    public static void touch(Path file) throws IOException {
        int result = Libc.setModifiedNow(file.toString());
        if (result == -Errno.ENOENT) {
            throw new NoSuchFileException(file.toString());
        }
        if (result < 0) {
            throw new IOException(file + ": errno " + -result);
        }
    }
}
