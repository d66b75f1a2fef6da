package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The files in which a node keeps what its tasks wrote, as far as that is more than is told with
 * their outcome. Kept for {@link #KEPT} after the last byte, or until the disk is needed. They
 * outlive the node's process. Thread-safe.
 */
final class Spool {
    static final Duration KEPT = Duration.ofDays(1);
    private static final Duration CLEANED_EVERY = Duration.ofHours(1);
    private static final Pattern TASK =
            Pattern.compile(
                    "[0-9]{1,19}\\.[0-9]{1,10}\\.[0-9]{1,10}(\\.publish|\\.discard)?"); // of its
    // output
    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);

    private final Path directory;
    private final long reserve;
    private final Clock clock;
    private final Predicate<String> isRunning;

    /**
     * @param reserve bytes that stay free on the disk
     * @param isRunning whether the attempt of that name still writes
     */
    Spool(Path directory, long reserve, Clock clock, Predicate<String> isRunning) {
        this.directory = directory;
        this.reserve = reserve;
        this.clock = clock;
        this.isRunning = isRunning;
    }

    /** Now and from time to time. */
    void cleanFromNowOn() {
        try {
            Instant oldest = clock.now().minus(KEPT);
            for (Path file : oldestFirst()) {
                if (Files.getLastModifiedTime(file).toInstant().isBefore(oldest)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            LOG.warn("old output of tasks is not removed: {}", e.toString());
        }
        clock.after(CLEANED_EVERY, () -> Thread.ofVirtual().start(this::cleanFromNowOn));
    }

    /** Of one stream of one attempt; INVALID for what is no name of an attempt. */
    Path file(String task, boolean isError) {
        if (!TASK.matcher(task).matches()) {
            throw new FarmException(ErrorKind.INVALID, "task output", task, "no name of a task");
        }
        return directory.resolve(task + (isError ? ".err" : ".out"));
    }

    void makeDirectory() throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** Removes the oldest that nobody writes any more until the reserve is free. */
    void requireRoom() throws IOException {
        if (room() >= reserve) {
            return;
        }
        for (Path file : oldestFirst()) {
            LOG.warn("disk full: removing {}", file);
            Files.deleteIfExists(file);
            if (room() >= reserve) {
                return;
            }
        }
        throw new IOException("No space left on device");
    }

    private long room() throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    private List<Path> oldestFirst() throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
                for (Path file : all) {
                    String name = file.getFileName().toString();
                    if (!isRunning.test(name.substring(0, Math.max(0, name.lastIndexOf('.'))))) {
                        files.add(file);
                    }
                }
            }
        }
        files.sort(Comparator.comparingLong(file -> file.toFile().lastModified()));
        return files;
    }
}
