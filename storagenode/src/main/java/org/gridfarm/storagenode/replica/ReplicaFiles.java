package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.checksum.SumHeader;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.DiskCalls;
import org.gridfarm.storagenode.disk.OwnerOnly;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Opens and makes the two files of a replica; the sums first, so that data without sums is always
 * damage.
 */
final class ReplicaFiles {
    /** Not 0, which is no time to who looks at the file. */
    private static final FileTime UNWRITTEN = FileTime.from(1, TimeUnit.SECONDS);

    private static final Set<OpenOption> OLD =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> NEW =
            Set.of(
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING);

    private ReplicaFiles() {}

    static Path sumPath(Path data) {
        return data.resolveSibling(data.getFileName() + ObjectKey.SUM_SUFFIX);
    }

    /** An empty file for the sums of the data at the path. */
    static SumFile newSums(Path data, DiskCalls calls) throws IOException {
        return sums(sumPath(data), calls, NEW);
    }

    private static SumFile sums(Path path, DiskCalls calls, Set<OpenOption> how)
            throws IOException {
        FileChannel channel = OwnerOnly.open(path, how);
        return new SumFile(channel, offset -> calls.nextData(path, channel, offset));
    }

    /** An empty replica at the path. */
    static Replica create(ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        Replica replica = make(key, disk, path, clock, boot);
        replica.begin();
        markUnwritten(path);
        return replica;
    }

    /**
     * That the file was made tells nobody that the content was changed: it is as old as can be
     * until a client writes.
     */
    static void markUnwritten(Path path) throws IOException {
        Files.setLastModifiedTime(path, UNWRITTEN);
    }

    /** A replica of the bytes that lie at the path, copied there from a trusted place. */
    static Replica adopt(ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        Replica replica = make(key, disk, path, clock, boot);
        replica.beginWithContent();
        return replica;
    }

    /** The staged file becomes the replica at the path, while somebody may be writing into it. */
    static Replica claim(
            ObjectKey key, DataDirectory disk, Path staged, Path path, Clock clock, long boot)
            throws IOException {
        SumFile sums = beginSums(key, disk, path, boot);
        try {
            Files.move(staged, path, StandardCopyOption.ATOMIC_MOVE);
            Replica replica =
                    new Replica(key, disk, path, DataFile.open(path, disk), sums, clock, boot);
            replica.beginClaimed();
            return replica;
        } catch (Throwable e) {
            sums.close();
            throw e;
        }
    }

    private static Replica make(
            ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        SumFile sums = beginSums(key, disk, path, boot);
        try {
            return new Replica(key, disk, path, DataFile.make(path, disk), sums, clock, boot);
        } catch (Throwable e) {
            sums.close();
            throw e;
        }
    }

    private static SumFile beginSums(ObjectKey key, DataDirectory disk, Path path, long boot)
            throws IOException {
        SumFile sums = newSums(path, disk.calls());
        try {
            sums.writeHeader(
                    new SumHeader(
                            key.inode(),
                            key.stripe(),
                            key.generation(),
                            SumHeader.DIRTY | SumHeader.OPEN,
                            0,
                            boot,
                            0));
            return sums;
        } catch (Throwable e) {
            sums.close();
            throw e;
        }
    }

    /** What lies at the path; CORRUPT when its sums cannot be believed. */
    static Replica open(ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        if (!Files.exists(sumPath(path))) {
            throw SummedData.corrupt(key, "its checksum file is missing");
        }
        SumFile sums = sums(sumPath(path), disk.calls(), OLD);
        Replica replica;
        try {
            replica = new Replica(key, disk, path, DataFile.open(path, disk), sums, clock, boot);
        } catch (Throwable e) {
            sums.close();
            throw e;
        }
        try {
            replica.load();
            return replica;
        } catch (Throwable e) {
            replica.markDeleted(); // nothing of it is written back
            replica.close();
            throw e;
        }
    }
}
