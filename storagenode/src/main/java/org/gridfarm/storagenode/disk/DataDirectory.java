package org.gridfarm.storagenode.disk;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * One disk: {@code objects/} with the replicas, {@code staged/} with empty files that replicas will
 * be made of, {@code tmp/} with copies being made, {@code quarantine/} with what failed its
 * checksums, {@code lost+found/} with what no metaserver knows, {@code version} and a lock against
 * a second process. Thread-safe. Failed once too often, it stays failed until the node is started
 * again.
 */
public final class DataDirectory implements AutoCloseable {
    /**
     * Errors after which the whole disk is given up: one may be a bad sector, three are a dying
     * device.
     */
    public static final int ERRORS_MAX = 3;

    private static final long SPACE_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final List<String> PARTS =
            List.of("objects", "staged", "tmp", "quarantine", "lost+found");
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

    private final Path root;
    private final DiskCalls calls;
    private final Clock clock;
    private final long reserve;
    private final FileStore store;
    private final FileChannel lockFile;
    private final DirectoryTree objects;
    private final AtomicInteger errors = new AtomicInteger();
    private final AtomicLong writtenSinceLook = new AtomicLong();
    private final LongAdder readForSums = new LongAdder();
    private volatile long usable;
    private volatile long lookedAt;
    private volatile boolean failed;

    private DataDirectory(
            Path root, DiskCalls calls, Clock clock, long reserve, FileChannel lockFile)
            throws IOException {
        this.root = root;
        this.calls = calls;
        this.clock = clock;
        this.reserve = reserve;
        this.lockFile = lockFile;
        this.store = Files.getFileStore(root);
        this.objects = new DirectoryTree(root.resolve("objects"), calls);
        look(clock.nanoTime());
    }

    /**
     * Opens or makes the directory. What other accounts could look into is closed to them.
     *
     * @param reserve bytes that objects never take
     */
    public static DataDirectory open(Path asked, DiskCalls calls, Clock clock, long reserve) {
        try {
            OwnerOnly.makeDirectory(asked);
            // A mount of root opens no replica where a link leads elsewhere.
            Path root = asked.toRealPath();
            FileChannel lock =
                    OwnerOnly.open(
                            root.resolve("lock"),
                            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            claim(root, lock);
            UserPrincipal self = self(root);
            OwnerOnly.closeDirectory(root, self);
            VersionFile.check(root, calls);
            for (String part : PARTS) {
                OwnerOnly.makeDirectory(root.resolve(part));
                OwnerOnly.closeDirectory(root.resolve(part), self);
            }
            calls.spread(root.resolve("objects"));
            calls.spread(root.resolve("staged"));
            return new DataDirectory(root, calls, clock, reserve, lock);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "open data directory",
                    asked.toString(),
                    e.toString(),
                    e);
        }
    }

    /** Whose process this is. */
    private static UserPrincipal self(Path root) throws IOException {
        Path process = Path.of("/proc/self");
        return Files.getOwner(Files.exists(process) ? process : root);
    }

    /**
     * Modes of every file, where that was never done; it takes as long as it takes to look at each
     * of them. Nobody waits for it: the directory above them is closed since {@link #open}.
     */
    public void closeTree() {
        try {
            if (VersionFile.isClosed(root)) {
                return;
            }
            long begun = clock.nanoTime();
            if (OwnerOnly.closeTree(root, self(root))) {
                VersionFile.markClosed(root, calls);
                LOG.info(
                        "disk {}: all files are closed to other accounts now, after {} s",
                        root,
                        TimeUnit.NANOSECONDS.toSeconds(clock.nanoTime() - begun));
            }
        } catch (IOException | FarmException e) {
            // Done again at the next start.
            LOG.warn("disk {}: modes of old files: {}", root, e.getMessage());
        }
    }

    private static void claim(Path root, FileChannel lock) throws IOException {
        FileLock held;
        try {
            held = lock.tryLock();
        } catch (OverlappingFileLockException e) {
            held = null;
        }
        if (held == null) {
            lock.close();
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "open data directory",
                    root.toString(),
                    "another storage node uses it");
        }
    }

    public Path root() {
        return root;
    }

    public DiskCalls calls() {
        return calls;
    }

    /** Where replicas lie. */
    public DirectoryTree objects() {
        return objects;
    }

    /** Binds this directory to the farm, or refuses when it holds replicas of another one. */
    public void belongsTo(long instance) throws IOException {
        VersionFile.bind(root, calls, instance);
    }

    /** Bytes of the whole file system. */
    public long capacity() {
        try {
            return failed ? 0 : store.getTotalSpace();
        } catch (IOException e) {
            erred("look at", root, e);
            return 0;
        }
    }

    /**
     * Bytes that new data may take; what lies in the reserve is not counted. Looked up at most five
     * times a second.
     */
    public long available() {
        if (failed) {
            return 0;
        }
        long now = clock.nanoTime();
        if (now - lookedAt > SPACE_AGE_NANOS) {
            try {
                look(now);
            } catch (IOException e) {
                erred("look at", root, e);
                return 0;
            }
        }
        return Math.max(0, usable - reserve - writtenSinceLook.get());
    }

    private void look(long now) throws IOException {
        lookedAt = now;
        writtenSinceLook.set(0);
        usable = store.getUsableSpace();
    }

    /** Refuses growth by so many bytes when it would eat into the reserve. */
    public void claimSpace(long bytes, String operation, String subject) {
        if (available() < bytes) {
            throw new FarmException(
                    ErrorKind.NO_SPACE,
                    operation,
                    subject,
                    "disk " + root + " is full but for its reserve");
        }
        writtenSinceLook.addAndGet(bytes);
    }

    /** Bytes of replicas that were read to take their sums, or to compare them. */
    public LongAdder readForSums() {
        return readForSums;
    }

    public boolean isFailed() {
        return failed;
    }

    /** Gives the disk up at once. */
    public void fail(String why) {
        if (!failed) {
            failed = true;
            LOG.error("disk {} is given up: {}", root, why);
        }
    }

    /**
     * Notes an input or output error and returns the failure to throw; that a disk is full, or is
     * asked for what its file system cannot do, is no error of the disk.
     */
    public FarmException erred(String operation, Object subject, IOException e) {
        ErrorKind kind = DiskTrouble.kind(e);
        if (kind == ErrorKind.NO_SPACE) {
            return new FarmException(
                    kind, operation, subject.toString(), "disk " + root + " is full", e);
        }
        if (kind != ErrorKind.DISK_FAILED) {
            return new FarmException(kind, operation, subject.toString(), "disk " + root, e);
        }
        LOG.warn("disk {}: {} {}: {}", root, operation, subject, e.toString());
        if (errors.incrementAndGet() >= ERRORS_MAX) {
            fail(errors.get() + " errors, the last one at " + operation + " " + subject);
        }
        return new FarmException(
                ErrorKind.DISK_FAILED, operation, subject.toString(), e.toString(), e);
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }

    @Override
    public String toString() {
        return root.toString();
    }
}
