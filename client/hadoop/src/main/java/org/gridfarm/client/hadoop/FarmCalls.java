package org.gridfarm.client.hadoop;

import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.gridfarm.client.Account;
import org.gridfarm.client.FarmFile;
import org.gridfarm.client.FileLayout;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.OpenMode;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The calls of one file system, by the paths of the farm. Thread-safe.
 *
 * <p>Links are followed wherever Hadoop does not ask for the link itself, listings included: jobs
 * know files and directories only. One that leads nowhere is listed as a link.
 */
final class FarmCalls {
    /** A digest is made where none is kept: all of a large file is read on its nodes. */
    private static final Duration DIGEST_MAX = Duration.ofMinutes(30);

    private static final int SPECIAL_BITS = 06000; // set-user and set-group, unknown to Hadoop

    private final Gridfarm farm;
    private final Settings settings;
    private final Hosts hosts;
    private final Function<String, Path> names;
    private final Supplier<FileSystem.@Nullable Statistics> statistics;
    private final long blockSize;

    FarmCalls(
            Gridfarm farm,
            Settings settings,
            Function<String, Path> names,
            Supplier<FileSystem.@Nullable Statistics> statistics) {
        this.farm = farm;
        this.settings = settings;
        this.names = names;
        this.statistics = statistics;
        hosts = new Hosts(settings);
        blockSize = settings.blockSize();
    }

    Gridfarm farm() {
        return farm;
    }

    long blockSize() {
        return blockSize;
    }

    private void countedRead() {
        FileSystem.Statistics counters = statistics.get();
        if (counters != null) {
            counters.incrementReadOps(1);
        }
    }

    private void countedWrite() {
        FileSystem.Statistics counters = statistics.get();
        if (counters != null) {
            counters.incrementWriteOps(1);
        }
    }

    // ---- contents

    FSDataInputStream open(String path) throws IOException {
        countedRead();
        FarmFile file = Failures.found(() -> farm.open(path, OpenMode.READ));
        return reading(file, size(file));
    }

    private static long size(FarmFile file) throws IOException {
        try {
            return file.size();
        } catch (FarmException e) {
            throw closedFor(file, e);
        }
    }

    private static IOException closedFor(FarmFile file, FarmException failure) {
        try {
            file.close();
        } catch (FarmException e) {
            failure.addSuppressed(e);
        }
        return Failures.of(failure);
    }

    private FSDataInputStream reading(FarmFile file, long size) {
        return new FSDataInputStream(
                new FarmInput(file, size, settings.readBuffer(), statistics.get()));
    }

