package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.cli.bench.Load;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.SplittableRandom;

/** Work on one large file. */
final class DataShapes {
    static final int BLOCK = 4096;
    static final int MEGABYTE = 1 << 20;

    private DataShapes() {}

    /**
     * Writes a file from its beginning, which is new or emptied.
     *
     * @param untilClosed whether close(2), and so what the farm promises of it, counts as well
     * @return megabytes a second
     */
    static double write(Path file, int megabytes, boolean untilClosed) throws IOException {
        ByteBuffer block = pattern();
        long from = System.nanoTime();
        long written;
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            for (int i = 0; i < megabytes; i++) {
                block.clear();
                while (block.hasRemaining()) {
                    channel.write(block);
                }
            }
            written = System.nanoTime();
        }
        return megabytes / (((untilClosed ? System.nanoTime() : written) - from) / 1e9);
    }

    private static ByteBuffer pattern() {
        byte[] bytes = new byte[MEGABYTE];
        new SplittableRandom(1).nextBytes(bytes);
        return ByteBuffer.allocateDirect(MEGABYTE).put(bytes);
    }

    /** Megabytes a second of reading it from beginning to end, {@code rounds} times. */
    static double read(Path file, int rounds) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(MEGABYTE);
        long bytes = 0;
        long from = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            try (FileChannel channel = FileChannel.open(file)) {
                for (int n = 0; n >= 0; n = channel.read(block.clear())) {
                    bytes += n;
                }
            }
        }
        return bytes / (double) MEGABYTE / ((System.nanoTime() - from) / 1e9);
    }

    /** Blocks of 4 KiB a second, written anywhere into a file that is there. */
    static Load.Outcome writeAnywhere(Path file, Duration time) throws IOException {
        ByteBuffer block = pattern().limit(BLOCK);
        SplittableRandom random = new SplittableRandom(8);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            long blocks = channel.size() / BLOCK;
            return Load.run(
                    1,
                    time,
                    (_, _) -> {
                        channel.write(block.rewind(), random.nextLong(blocks) * BLOCK);
                        return true;
                    });
        }
    }

    /** Blocks of 4 KiB a second, anywhere in it. */
    static Load.Outcome readAnywhere(Path file, Duration time) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        SplittableRandom random = new SplittableRandom(7);
        try (FileChannel channel = FileChannel.open(file)) {
            long blocks = channel.size() / BLOCK;
            return Load.run(
                    1,
                    time,
                    (_, _) -> {
                        if (channel.read(block.clear(), random.nextLong(blocks) * BLOCK) < BLOCK) {
                            throw new EOFException(file.toString());
                        }
                        return true;
                    });
        }
    }
}
