package org.gridfarm.client;

import org.gridfarm.client.core.AsyncCalls;
import org.gridfarm.client.core.FarmInputStream;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.Policy;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ListNodesRequest;
import org.jspecify.annotations.Nullable;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A farm, as a program of one user sees it. Thread-safe, for platform and virtual threads; every
 * method blocks until done, at most for the configured time-out, and an interrupt ends it with
 * INTERRUPTED.
 *
 * <pre>
 * try (Gridfarm farm = Gridfarm.connect()) {
 *     try (OutputStream out = farm.write("/data/x")) { ... }
 *     farm.list("/data").forEach(System.out::println);
 * }
 * </pre>
 *
 * <p>A change of names or attributes is durable, and seen by every client, when the method returns.
 * Failures are {@link FarmException}s that name the path as it was given; streams throw {@link
 * java.io.IOException}s caused by them. Futures fail with a {@link CompletionException} of one.
 */
public final class Gridfarm implements AutoCloseable {
    private final org.gridfarm.client.core.Gridfarm farm;
    private final AsyncCalls async;
    private final FileSystem files;
    private final Jobs jobs;

    Gridfarm(org.gridfarm.client.core.Gridfarm farm) {
        this.farm = farm;
        async = new AsyncCalls(farm);
        files = new FarmFileSystemProvider().newFileSystem(farm);
        jobs = new Jobs(farm);
    }

    /**
     * By the configuration that {@code GF_CONFIG} names, else {@code
     * ~/.config/gridfarm/config.toml}, else {@code /etc/gridfarm/config.toml}.
     */
    public static Gridfarm connect() {
        return builder().connect();
    }

    public static GridfarmBuilder builder() {
        return new GridfarmBuilder();
    }

    /** Whom the farm knows this program's user as. */
    public String user() {
        return farm.user();
    }

    /** The farm for {@code java.nio.file}, over the same connection: closing either closes both. */
    public FileSystem fileSystem() {
        return files;
    }

    public Path path(String path) {
        return files.getPath(FarmPath.of(path).toString());
    }

    // ---- looking

    /** Follows a symbolic link at the end. */
    public FileStatus stat(String path) {
        return FileStatus.of(farm.stat(FarmPath.of(path)));
    }

    /** Of the link itself. */
    public FileStatus statLink(String path) {
        return FileStatus.of(farm.statLink(FarmPath.of(path)));
    }

    public boolean exists(String path) {
        return farm.exists(FarmPath.of(path));
    }

    /** The entries of a directory with their attributes, fetched page by page as it is read. */
    public Stream<FileStatus> list(String directory) {
        return farm.list(FarmPath.of(directory)).map(FileStatus::of);
    }

    /** It and everything below it, parents first; symbolic links are not followed. */
    public Stream<FileStatus> walk(String root) {
        return farm.walk(FarmPath.of(root)).map(FileStatus::of);
    }

    /** Paths that match ({@code * ? [..] {a,b}}, {@code **} over directories), sorted. */
    public List<String> glob(String pattern) {
        return farm.glob(pattern).stream().map(FarmPath::toString).toList();
    }

    public String readLink(String link) {
        return farm.readLink(FarmPath.of(link));
    }

    // ---- contents

    /** Reads ahead in large pieces. For one thread. */
    public InputStream read(String path) {
        FarmInputStream stream = farm.read(FarmPath.of(path));
        return stream;
    }

    /** Makes the file or empties it. Sends large pieces, several at once. For one thread. */
    public OutputStream write(String path) {
        FarmOutputStream stream = farm.write(FarmPath.of(path));
        return stream;
    }

    /** Makes the file or goes on at its end; pieces of up to 1 MiB are appended atomically. */
    public OutputStream append(String path) {
        FarmOutputStream stream = farm.append(FarmPath.of(path));
        return stream;
    }

    /** A file that is there; NOT_FOUND, IS_A_DIRECTORY or ACCESS_DENIED otherwise. */
    public FarmFile open(String path, OpenMode mode) {
        return new FarmFile(farm.open(FarmPath.of(path), flags(mode)));
    }

    /** Makes the file if it is not there; ALREADY_EXISTS if it is and may not be. */
    public FarmFile create(String path, OpenMode mode, boolean mayExist) {
        return new FarmFile(farm.create(FarmPath.of(path), flags(mode), !mayExist));
    }

