package org.gridfarm.storagenode.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

/**
 * With the JDK alone: every file is one piece of data without holes, and a punched hole is written
 * as zeros.
 */
public class PortableDisk implements DiskCalls {
    private static final int ZEROS_BYTES = 64 << 10;

    @Override
    public void force(FileChannel channel) throws IOException {
        channel.force(false);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void date(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    @Override
    public QuietFile openQuietly(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new QuietFile() {
            @Override
            public int read(ByteBuffer into, long offset) throws IOException {
                return channel.read(into, offset);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public void allocate(Path file, FileChannel channel, long offset, long length, boolean keepSize)
            throws IOException {
        long end = offset + length;
        if (!keepSize && channel.size() < end) {
            channel.write(ByteBuffer.allocate(1), end - 1);
        }
    }

    @Override
    public void punch(Path file, FileChannel channel, long offset, long length) throws IOException {
        long end = Math.min(offset + length, channel.size());
        ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
        for (long at = offset; at < end; ) {
            zeros.clear().limit((int) Math.min(ZEROS_BYTES, end - at));
            at += channel.write(zeros, at);
        }
    }

    @Override
    public long nextData(Path file, FileChannel channel, long offset) throws IOException {
        return offset < channel.size() ? offset : -1;
    }

    @Override
    public long nextHole(Path file, FileChannel channel, long offset) throws IOException {
        return channel.size();
    }

    @Override
    public long allocated(Path file, FileChannel channel) throws IOException {
        return channel.size();
    }

    @Override
    public boolean forceAll(Path directory) throws IOException {
        return false;
    }

    @Override
    public void spread(Path directory) throws IOException {
        // the JDK has no call for it
    }
}
