package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Plain files made ahead, so that the kernel can write into a file that has just been created
 * without a word to the node. Named by a number drawn at random, which only its client knows; they
 * outlive the node's process. One that nobody has claimed for long is removed: its client is gone,
 * or has the bytes itself. Thread-safe.
 */
final class StagedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StagedFiles.class);

    /** A client claims what it uses within a second, but for times when it cannot reach us. */
    private static final Duration UNCLAIMED_MAX = Duration.ofHours(1);

    private static final Duration LOOK_EVERY = Duration.ofMinutes(5);

    /** Each mount has some tens; more are somebody's mistake or malice. */
    private static final int FILES_MAX = 8192;

    /** So many are made in one directory before the next one's turn. */
    private static final int TURN = 1024;

    private static final int DIRECTORIES = 64;

    private final List<DataDirectory> disks;
    private final Clock clock;
    private final Entropy entropy;
    private final AtomicLong lookedAt;
    private final AtomicLong made;
    private final AtomicInteger atMost = new AtomicInteger(FILES_MAX); // nobody has counted yet

    StagedFiles(List<DataDirectory> disks, Clock clock, Entropy entropy) {
        this.disks = disks;
        this.clock = clock;
        this.entropy = entropy;
        this.lookedAt = new AtomicLong(clock.nanoTime());
        this.made = new AtomicLong((long) TURN * Math.floorMod(entropy.nextLong(), DIRECTORIES));
    }

    record Staged(long number, DataDirectory disk, Path path) {
        StagedState state() throws IOException {
            try (FileChannel channel = FileChannel.open(path)) {
                return new StagedState(
                        channel.size(),
                        disk.calls().allocated(path, channel),
                        Files.getLastModifiedTime(path).to(TimeUnit.NANOSECONDS));
            }
        }
    }

    Staged make(DataDirectory disk) throws IOException {
        long directory = made.getAndIncrement() / TURN % DIRECTORIES;
        long number = numbered(entropy.nextLong(), directory);
        Path path = path(disk, number);
        Path parent = directory(disk, number);
        if (!Files.isDirectory(parent)) {
            Files.createDirectories(parent);
        }
        Files.createFile(path);
        atMost.incrementAndGet();
        return new Staged(number, disk, path);
    }

    /** Never 0, which stands for none; its last bits tell the directory. */
    private static long numbered(long random, long directory) {
        return (random & -2L * DIRECTORIES) | directory << 1 | 1;
    }

    /** OVERLOADED when there are more than anybody can need. */
    void requireRoom() throws IOException {
        if (atMost.get() < FILES_MAX) {
            return;
        }
        int files = 0;
        for (DataDirectory disk : disks) {
            if (!disk.isFailed()) {
                files += all(disk).size();
            }
        }
        atMost.set(files);
        if (files >= FILES_MAX) {
            throw new FarmException(
                    ErrorKind.OVERLOADED, "stage", "", files + " staged files wait to be used");
        }
    }

    @Nullable Staged find(long number) {
        for (DataDirectory disk : disks) {
            Path path = path(disk, number);
            if (number != 0 && !disk.isFailed() && Files.exists(path)) {
                return new Staged(number, disk, path);
            }
        }
        return null;
    }

    void discard(long number) throws IOException {
        Staged staged = find(number);
        if (staged != null) {
            Files.deleteIfExists(staged.path);
        }
    }

    private static Path path(DataDirectory disk, long number) {
        return directory(disk, number).resolve(Long.toHexString(number));
    }

    private static Path directory(DataDirectory disk, long number) {
        long directory = number >>> 1 & (DIRECTORIES - 1);
        return disk.root().resolve("staged").resolve(Long.toHexString(directory));
    }

    /** Now and then: removes what nobody has claimed. */
    void removeForgotten() {
        long now = clock.nanoTime();
        long before = lookedAt.get();
        if (now - before < LOOK_EVERY.toNanos() || !lookedAt.compareAndSet(before, now)) {
            return;
        }
        long oldest = clock.now().minus(UNCLAIMED_MAX).toEpochMilli();
        for (DataDirectory disk : disks) {
            if (disk.isFailed()) {
                continue;
            }
            try {
                for (Path file : all(disk)) {
                    removeIfOlder(file, oldest);
                }
            } catch (IOException e) {
                LOG.warn("disk {}: staged files cannot be looked through: {}", disk, e.toString());
            }
        }
    }

    private static void removeIfOlder(Path file, long oldest) throws IOException {
        try {
            if (Files.getLastModifiedTime(file).toMillis() < oldest) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} was claimed meanwhile", file);
        }
    }

    private static List<Path> all(DataDirectory disk) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path entry : entries(disk.root().resolve("staged"))) {
            files.addAll(Files.isDirectory(entry) ? entries(entry) : List.of(entry));
        }
        return files;
    }

    private static List<Path> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }
}
