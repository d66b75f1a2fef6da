package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The present reading of a file or of a directory's files: read again when they changed, looked at
 * no more often than the interval. While the new content is faulty the last good reading stays in
 * force, the log says so once per change, and every look tries again: that it may be read does not
 * show in a file. Thread-safe; readers between two looks take no lock.
 */
public final class Reloaded<T> implements Current<T> {
    private static final Logger log = LoggerFactory.getLogger(Reloaded.class);

    private record Stamp(Path file, @Nullable Object key, long modifiedNanos, long size) {}

    private final Path path;
    private final Function<Path, T> reader;
    private final Clock clock;
    private final long intervalNanos;
    private volatile T value;
    private volatile long lookedAt;
    private List<Stamp> stamps; // guarded by this
    private boolean faulty; // guarded by this: the value is not what the file says

    private Reloaded(
            Path path,
            Function<Path, T> reader,
            Clock clock,
            Duration interval,
            @Nullable T ifFaulty) {
        this.path = path;
        this.reader = reader;
        this.clock = clock;
        this.intervalNanos = interval.toNanos();
        this.stamps = stamps(path);
        T first;
        try {
            first = reader.apply(path);
        } catch (FarmException e) {
            if (ifFaulty == null) throw e;
            log.error("as long as that is so it says nothing: {}", e.getMessage());
            first = ifFaulty;
            faulty = true;
        }
        this.value = first;
        this.lookedAt = clock.nanoTime();
    }

    /** Reads at once; a fault in the first reading is thrown. */
    public Reloaded(Path path, Function<Path, T> reader, Clock clock, Duration interval) {
        this(path, reader, clock, interval, null);
    }

    /** The same, but a fault in the first reading is told in the log, and means this value. */
    public static <T> Reloaded<T> orUntilReadable(
            Path path, Function<Path, T> reader, T ifFaulty, Clock clock, Duration interval) {
        return new Reloaded<>(path, reader, clock, interval, ifFaulty);
    }

    @Override
    public T get() {
        if (clock.nanoTime() - lookedAt >= intervalNanos) {
            look();
        }
        return value;
    }

    @Override
    public synchronized T again() {
        readIfChanged(false); // strangers make servers ask, which must not cost a reading each
        return value;
    }

    private synchronized void look() {
        if (clock.nanoTime() - lookedAt >= intervalNanos) {
            lookedAt = clock.nanoTime();
            readIfChanged(faulty);
        }
    }

    private void readIfChanged(boolean inAnyCase) {
        List<Stamp> now = stamps(path);
        boolean changed = !now.equals(stamps);
        if (!changed && !inAnyCase) {
            return;
        }
        stamps = now; // a fault is reported once, not at every look
        try {
            value = reader.apply(path);
            faulty = false;
            log.info("read {} again after it changed", path);
        } catch (FarmException e) {
            faulty = true;
            if (changed) log.error("the last good reading stays in force: {}", e.getMessage());
        }
    }

    private static List<Stamp> stamps(Path path) {
        List<Stamp> stamps = new ArrayList<>();
        try {
            BasicFileAttributes own = Files.readAttributes(path, BasicFileAttributes.class);
            stamps.add(stamp(path, own));
            if (own.isDirectory()) {
                try (Stream<Path> entries = Files.list(path)) {
                    for (Path entry : entries.sorted().toList()) {
                        stamps.add(
                                stamp(
                                        entry,
                                        Files.readAttributes(entry, BasicFileAttributes.class)));
                    }
                }
            }
        } catch (IOException e) {
            // Absent or just being replaced: a stamp like no other, so that the reader looks and
            // says what is wrong.
            stamps.add(new Stamp(path, null, -1, -1));
        }
        return stamps;
    }

    private static Stamp stamp(Path file, BasicFileAttributes attributes) {
        return new Stamp(
                file,
                attributes.fileKey(),
                attributes.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS),
                attributes.size());
    }
}
