package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a late writer from making a sealed generation anew: tickets of the old generation live on
 * for a while after the seal. What began in this run is remembered for that while; just after a
 * start, when what began before is forgotten, each directory is looked at once. Thread-safe.
 */
final class Generations {
    /** No ticket lives longer. */
    static final Duration TICKET_LIFE_MAX = Duration.ofMinutes(15);

    private record Line(long inode, int stripe) {}

    private record Seal(int generation, long nanos) {}

    /** Later generations than this one are rare, and few files have had any. */
    private static final int FIRST = 1;

    private final Clock clock;
    private final List<DataDirectory> disks;
    private final long startedNanos;
    private final Map<Line, Seal> seals = new ConcurrentHashMap<>();

    /** By slot, what was there when it was looked at; nothing once that does not matter. */
    private final Map<Integer, Map<Line, Integer>> found = new ConcurrentHashMap<>();

    Generations(Clock clock, List<DataDirectory> disks) {
        this.clock = clock;
        this.disks = disks;
        this.startedNanos = clock.nanoTime();
    }

    /** This generation has begun. */
    void began(ObjectKey key) {
        if (key.generation() == FIRST) return; // nobody can come late for one before it
        long now = clock.nanoTime();
        if (seals.size() > 10_000) {
            seals.values().removeIf(seal -> now - seal.nanos > TICKET_LIFE_MAX.toNanos());
        }
        seals.merge(
                new Line(key.inode(), key.stripe()),
                new Seal(key.generation(), now),
                (a, b) -> Integer.compareUnsigned(a.generation, b.generation) > 0 ? a : b);
    }

    /** WRONG_GENERATION if a later one is known. */
    void refuseOlder(ObjectKey key) throws IOException {
        Seal seal = seals.get(new Line(key.inode(), key.stripe()));
        if (isOlder(key, seal == null ? null : seal.generation) || isOlder(key, before(key))) {
            throw new FarmException(ErrorKind.WRONG_GENERATION, "open replica", key.toString());
        }
    }

    private static boolean isOlder(ObjectKey key, @Nullable Integer known) {
        return known != null && Integer.compareUnsigned(key.generation(), known) < 0;
    }

    /** The latest generation that a run before this one left of the line, if that may matter. */
    private @Nullable Integer before(ObjectKey key) throws IOException {
        if (clock.nanoTime() - startedNanos >= TICKET_LIFE_MAX.toNanos()) {
            found.clear();
            return null;
        }
        Map<Line, Integer> slot = found.get(key.slot());
        if (slot == null) {
            slot = look(key.slot());
            found.put(key.slot(), slot);
        }
        return slot.get(new Line(key.inode(), key.stripe()));
    }

    private Map<Line, Integer> look(int slot) throws IOException {
        Map<Line, Integer> latest = new HashMap<>();
        for (DataDirectory disk : disks) {
            Path directory = disk.objects().path(slot);
            if (disk.isFailed() || !Files.isDirectory(directory)) continue;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                for (Path file : files) {
                    ObjectKey there = ObjectKey.parse(String.valueOf(file.getFileName()));
                    if (there != null && there.generation() != FIRST) {
                        latest.merge(
                                new Line(there.inode(), there.stripe()),
                                there.generation(),
                                (a, b) -> Integer.compareUnsigned(a, b) > 0 ? a : b);
                    }
                }
            }
        }
        return Map.copyOf(latest);
    }
}
