package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.DataDirectory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a late writer from making a sealed generation anew: tickets of the old generation live on
 * for a while after the seal. Seals are remembered for that while; just after a start, when they
 * are forgotten, the directory is looked at instead. Thread-safe.
 */
final class Generations {
    /** No ticket lives longer. */
    static final Duration TICKET_LIFE_MAX = Duration.ofMinutes(15);

    private record Line(long inode, int stripe) {}

    private record Seal(int generation, long nanos) {}

    private final Clock clock;
    private final List<DataDirectory> disks;
    private final long startedNanos;
    private final Map<Line, Seal> seals = new ConcurrentHashMap<>();

    Generations(Clock clock, List<DataDirectory> disks) {
        this.clock = clock;
        this.disks = disks;
        this.startedNanos = clock.nanoTime();
    }

    /** This generation has begun. */
    void sealed(ObjectKey key) {
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
        boolean older =
                seal != null && Integer.compareUnsigned(key.generation(), seal.generation) < 0;
        if (!older && clock.nanoTime() - startedNanos < TICKET_LIFE_MAX.toNanos()) {
            older = laterOnDisk(key);
        }
        if (older) {
            throw new FarmException(ErrorKind.WRONG_GENERATION, "open replica", key.toString());
        }
    }

    private boolean laterOnDisk(ObjectKey key) throws IOException {
        for (DataDirectory disk : disks) {
            Path directory = disk.objects().path(key.slot());
            if (disk.isFailed() || !Files.isDirectory(directory)) {
                continue;
            }
            String pattern = Long.toHexString(key.inode()) + "." + key.stripe() + ".*";
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, pattern)) {
                for (Path file : files) {
                    ObjectKey other = ObjectKey.parse(file.getFileName().toString());
                    if (other != null
                            && Integer.compareUnsigned(other.generation(), key.generation()) > 0) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
