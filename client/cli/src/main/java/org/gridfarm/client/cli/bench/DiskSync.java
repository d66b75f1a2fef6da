package org.gridfarm.client.cli.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** What fsync of 4 KiB more costs in a directory. */
public final class DiskSync {
    private static final int BYTES = 4096;

    private DiskSync() {}

    public static Load.Outcome measure(Path directory, Duration time) {
        try {
            Path file = Files.createTempFile(directory, "gf-bench-", ".sync");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                ByteBuffer block = ByteBuffer.allocate(BYTES);
                return Load.run(
                        1,
                        time,
                        (_, _) -> {
                            channel.write(block.clear());
                            channel.force(false);
                            return true;
                        });
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
