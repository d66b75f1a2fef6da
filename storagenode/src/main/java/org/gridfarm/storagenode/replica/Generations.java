package org.gridfarm.storagenode.replica;

import com.google.errorprone.annotations.concurrent.GuardedBy;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps a late writer from making a sealed generation anew: tickets of the old generation live on
 * for a while after the seal. What began in this run is remembered for that while; just after a
 * start, when what began before is forgotten, each directory is looked at once. Thread-safe.
 */
final class Generations {
    /** No ticket lives longer. */
    static final Duration TICKET_LIFE_MAX = Duration.ofMinutes(15);

    /**
     * So many are remembered, at some 120 bytes each. Who makes more in the life of a ticket has
     * the directories looked at for what was forgotten, as after a start.
     */
    static final int REMEMBERED_MAX = 100_000;

    private record Line(long inode, int stripe) {}

    private record Seal(int generation, long nanos) {}

    /** Later generations than this one are rare, and few files have had any. */
    private static final int FIRST = 1;

    private final Clock clock;
    private final List<DataDirectory> disks;
    private final long startedNanos;

    /** Oldest first. */
    @GuardedBy("seals")
    private final Map<Line, Seal> seals = new LinkedHashMap<>();

    private volatile boolean forgotten; // some that may matter
    private volatile long forgottenNanos; // the last of them

    /** By slot, what was there when it was looked at; nothing once that does not matter. */
    private final Map<Integer, Map<Line, Integer>> found = new ConcurrentHashMap<>();

    private final AtomicInteger foundLines = new AtomicInteger();

    Generations(Clock clock, List<DataDirectory> disks) {
        this.clock = clock;
        this.disks = disks;
        this.startedNanos = clock.nanoTime();
    }

    /** This generation has begun. */
    void began(ObjectKey key) {
        if (key.generation() == FIRST) return; // nobody can come late for one before it
        long now = clock.nanoTime();
        Line line = new Line(key.inode(), key.stripe());
        synchronized (seals) {
            Seal known = seals.remove(line);
            int latest = key.generation();
            if (known != null && Integer.compareUnsigned(known.generation, latest) > 0) {
                latest = known.generation;
            }
            seals.put(line, new Seal(latest, now));
            var eldest = seals.values().iterator();
            for (Seal seal = eldest.next();
                    now - seal.nanos > TICKET_LIFE_MAX.toNanos() || seals.size() > REMEMBERED_MAX;
                    seal = eldest.next()) {
                if (now - seal.nanos <= TICKET_LIFE_MAX.toNanos()) {
                    forgotten = true;
                    forgottenNanos = now;
                }
                eldest.remove();
            }
        }
    }

    /** WRONG_GENERATION if a later one is known. */
    void refuseOlder(ObjectKey key) throws IOException {
        Seal seal;
        synchronized (seals) {
            seal = seals.get(new Line(key.inode(), key.stripe()));
        }
        if (isOlder(key, seal == null ? null : seal.generation) || isOlder(key, before(key))) {
            throw new FarmException(ErrorKind.WRONG_GENERATION, "open replica", key.toString());
        }
    }

    private static boolean isOlder(ObjectKey key, @Nullable Integer known) {
        return known != null && Integer.compareUnsigned(key.generation(), known) < 0;
    }

    /** The latest generation of the line that lies there, if that may not be remembered. */
    private @Nullable Integer before(ObjectKey key) throws IOException {
        long now = clock.nanoTime();
        boolean atStart = now - startedNanos < TICKET_LIFE_MAX.toNanos();
        if (!atStart) {
            found.clear();
        }
        if (forgotten && now - forgottenNanos < TICKET_LIFE_MAX.toNanos()) {
            return look(key.slot()).get(new Line(key.inode(), key.stripe()));
        }
        if (!atStart) {
            return null;
        }
        Map<Line, Integer> slot = found.get(key.slot());
        if (slot == null) {
            slot = look(key.slot());
            if (foundLines.addAndGet(slot.size()) > REMEMBERED_MAX) {
                found.clear(); // they are looked at again
                foundLines.set(slot.size());
            }
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