    private static OpenFlags flags(OpenMode mode) {
        return switch (mode) {
            case READ -> OpenFlags.READ;
            case WRITE -> OpenFlags.WRITE;
            case READ_WRITE -> OpenFlags.READ_WRITE;
            case APPEND -> OpenFlags.WRITE.appending();
        };
    }

    /**
     * The same with the permissions that a new file has from its first moment; one that is there
     * keeps its own.
     *
     * @param permissions 07777
     * @param umask what is taken away from them; where the directory has a default ACL, that stands
     *     in its place
     */
    public FarmFile create(
            String path, OpenMode mode, boolean mayExist, int permissions, int umask) {
        return new FarmFile(
                farm.create(
                        FarmPath.of(path),
                        flags(mode),
                        !mayExist,
                        new NewMode(permissions, umask),
                        true));
    }

    /** As {@link #stat}. */
    public CompletableFuture<FileStatus> statAsync(String path) {
        return told(
                "stat", path, () -> async.stat(FarmPath.of(path), true).thenApply(FileStatus::of));
    }

    /** As {@link #open}. */
    public CompletableFuture<FarmFile> openAsync(String path, OpenMode mode) {
        return told(
                "open",
                path,
                () -> async.open(FarmPath.of(path), flags(mode)).thenApply(FarmFile::new));
    }

    public void truncate(String path, long size) {
        farm.truncate(FarmPath.of(path), position(size, "truncate", path));
    }

    /** Copies a local file or directory tree into the farm; the bytes copied. */
    public long copyIn(Path local, String target) {
        return farm.copyIn(local, FarmPath.of(target));
    }

    /** Copies a file or directory tree of the farm to the local file system; the bytes copied. */
    public long copyOut(String source, Path local) {
        return farm.copyOut(FarmPath.of(source), local);
    }

    /** Copies a file within the farm, on its nodes where the layouts permit; the bytes copied. */
    public long copy(String source, String target) {
        return farm.copy(FarmPath.of(source), FarmPath.of(target));
    }

    // ---- names

    public void mkdir(String path) {
        farm.mkdir(FarmPath.of(path));
    }

    /** With the permissions that it has from its first moment, 07777. */
    public void mkdir(String path, int mode) {
        farm.mkdir(FarmPath.of(path), NewMode.exactly(mode));
    }

    /**
     * @param mode permission bits, 07777
     * @param umask what is taken away from them; where the parent has a default ACL, that stands in
     *     its place
     */
    public void mkdir(String path, int mode, int umask) {
        farm.mkdir(FarmPath.of(path), new NewMode(mode, umask));
    }

    /** With its parents; an existing directory is fine. */
    public void mkdirs(String path) {
        farm.mkdirs(FarmPath.of(path));
    }

    /** Atomically; what has the new name is replaced, as by rename(2). */
    public void rename(String from, String to) {
        farm.rename(FarmPath.of(from), FarmPath.of(to));
    }

    /**
     * Atomically, and not if the new name is there: ALREADY_EXISTS, as by renameat2(2) with
     * RENAME_NOREPLACE.
     */
    public void renameToNew(String from, String to) {
        farm.rename(FarmPath.of(from), FarmPath.of(to), Set.of(RenameFlag.NO_REPLACE));
    }

    /** A file, a link or an empty directory. */
    public void delete(String path) {
        farm.delete(FarmPath.of(path));
    }

    /** With everything below it. */
    public void deleteRecursively(String path) {
        farm.deleteRecursively(FarmPath.of(path));
    }

    public void symlink(String target, String link) {
        farm.symlink(target, FarmPath.of(link));
    }

    /** Another name for an existing file. */
    public void link(String existing, String link) {
        farm.link(FarmPath.of(existing), FarmPath.of(link));
    }

    // ---- attributes

    /**
     * @param mode permission bits, 07777
     */
    public void chmod(String path, int mode) {
        farm.chmod(FarmPath.of(path), mode);
    }

    /** A null stays as it is. */
    public void chown(String path, @Nullable Integer uid, @Nullable Integer gid) {
        farm.chown(FarmPath.of(path), uid, gid);
    }

    /** A null stays as it is. */
    public void setTimes(String path, @Nullable Instant accessed, @Nullable Instant modified) {
        farm.setTimes(FarmPath.of(path), accessed, modified);
    }

