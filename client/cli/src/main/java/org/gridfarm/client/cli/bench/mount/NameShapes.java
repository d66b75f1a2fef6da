package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.cli.bench.Load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

/** Work on many names. */
final class NameShapes {
    static final int SMALL_FILE_BYTES = 8192;

    private NameShapes() {}

    /** Empty files {@code f0} and so on. */
    static void fill(Path folder, int files) throws IOException {
        Files.createDirectories(folder);
        for (int i = 0; i < files; i++) {
            Files.createFile(folder.resolve("f" + i));
        }
    }

    /** Each once, so that what is cached afterwards is cached. */
    static void stat(Path folder, int files) throws IOException {
        for (int i = 0; i < files; i++) {
            stat(folder.resolve("f" + i));
        }
    }

    static Load.Outcome stats(Path folder, int files, Duration time) {
        return Load.run(
                1,
                time,
                (_, round) -> {
                    stat(folder.resolve("f" + round % files));
                    return true;
                });
    }

    private static void stat(Path file) throws IOException {
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Entries a second of a listing with attributes. */
    static double listings(Path folder, Duration time) {
        long[] entries = {0};
        Load.Outcome outcome =
                Load.run(
                        1,
                        time,
                        (_, _) -> {
                            entries[0] += list(folder);
                            return true;
                        });
        return entries[0] / outcome.seconds();
    }

    static long list(Path folder) throws IOException {
        long[] entries = {0};
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        entries[0]++;
                        return FileVisitResult.CONTINUE;
                    }
                });
        return entries[0];
    }

    /** What is done to one of the small files. */
    interface Each {
        void to(Path file) throws IOException;
    }

    /** Seconds for all files, dealt out to as many threads. */
    static double each(Path folder, int files, int threads, Each work) {
        return Load.run(
                        threads,
                        Duration.ofMinutes(10),
                        (thread, round) -> {
                            long file = round * threads + thread;
                            if (file >= files) {
                                return false;
                            }
                            work.to(folder.resolve("s" + file));
                            return true;
                        })
                .seconds();
    }

    static void writeSmall(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(SMALL_FILE_BYTES));
        }
    }
}
