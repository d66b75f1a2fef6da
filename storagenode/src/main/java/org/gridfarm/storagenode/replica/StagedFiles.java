package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.StagedName;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.OwnerOnly;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Plain files made ahead, so that the kernel can write into a file that has just been created
 * without a word to the node. Each has a number drawn at random, which only its client knows. Its
 * name on disk is made of that and of whom it was staged for, so that nobody else claims or
 * discards it; they outlive the node's process. One that nobody has claimed for long is removed:
 * its client is gone, or has the bytes itself. Thread-safe.
 */
final class StagedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(StagedFiles.class);

    /** A client claims what it uses within a second, but for times when it cannot reach us. */
    private static final Duration UNCLAIMED_MAX = Duration.ofHours(1);

    private static final Duration LOOK_EVERY = Duration.ofMinutes(5);

    /** Each mount has some hundred; more are somebody's mistake or malice. */
    private static final int FILES_MAX = 8192;

    /** Of one owner, so that several others find room. */
    static final int FILES_EACH_MAX = FILES_MAX / 8;

    /** Who has too many is told so without looking again. */
    private static final Duration COUNTED_FOR = Duration.ofSeconds(1);

    /** More than the kernel's clock for files is behind ours: some milliseconds. */
    private static final Duration CLOCKS_APART = Duration.ofSeconds(1);

    /** So many are made in one directory before the next one's turn. */
    private static final int TURN = 1024;

    private static final int DIRECTORIES = 64;

    private final List<DataDirectory> disks;
    private final Clock clock;
    private final Entropy entropy;
    private final AtomicLong lookedAt;
    private final AtomicLong made;

    /** Since the last count: what was found, and that and all that were made since. */
    private static final class Count {
        int found;
        int atMost;
    }

    @GuardedBy("this")
    private final Map<String, Count> counts = new HashMap<>(); // by owner

    @GuardedBy("this")
    private final Count all = new Count();

    @GuardedBy("this")
    private long countedAt;

    @GuardedBy("this")
    private boolean counted;

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

    Staged make(DataDirectory disk, String owner) throws IOException {
        long directory = made.getAndIncrement() / TURN % DIRECTORIES;
        long number = numbered(entropy.nextLong(), directory);
        Path path = path(disk, number, owner);
        Path parent = directory(disk, number);
        OwnerOnly.makeDirectory(parent);
        OwnerOnly.createFile(path);
        synchronized (this) {
            all.atMost++;
            counts.computeIfAbsent(tag(owner), _ -> new Count()).atMost++;
        }
        return new Staged(number, disk, path);
    }

    /**
     * One that nobody has written into gets another number. The metaserver may still tell others
     * that the former stands for the file that it was to become: they find nothing by it.
     *
     * @return null: it is not there, or not empty
     */
    @Nullable Staged renumbered(long number, String owner) throws IOException {
        Staged former = find(number, owner);
        if (former == null) return null;
        if (!former.state().isUnused()) return null;
        long fresh = numbered(entropy.nextLong(), directoryOf(number));
        Path path = path(former.disk, fresh, owner);
        Files.move(former.path, path, StandardCopyOption.ATOMIC_MOVE);
        // It is as young as a new one, and surely older than what is written into it next.
        Files.setLastModifiedTime(path, FileTime.from(clock.now().minus(CLOCKS_APART)));
        return new Staged(fresh, former.disk, path);
    }

    /** Never 0, which stands for none; its last bits tell the directory. */
    private static long numbered(long random, long directory) {
        return (random & ~StagedName.PLACE_BITS) | directory << 1 | 1;
    }

    /** OVERLOADED when there are more than anybody can need, or more of this owner. */
    synchronized void requireRoom(String owner) throws IOException {
        String tag = tag(owner);
        if (!counted || !hasRoom(tag, count -> count.atMost)) {
            boolean isKnown = counted && !hasRoom(tag, count -> count.found);
            long now = clock.nanoTime();
            if (!isKnown || now - countedAt > COUNTED_FOR.toNanos()) {
                count();
                countedAt = now;
                counted = true;
            }
        }
        if (!hasRoom(tag, count -> count.found)) {
            int own = counts.getOrDefault(tag, all).found;
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    "stage",
                    "",
                    own
                            + " staged files wait to be used, of at most "
                            + FILES_EACH_MAX
                            + " for one client and "
                            + FILES_MAX
                            + " for all");
        }
    }

    @GuardedBy("this")
    private boolean hasRoom(String tag, ToIntFunction<Count> files) {
        Count own = counts.get(tag);
        return files.applyAsInt(all) < FILES_MAX
                && (own == null || files.applyAsInt(own) < FILES_EACH_MAX);
    }

    @GuardedBy("this")
    private void count() throws IOException {
        counts.clear();
        all.found = 0;
        for (DataDirectory disk : disks) {
            if (!disk.isFailed()) {
                for (Path file : all(disk)) {
                    counts.computeIfAbsent(tagOf(file), _ -> new Count()).found++;
                    all.found++;
                }
            }
        }
        all.atMost = all.found;
        counts.values().forEach(count -> count.atMost = count.found);
    }

    /** The file of that number; null: there is none, or it was staged for somebody else. */
    @Nullable Staged find(long number, String owner) {
        for (DataDirectory disk : disks) {
            Path path = path(disk, number, owner);
            if (number != 0 && !disk.isFailed() && Files.exists(path)) {
                return new Staged(number, disk, path);
            }
        }
        return null;
    }

    /** What the file that is shown so is like now; null: there is none. */
    @Nullable StagedState state(long shown) throws IOException {
        Staged staged = shown(shown);
        return staged == null ? null : staged.state();
    }

    /** Fewer at its end; null: there is none. */
    ReplicaStore.@Nullable StagedBytes read(
            ByteBufAllocator allocator, long shown, long offset, int length) throws IOException {
        Staged staged = shown(shown);
        if (staged == null) {
            return null;
        }
        try (DataFile file = DataFile.open(staged.path, staged.disk)) {
            long size = file.size();
            int there = (int) Math.clamp(size - offset, 0, length);
            ByteBuf bytes = allocator.directBuffer(Math.max(1, there));
            try {
                int unused = file.read(bytes, offset, there); // fewer if it was cut meanwhile
                return new ReplicaStore.StagedBytes(size, bytes);
            } catch (IOException e) {
                bytes.release();
                throw e;
            }
        }
    }

    /** The file that others than its owner know by this; null: there is none. */
    @Nullable Staged shown(long shown) throws IOException {
        for (DataDirectory disk : disks) {
            Path directory = directory(disk, shown);
            if (shown == 0 || disk.isFailed() || !Files.isDirectory(directory)) {
                continue;
            }
            try (DirectoryStream<Path> files =
                    Files.newDirectoryStream(directory, Long.toHexString(shown) + ".*")) {
                for (Path file : files) {
                    return new Staged(0, disk, file);
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        return null;
    }

    /**
     * @param ifUnused nobody has written into it
     */
    void discard(long number, String owner, boolean ifUnused) {
        try {
            Staged staged = find(number, owner);
            if (staged == null || (ifUnused && !staged.state().isUnused())) return;
            if (Files.deleteIfExists(staged.path)) gone(staged);
        } catch (NoSuchFileException e) {
            LOG.debug("{} was claimed meanwhile", Long.toHexString(number));
        } catch (IOException e) {
            LOG.warn("a staged file is not discarded: {}", e.toString());
        }
    }

    /** It was claimed, or is no more. */
    synchronized void gone(Staged staged) {
        Count own = counts.getOrDefault(tagOf(staged.path), new Count());
        for (Count count : new Count[] {all, own}) {
            count.atMost = Math.max(0, count.atMost - 1);
            count.found = Math.max(0, count.found - 1);
        }
    }

    private static Path path(DataDirectory disk, long number, String owner) {
        return directory(disk, number)
                .resolve(Long.toHexString(StagedName.shown(number)) + "." + tag(owner));
    }

    /** Of the number and of what is shown of it alike. */
    private static Path directory(DataDirectory disk, long number) {
        return disk.root().resolve("staged").resolve(Long.toHexString(directoryOf(number)));
    }

    private static long directoryOf(long number) {
        return number >>> 1 & (DIRECTORIES - 1);
    }

    private static String tagOf(Path file) {
        String name = file.getFileName().toString();
        return name.substring(name.indexOf('.') + 1);
    }

    /** An owner's name may hold anything, and be long. */
    private static String tag(String owner) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(owner.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
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
