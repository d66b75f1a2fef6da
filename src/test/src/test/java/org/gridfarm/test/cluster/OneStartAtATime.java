package org.gridfarm.test.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Held while a farm starts, among all test processes of a user on this machine. A farm chooses free
 * ports first and binds them one by one as its processes come up: two that start at once could
 * choose the same.
 */
final class OneStartAtATime implements AutoCloseable {
    private static final Path FILE =
            Path.of(
                    System.getProperty("java.io.tmpdir"),
                    "gf-test-starts-" + System.getProperty("user.name") + ".lock");

    private final FileChannel channel;
    private final FileLock lock;

    OneStartAtATime() throws IOException {
        channel = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lock = channel.lock();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            lock.release();
        }
    }
}