    FSDataInputStream open(FarmPathHandle handle) throws IOException {
        countedRead();
        FarmFile file = Failures.found(() -> farm.open(handle.path(), OpenMode.READ));
        try {
            org.gridfarm.client.FileStatus now = file.stat();
            handle.require(now);
            return reading(file, now.size());
        } catch (FarmException e) {
            throw closedFor(file, e);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    static FarmPathHandle handle(String path, FileStatus status, HandleOpt... options) {
        if (status instanceof GridfarmFileStatus own && status.isFile()) {
            return FarmPathHandle.of(path, own, options);
        }
        throw new IllegalArgumentException(
                "handles are of files, by the status that this file system gave: " + status);
    }

    FSDataOutputStream create(
            String path,
            NewPermission permission,
            EnumSet<CreateFlag> flags,
            short level,
            boolean withParents)
            throws IOException {
        countedWrite();
        CreateFlag.validate(flags);
        boolean syncs = flags.contains(CreateFlag.SYNC_BLOCK);
        boolean creates = flags.contains(CreateFlag.CREATE);
        boolean overwrites = flags.contains(CreateFlag.OVERWRITE);
        boolean appends = flags.contains(CreateFlag.APPEND);
        if (appends || !creates) {
            if (Failures.told(() -> farm.exists(path))) {
                if (appends) {
                    return append(path, syncs);
                }
            } else if (!creates) {
                throw new FileNotFoundException(path + " is not there, and not to be made");
            }
        }
        FarmFile file = Failures.told(() -> made(path, permission, overwrites, withParents));
        try {
            org.gridfarm.client.FileStatus status = file.stat();
            if (status.size() > 0) {
                file.truncate(0);
            }
            if (level > 0 && level != status.replicas()) {
                file.close(); // its nodes are chosen when it is opened
                farm.setReplicas(path, level);
                file = farm.open(path, OpenMode.WRITE);
            }
            return writing(path, file, syncs, 0);
        } catch (FarmException e) {
            throw closedFor(file, e);
        }
    }

    private FarmFile made(
            String path, NewPermission permission, boolean mayExist, boolean withParents) {
        try {
            return farm.create(
                    path, OpenMode.WRITE, mayExist, permission.bits(), permission.umask());
        } catch (FarmException e) {
            switch (e.kind()) {
                case IS_A_DIRECTORY ->
                        throw new FarmException(
                                ErrorKind.ALREADY_EXISTS, "create", path, "as a directory");
                case NOT_FOUND -> {
                    if (!withParents) {
                        throw e;
                    }
                    make(parent(path), permission.ofParents());
                    return farm.create(
                            path, OpenMode.WRITE, mayExist, permission.bits(), permission.umask());
                }
                default -> throw e;
            }
        }
    }

    private FSDataOutputStream writing(String path, FarmFile file, boolean syncs, long at)
            throws IOException {
        return new FSDataOutputStream(
                new FarmOut(path, file.output(), syncs), statistics.get(), at);
    }

    FSDataOutputStream append(String path, boolean syncs) throws IOException {
        countedWrite();
        FarmFile file = Failures.found(() -> farm.open(path, OpenMode.APPEND));
        return writing(path, file, syncs, size(file));
    }

    void truncate(String path, long size) throws IOException {
        countedWrite();
        org.gridfarm.client.FileStatus now = Failures.found(() -> farm.stat(path));
        if (!now.isFile()) {
            throw new FileNotFoundException(path + " is not a file");
        }
        if (size < 0 || size > now.size()) {
            throw new HadoopIllegalArgumentException(
                    path + " has " + now.size() + " bytes and cannot be cut at " + size);
        }
        Failures.done(() -> farm.truncate(path, size));
    }

    boolean tellsChecksums() {
        return settings.tellsDigests();
    }

    @Nullable FileChecksum checksum(String path, long length) throws IOException {
        org.gridfarm.client.FileStatus status = Failures.found(() -> farm.stat(path));
        if (!status.isFile()) {
            throw new FileNotFoundException(path + " is not a file");
        }
        return tellsChecksums() && length >= status.size()
                ? new FarmChecksum(Failures.told(() -> farm.digest(path, DIGEST_MAX)))
                : null;
    }

    // ---- names

    boolean delete(String path, boolean recursive) throws IOException {
        countedWrite();
        try {
            if (path.equals("/")) {
                if (!recursive) requireEmpty(path);
                return false; // as HDFS: what is below it has to be named
            }
            if (recursive && farm.statLink(path).isDirectory()) {
                farm.deleteRecursively(path);
            } else {
                farm.delete(path);
            }
            return true;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return false;
            }
            throw Failures.of(e);
        }
    }

    private void requireEmpty(String directory) {
        try (Stream<org.gridfarm.client.FileStatus> all = farm.list(directory)) {
            if (all.findAny().isPresent()) {
                throw new FarmException(ErrorKind.NOT_EMPTY, "delete", directory);
            }
        }
    }

    void mkdirs(String path, NewPermission permission) throws IOException {
        countedWrite();
        Failures.done(() -> make(path, permission));
    }

    private void make(String path, NewPermission permission) {
        if (path.equals("/")) {
            return;
        }
        try {
            farm.mkdir(path, permission.bits(), permission.umask());
        } catch (FarmException e) {
            switch (e.kind()) {
                case ALREADY_EXISTS -> {
                    if (!farm.stat(path).isDirectory()) {
                        throw new FarmException(
                                ErrorKind.ALREADY_EXISTS, "mkdir", path, "not a directory");
                    }
                }
                case NOT_FOUND -> {
                    make(parent(path), permission.ofParents());
                    make(path, permission);
                }
                default -> throw e;
            }
        }
    }

    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }

    void symlink(Path target, String link, boolean withParents, URI uri) throws IOException {
        countedWrite();
        URI to = target.toUri();
        if (to.getScheme() != null
                && !(to.getScheme().equals(uri.getScheme())
                        && Objects.equals(to.getAuthority(), uri.getAuthority()))) {
            throw new IOException(link + ": a link leads to a place in its own farm, not " + to);
        }
        if (withParents) {
            FsPermission usual = FsPermission.getDirDefault();
            mkdirs(parent(link), NewPermission.masked(usual, new FsPermission((short) 022)));
        }
        Failures.done(() -> farm.symlink(to.getPath(), link));
    }

    // ---- looking

    GridfarmFileStatus stat(String path) throws IOException {
        countedRead();
        return GridfarmFileStatus.of(
                Failures.found(() -> farm.stat(path)), blockSize, names.apply(path));
    }

    GridfarmFileStatus statLink(String path) throws IOException {
        countedRead();
        org.gridfarm.client.FileStatus status = Failures.found(() -> farm.statLink(path));
        return status.isSymbolicLink()
                ? link(status, path)
                : GridfarmFileStatus.of(status, blockSize, names.apply(path));
    }

    private GridfarmFileStatus link(org.gridfarm.client.FileStatus status, String path)
            throws IOException {
        Path name = names.apply(path);
        Path target = new Path(name.getParent(), new Path(readLink(path)));
        return GridfarmFileStatus.ofLink(status, blockSize, target, name);
    }