    /** Names as in {@code user.origin}. */
    public Optional<byte[]> getXattr(String path, String name) {
        return farm.getXattr(FarmPath.of(path), name);
    }

    public void setXattr(String path, String name, byte[] value) {
        farm.setXattr(FarmPath.of(path), name, value);
    }

    /** One that was not there: ALREADY_EXISTS otherwise. */
    public void addXattr(String path, String name, byte[] value) {
        farm.setXattr(FarmPath.of(path), name, value, true, false);
    }

    /** One that is there: NO_ATTRIBUTE otherwise. */
    public void replaceXattr(String path, String name, byte[] value) {
        farm.setXattr(FarmPath.of(path), name, value, false, true);
    }

    /** NO_ATTRIBUTE where there is none of that name. */
    public void removeXattr(String path, String name) {
        farm.removeXattr(FarmPath.of(path), name);
    }

    public List<String> listXattr(String path) {
        return farm.listXattr(FarmPath.of(path));
    }

    // ---- copies and nodes

    /** Where every part of the file lies. */
    public FileLayout where(String path) {
        return FileLayout.of(farm.where(FarmPath.of(path)));
    }

    /** Copies wanted of a file, or of what will be made in a directory. */
    public void setReplicas(String path, int level) {
        farm.setPolicy(FarmPath.of(path), Policy.replicas(level));
    }

    /** Copies by group of nodes, as in {@code siteA:2,siteB:1}. */
    public void setGroups(String path, String groups) {
        farm.setPolicy(FarmPath.of(path), Policy.groups(groups));
    }

    /**
     * Over how many stripes new content is laid.
     *
     * @param unit bytes that lie in one before the next has its turn
     */
    public void setStripes(String path, int count, long unit) {
        farm.setPolicy(FarmPath.of(path), Policy.stripes(count, unit));
    }

    /** Until every part of the file has the copies wanted; TIMED_OUT where that takes longer. */
    public void awaitReplicas(String path, Duration longest) {
        farm.replicate(FarmPath.of(path), "", "", true, longest);
    }

    /**
     * The digest of what the file holds (SHA-256 over its size and the CRC32C of each 64 KiB, as
     * {@code gf sum} shows it), made on the nodes that hold it and kept there: files with the same
     * content and striping have the same. TIMED_OUT where that takes longer.
     */
    public byte[] digest(String path, Duration longest) {
        return farm.sum(FarmPath.of(path), false, longest).getDigest().toByteArray();
    }

    /** What somebody who writes below that path may count on. */
    public Space space(String path) {
        return Space.of(farm.space(FarmPath.of(path)));
    }

    public List<StorageNode> nodes() {
        return farm
                .callLeader(MetadataMethods.LIST_NODES, ListNodesRequest.getDefaultInstance())
                .getNodesList()
                .stream()
                .map(StorageNode::of)
                .toList();
    }

    // ---- people

    /** The number and the groups that the farm knows this program's user by. */
    public Account account() {
        return Account.of(farm.metadata().self());
    }

    // ---- jobs

    /** Durable when it returns. BAD_CONFIGURATION where the configuration names no scheduler. */
    public Job submit(JobSpec job) {
        return jobs.submit(job);
    }

    /** One that was submitted before, by whichever program of the user's. */
    public Job job(long id) {
        return jobs.job(id);
    }

    // ---- within the package

    static long position(long offset, String operation, String path) {
        if (offset < 0) {
            throw new FarmException(
                    ErrorKind.INVALID, operation, path, "position " + offset + " is negative");
        }
        return offset;
    }

    /** Ends on the common pool: what is chained to it may block, which network threads may not. */
    static <T> CompletableFuture<T> told(
            String operation, String path, Supplier<CompletableFuture<T>> call) {
        CompletableFuture<T> begun;
        try {
            begun = call.get();
        } catch (FarmException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> told = new CompletableFuture<>();
        begun.whenCompleteAsync(
                (value, thrown) -> {
                    if (thrown == null) {
                        told.complete(value);
                    } else {
                        told.completeExceptionally(
                                FarmException.of(thrown, operation, path).about(operation, path));
                    }
                },
                ForkJoinPool.commonPool());
        return told;
    }

    /** Ends the session. Files still open lose what was not flushed. */
    @Override
    public void close() {
        jobs.close();
        farm.close();
    }
}
