package org.gridfarm.storagenode.replica;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.env.ProcessLimits;
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
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All replicas of a node. {@link #read} and {@link #change} put an action into the object's lane
 * and open the replica for it; whatever the action throws becomes a {@link FarmException}, and what
 * it tells about the object or its disk is acted on: damage moves the replica to quarantine, a
 * failed sync makes it fail for good. Thread-safe.
 */
public final class ReplicaStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaStore.class);

    /** What to do about an object that is not here. */
    public enum IfAbsent {
        /** OBJECT_ABSENT. */
        FAIL,
        /** Make an empty one. */
        CREATE
    }

    /** An action on an open replica, on a thread that may block. */
    public interface Work<T> {
        T run(Replica replica) throws IOException;
    }

    private final List<DataDirectory> disks;
    private final Clock clock;
    private final Entropy entropy;
    private final DiskChoice choice;
    private final long boot;
    private final ExecutorService io;
    private final OpenReplicas open;
    private final int localMax;
    private final StoreListener listener;
    private final Set<ObjectKey> failed = ConcurrentHashMap.newKeySet();

    /** Found cut off in this run; remembered after they were closed, until they end. */
    private final Set<ObjectKey> suspects = ConcurrentHashMap.newKeySet();

    private final Set<DataDirectory> knownFailedDisks = ConcurrentHashMap.newKeySet();
    private final Generations generations;
    private final StagedFiles staged;
    private final Settler settler;

    public ReplicaStore(
            List<DataDirectory> disks,
            StoreLimits limits,
            Clock clock,
            Entropy entropy,
            long boot,
            StoreListener listener) {
        this.disks = List.copyOf(disks);
        this.clock = clock;
        this.entropy = entropy;
        this.choice = new DiskChoice(this.disks, entropy);
        this.boot = boot;
        this.listener = listener;
        AtomicInteger number = new AtomicInteger();
        this.io =
                Executors.newFixedThreadPool(
                        limits.ioThreads(),
                        task -> {
                            Thread thread = new Thread(task, "disk-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            return thread;
                        });
        this.open = new OpenReplicas(io, limits.openMax());
        this.localMax = limits.localMax(ProcessLimits.openFiles());
        this.generations = new Generations(clock, this.disks);
        this.staged = new StagedFiles(this.disks, clock, entropy);
        this.settler = new Settler(this, clock, limits);
    }

    public List<DataDirectory> disks() {
        return disks;
    }

    /** Threads for work that blocks on a disk. */
    public ExecutorService io() {
        return io;
    }

    /** Beside other readers. */
    public <T> CompletableFuture<T> read(ObjectKey key, Work<T> work) {
        return open.submit(key, false, entry -> run(entry, IfAbsent.FAIL, work));
    }

    /** In the object's lane, whether it is here or not: no change of it is under way. */
    <T> CompletableFuture<T> look(ObjectKey key, Callable<T> look) {
        return open.submit(key, false, entry -> look.call());
    }

    /** Alone. */
    public <T> CompletableFuture<T> change(ObjectKey key, IfAbsent ifAbsent, Work<T> work) {
        return changed(key, absent -> openOrCreate(absent, ifAbsent), work);
    }

    /**
     * Alone, after the replica was made of the staged file, with whatever somebody is writing into
     * that; a replica that is here already is taken as it is, unless it {@link #yields}.
     *
     * @param owner whom the file was staged for: it is nobody else's
     * @param yielded runs first where a replica has: what was granted of it is over
     */
    public <T> CompletableFuture<T> changeStaged(
            ObjectKey key, long number, String owner, Runnable yielded, Work<T> work) {
        FindStaged find = () -> staged.find(number, owner);
        return changed(
                key,
                entry -> {
                    if (yields(entry, find)) yielded.run();
                    return run(entry, absent -> openOrClaim(absent, find), work);
                });
    }

    private <T> CompletableFuture<T> changed(
            ObjectKey key, OpenReplicas.Opener opener, Work<T> work) {
        return changed(key, entry -> run(entry, opener, work));
    }

    private <T> CompletableFuture<T> changed(ObjectKey key, OpenReplicas.Action<T> action) {
        return open.submit(
                key,
                true,
                entry -> {
                    try {
                        return action.run(entry);
                    } finally {
                        Replica replica = entry.openOrNull();
                        if (replica != null && replica.isDirty()) {
                            settler.changed(key);
                        }
                    }
                });
    }

    /**
     * Removes a replica without content and blocks as long as the staged file is there that the
     * metaserver says the object is to be made of: it is what an earlier opening left that told of
     * nothing.
     */
    private boolean yields(OpenReplicas.Entry entry, FindStaged find) throws IOException {
        DataDirectory disk = find(entry.key);
        if (disk == null) return false;
        try {
            Path path = path(disk, entry.key);
            boolean empty = Files.size(path) == 0;
            return empty && find.find() != null && !hasBlocks(disk, path) && delete(entry);
        } catch (IOException e) {
            throw disk.erred("claim replica", entry.key, e);
        }
    }

    /** Space was reserved in it, by the opening that the staged file is of. */
    private static boolean hasBlocks(DataDirectory disk, Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path)) {
            return disk.calls().allocated(path, channel) > 0;
        }
    }

    /** Alone, without its being counted as a change that must be settled. */
    <T> CompletableFuture<T> changeUnsettled(ObjectKey key, Work<T> work) {
        return open.submit(key, true, entry -> run(entry, IfAbsent.FAIL, work));
    }

    private <T> T run(OpenReplicas.Entry entry, IfAbsent ifAbsent, Work<T> work) {
        return run(entry, key -> openOrCreate(key, ifAbsent), work);
    }

    private <T> T run(OpenReplicas.Entry entry, OpenReplicas.Opener opener, Work<T> work) {
        @Nullable DataDirectory disk = null;
        try {
            Replica replica = entry.replica(opener);
            disk = replica.disk();
            if (disk.isFailed()) {
                throw diskFailed(entry.key, disk);
            }
            return work.run(replica);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.CORRUPT) {
                quarantineSoon(entry.key, e.detail());
            }
            throw e;
        } catch (IOException e) {
            DataDirectory where = disk == null ? find(entry.key) : disk;
            Replica replica = entry.openOrNull();
            if (replica != null && replica.isFailed()) {
                failed.add(entry.key);
            }
            if (where == null) {
                throw new FarmException(
                        ErrorKind.DISK_FAILED,
                        "open replica",
                        entry.key.toString(),
                        e.toString(),
                        e);
            }
            FarmException failure = where.erred("use replica", entry.key, e);
            tellOfFailedDisk(where);
            throw failure;
        }
    }

    private void tellOfFailedDisk(DataDirectory disk) {
        if (disk.isFailed() && knownFailedDisks.add(disk)) {
            listener.diskFailed(disk.toString());
        }
    }

    private static FarmException diskFailed(ObjectKey key, DataDirectory disk) {
        return new FarmException(
                ErrorKind.DISK_FAILED,
                "open replica",
                key.toString(),
                "disk " + disk + " was given up");
    }

    private Replica openOrCreate(ObjectKey key, IfAbsent ifAbsent) throws IOException {
        if (failed.contains(key)) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "open replica",
                    key.toString(),
                    "an earlier sync of this replica failed");
        }
        DataDirectory disk = find(key);
        if (disk != null) {
            Replica replica = ReplicaFiles.open(key, disk, path(disk, key), clock, boot);
            if (replica.isSuspect()) {
                suspects.add(key);
            }
            if (replica.isLocallyChanged()) {
                settler.changed(key);
            }
            return replica;
        }
        generations.refuseOlder(key);
        if (ifAbsent == IfAbsent.FAIL) {
            throw absent(key);
        }
        refuseQuarantined(key);
        generations.began(key);
        DataDirectory target = choice.choose(key, 0);
        return ReplicaFiles.create(key, target, made(target, key), clock, boot);
    }

    private interface FindStaged {
        StagedFiles.@Nullable Staged find() throws IOException;
    }

    private Replica openOrClaim(ObjectKey key, FindStaged find) throws IOException {
        StagedFiles.Staged file = find(key) == null ? find.find() : null;
        if (file == null) {
            return openOrCreate(key, IfAbsent.FAIL);
        }
        generations.refuseOlder(key);
        refuseQuarantined(key);
        generations.began(key);
        Replica claimed =
                ReplicaFiles.claim(
                        key, file.disk(), file.path(), made(file.disk(), key), clock, boot);
        staged.gone(file);
        return claimed;
    }

    private static Path made(DataDirectory disk, ObjectKey key) throws IOException {
        return disk.objects().make(key.slot()).resolve(key.fileName());
    }

    private void refuseQuarantined(ObjectKey key) {
        if (isQuarantined(key)) {
            throw new FarmException(
                    ErrorKind.CORRUPT,
                    "create replica",
                    key.toString(),
                    "the former one is in quarantine");
        }
    }

    static FarmException absent(ObjectKey key) {
        return new FarmException(ErrorKind.OBJECT_ABSENT, "open replica", key.toString());
    }

    /** The disk that holds it, or null. */
    @Nullable DataDirectory find(ObjectKey key) {
        for (DataDirectory disk : disks) {
            if (!disk.isFailed() && Files.exists(path(disk, key))) {
                return disk;
            }
        }
        return null;
    }

    static Path path(DataDirectory disk, ObjectKey key) {
        return disk.objects().path(key.slot()).resolve(key.fileName());
    }

    /** OVERLOADED when local writers have as many replicas as may stay open. */
    public void requireRoomForLocalWriter(String operation) {
        if (open.pinned() >= localMax) {
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    operation,
                    "",
                    "local writers have " + localMax + " replicas open");
        }
    }

    /**
     * A replica that its local writers have left changed waits for its sums, and is open until
     * then. False: too many do.
     */
    public boolean sumLater(ObjectKey key) {
        if (open.pinned() >= localMax / 2) {
            return false;
        }
        settler.leftChanged(key);
        return true;
    }

    // ---- staged files
    // --------------------------------------------------------------------------------------------------------

    /** A plain file that a replica may be made of. */
    public record Place(long number, Path path) {}

    /** So many, each on a disk of free choice, for that owner alone. */
    public List<Place> stage(int count, String owner) {
        List<Place> places = new ArrayList<>();
        if (count <= 0) {
            return places; // only to discard some
        }
        DataDirectory disk = choice.choose("a staged file", 0);
        try {
            requireRoomForLocalWriter("stage");
            staged.requireRoom(owner);
            for (int i = 0; i < count; i++) {
                disk = choice.choose("a staged file", 0);
                StagedFiles.Staged made = staged.make(disk, owner);
                places.add(new Place(made.number(), made.path()));
            }
            return places;
        } catch (IOException e) {
            throw disk.erred("stage a file", disk, e);
        }
    }

    /** Those of them that nobody has written into, under other numbers. */
    public List<Place> stageAgain(List<Long> unused, String owner) {
        List<Place> places = new ArrayList<>();
        for (long number : unused) {
            try {
                StagedFiles.Staged again = staged.renumbered(number, owner);
                if (again != null) places.add(new Place(again.number(), again.path()));
            } catch (IOException e) {
                LOG.warn("a staged file is not used again: {}", e.toString());
            }
        }
        return places;
    }

    /** Their owner does not want them any more; nothing happens to what was claimed. */
    public void unstage(List<Long> numbers, String owner) {
        numbers.forEach(number -> staged.discard(number, owner, false));
        staged.removeForgotten();
    }

    /** The same of those that nobody has written into. */
    public void unstageUnused(List<Long> numbers, String owner) {
        numbers.forEach(number -> staged.discard(number, owner, true));
    }

    /**
     * @param bytes the caller's to release
     */
    public record StagedBytes(long size, ByteBuf bytes) {}

    /** Of the staged file that is shown so; null: there is none, or it is a replica by now. */
    public @Nullable StagedBytes readStaged(
            ByteBufAllocator allocator, long shown, long offset, int length) throws IOException {
        try {
            return staged.read(allocator, shown, offset, length);
        } catch (NoSuchFileException e) {
            LOG.debug("staged file {} was claimed just now", Long.toHexString(shown), e);
            return null;
        }
    }

    /** The staged file that is shown so; null: there is none, or it is a replica by now. */
    public @Nullable StagedState staged(long shown) throws IOException {
        try {
            return staged.state(shown);
        } catch (NoSuchFileException e) {
            LOG.debug("staged file {} was claimed just now", Long.toHexString(shown), e);
            return null;
        }
    }

    // ---- ends of a replica
    // --------------------------------------------------------------------------------------------------------

    /** Removes the replica; true if there was one. Works on a full disk. */
    public CompletableFuture<Boolean> delete(ObjectKey key) {
        return open.submit(key, true, entry -> delete(entry));
    }

    private boolean delete(OpenReplicas.Entry entry) throws IOException {
        Replica replica = entry.openOrNull();
        if (replica != null) {
            replica.markDeleted();
            entry.close();
        }
        settler.forget(entry.key);
        failed.remove(entry.key);
        suspects.remove(entry.key);
        boolean deleted = false;
        for (DataDirectory disk : disks) {
            if (!disk.isFailed()) {
                Path path = path(disk, entry.key);
                deleted |= Files.deleteIfExists(path);
                Files.deleteIfExists(ReplicaFiles.sumPath(path));
            }
        }
        return deleted;
    }

    /** Moves it out of reach, to lost+found. */
    public CompletableFuture<Boolean> moveToLostAndFound(ObjectKey key) {
        return open.submit(key, true, entry -> moveAway(entry, "lost+found"));
    }

    /** Moves it to quarantine and reports it, once what is running on it has ended. */
    private void quarantineSoon(ObjectKey key, String why) {
        CompletableFuture<Boolean> unused =
                open.submit(
                        key,
                        true,
                        entry -> {
                            boolean moved = moveAway(entry, "quarantine");
                            if (moved) {
                                listener.corrupt(key, why);
                            }
                            return moved;
                        });
    }

    private boolean moveAway(OpenReplicas.Entry entry, String where) throws IOException {
        Replica replica = entry.openOrNull();
        if (replica != null) {
            replica.markDeleted();
            entry.close();
        }
        settler.forget(entry.key);
        DataDirectory disk = find(entry.key);
        if (disk == null) {
            return false;
        }
        Path path = path(disk, entry.key);
        Path target = disk.root().resolve(where);
        Files.move(path, target.resolve(entry.key.fileName()), StandardCopyOption.REPLACE_EXISTING);
        if (Files.exists(ReplicaFiles.sumPath(path))) {
            Files.move(
                    ReplicaFiles.sumPath(path),
                    target.resolve(entry.key.sumName()),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        return true;
    }

    /**
     * Its last writer may have been cut off, and its content may differ from that of other
     * replicas.
     */
    boolean isSuspect(ObjectKey key) {
        return suspects.contains(key);
    }

    /** The replica was found bad from outside its lane. */
    void condemn(ObjectKey key, String why) {
        quarantineSoon(key, why);
    }

    private boolean isQuarantined(ObjectKey key) {
        return disks.stream()
                .anyMatch(disk ->
                        Files.exists(disk.root().resolve("quarantine").resolve(key.fileName())));
    }

    // ---- copies and generations
    // ---------------------------------------------------------------------------------------------------

    /**
     * A replica being made under a temporary name; it becomes the object at {@link #publish}, or
     * vanishes at {@link #discard}.
     */
    public Replica beginCopy(ObjectKey key, long bytes) {
        DataDirectory disk = choice.choose(key, bytes);
        Path path =
                disk.root()
                        .resolve("tmp")
                        .resolve(key.fileName() + "." + Long.toHexString(entropy.nextLong()));
        try {
            Replica copy = ReplicaFiles.create(key, disk, path, clock, boot);
            copy.isTemporary();
            return copy;
        } catch (IOException e) {
            throw disk.erred("create replica", key, e);
        }
    }

    public void discard(Replica copy) throws IOException {
        copy.markDeleted();
        copy.close();
        Files.deleteIfExists(copy.path());
        Files.deleteIfExists(ReplicaFiles.sumPath(copy.path()));
    }

    /** Makes the copy durable and puts it in the object's place, whatever was there before. */
    public CompletableFuture<Boolean> publish(Replica copy) {
        ObjectKey key = copy.key();
        return open.submit(
                key,
                true,
                entry -> {
                    try {
                        generations.began(key);
                        copy.settle();
                        copy.close();
                        ReplicaFiles.markUnwritten(copy.path());
                        delete(entry);
                        Path path = copy.disk().objects().make(key.slot()).resolve(key.fileName());
                        Files.move(
                                ReplicaFiles.sumPath(copy.path()),
                                ReplicaFiles.sumPath(path),
                                StandardCopyOption.ATOMIC_MOVE);
                        Files.move(copy.path(), path, StandardCopyOption.ATOMIC_MOVE);
                        copy.disk().objects().force(key.slot());
                        Files.deleteIfExists(
                                copy.disk().root().resolve("quarantine").resolve(key.fileName()));
                        return true;
                    } catch (IOException e) {
                        throw copy.disk().erred("publish replica", key, e);
                    }
                });
    }

    /**
     * Ends the generation of this key: what it held goes on as the other generation, and nobody
     * reads or writes the old one any more. Answers false if there was nothing. Asking again is
     * answered from the new generation.
     *
     * @param shown of the staged file that the replica was to be made of, as others than its writer
     *     know it; 0: none
     */
    public CompletableFuture<Boolean> seal(ObjectKey key, int generation, long shown) {
        ObjectKey next = key.withGeneration(generation);
        return open.submit(
                key,
                true,
                entry -> {
                    FindStaged find = () -> staged.shown(shown);
                    if (find(next) == null && find.find() != null) {
                        yields(entry, find);
                        if (find(key) == null) {
                            run(entry, absent -> openOrClaim(absent, find), claimed -> true);
                        }
                    }
                    generations.began(next);
                    if (find(key) == null) {
                        return find(next) != null;
                    }
                    run(
                            entry,
                            IfAbsent.FAIL,
                            replica -> {
                                Sealing.goOn(replica, next, clock, boot);
                                return true;
                            });
                    settler.forget(key);
                    entry.close();
                    settler.changed(next);
                    return true;
                });
    }

    // ---- for the other parts of the room
    // ------------------------------------------------------------------------------------------

    /** The open replica, if it is; looked at from outside its lane. */
    public @Nullable Replica peek(ObjectKey key) {
        return open.peek(key);
    }

    long boot() {
        return boot;
    }

    Clock clock() {
        return clock;
    }

    /** What the replica holds is on stable storage then, whoever wrote it. */
    public CompletableFuture<Void> force(ObjectKey key) {
        return settler.force(key);
    }

    /** The same of all that was changed until now. */
    public CompletableFuture<Void> forceAll() {
        return settler.forceAll();
    }

    Settler settler() {
        return settler;
    }

    /** Removes what an earlier run left in tmp. */
    public void clearTemporaries() throws IOException {
        for (DataDirectory disk : disks) {
            try (var files = Files.newDirectoryStream(disk.root().resolve("tmp"))) {
                for (Path file : files) {
                    Files.deleteIfExists(file);
                }
            } catch (NoSuchFileException e) {
                disk.fail("tmp is missing");
            }
        }
    }

    /** Writes all sums, makes everything durable and closes the files. */
    @Override
    public void close() throws IOException {
        settler.close();
        open.closeAll();
        io.shutdown();
        for (DataDirectory disk : disks) {
            disk.close();
        }
    }
}