    String readLink(String path) throws IOException {
        return Failures.found(() -> farm.readLink(path));
    }

    FileStatus[] list(String path) throws IOException {
        countedRead();
        org.gridfarm.client.FileStatus status = Failures.found(() -> farm.stat(path));
        if (!status.isDirectory()) {
            return new FileStatus[] {GridfarmFileStatus.of(status, blockSize, names.apply(path))};
        }
        List<org.gridfarm.client.FileStatus> entries =
                Failures.told(() -> {
                    try (Stream<org.gridfarm.client.FileStatus> all = farm.list(path)) {
                        return all.toList();
                    }
                });
        FileStatus[] told = new FileStatus[entries.size()];
        for (int i = 0; i < told.length; i++) {
            told[i] = listed(entries.get(i));
        }
        Arrays.sort(told); // by name, as HDFS
        return told;
    }

    private GridfarmFileStatus listed(org.gridfarm.client.FileStatus entry) throws IOException {
        if (entry.isSymbolicLink()) {
            try {
                return GridfarmFileStatus.of(
                        farm.stat(entry.path()), blockSize, names.apply(entry.path()));
            } catch (FarmException e) {
                return link(entry, entry.path());
            }
        }
        return GridfarmFileStatus.of(entry, blockSize, names.apply(entry.path()));
    }

    /** Page by page, in the farm's own order. */
    RemoteIterator<FileStatus> iterate(String path) throws IOException {
        countedRead();
        org.gridfarm.client.FileStatus status = Failures.found(() -> farm.stat(path));
        Iterator<org.gridfarm.client.FileStatus> entries =
                status.isDirectory()
                        ? Failures.told(() -> farm.list(path).iterator())
                        : List.of(status).iterator();
        return new RemoteIterator<>() {
            @Override
            public boolean hasNext() throws IOException {
                return Failures.told(entries::hasNext);
            }

            @Override
            public FileStatus next() throws IOException {
                return listed(Failures.told(entries::next));
            }
        };
    }

    BlockLocation[] places(String path, FileStatus file, long start, long length)
            throws IOException {
        if (file.isDirectory() || start >= file.getLen()) {
            return new BlockLocation[0];
        }
        countedRead();
        FileLayout layout = Failures.found(() -> farm.where(path));
        return new BlockPlaces(layout, file.getLen(), blockSize, copy -> hosts.place(copy, farm))
                .of(start, length);
    }

    /** Links count as one file each, and nothing of what they lead to. */
    ContentSummary summary(String path) throws IOException {
        countedRead();
        long[] sums = new long[4]; // bytes, bytes on disks, files, directories
        Failures.found(() -> {
            try (Stream<org.gridfarm.client.FileStatus> all = farm.walk(path)) {
                all.forEach(one -> {
                    if (one.isDirectory()) {
                        sums[3]++;
                    } else {
                        sums[2]++;
                        if (one.isFile()) {
                            sums[0] += one.size();
                            sums[1] += one.size() * one.replicas();
                        }
                    }
                });
            }
            return sums;
        });
        return new ContentSummary.Builder()
                .length(sums[0])
                .spaceConsumed(sums[1])
                .fileCount(sums[2])
                .directoryCount(sums[3])
                .build();
    }

    /** Of what will be made there. */
    short level(String path) {
        for (String at = path; ; at = parent(at)) {
            try {
                return (short) farm.stat(at).replicas();
            } catch (FarmException e) {
                if (at.equals("/") || e.kind() != ErrorKind.NOT_FOUND) {
                    return 1;
                }
            }
        }
    }

    // ---- attributes

    boolean setReplicas(String path, short level) throws IOException {
        countedWrite();
        org.gridfarm.client.FileStatus status = Failures.found(() -> farm.stat(path));
        if (!status.isFile()) {
            return false;
        }
        Failures.done(() -> farm.setReplicas(path, level));
        return true;
    }

    void setPermission(String path, FsPermission permission) throws IOException {
        countedWrite();
        Failures.done(() -> {
            int kept = farm.stat(path).mode() & SPECIAL_BITS;
            farm.chmod(path, permission.toShort() | kept);
        });
    }

    void setOwner(String path, @Nullable String user, @Nullable String group) throws IOException {
        countedWrite();
        Failures.done(() ->
                farm.chown(
                        path,
                        user == null ? null : (Integer) Account.uid(user),
                        group == null ? null : (Integer) Account.gid(group)));
    }

    void setTimes(String path, long modified, long accessed) throws IOException {
        countedWrite();
        Failures.done(() -> farm.setTimes(path, instant(accessed), instant(modified)));
    }

    private static @Nullable Instant instant(long millis) {
        return millis < 0 ? null : Instant.ofEpochMilli(millis);
    }
}
