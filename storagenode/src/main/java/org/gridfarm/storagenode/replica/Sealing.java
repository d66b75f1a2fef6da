package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.disk.OwnerOnly;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Set;

/**
 * One replica going on as the next generation. The new sums are written first, then the data takes
 * its new name, then the old sums go: cut off anywhere, either the old or the new replica is whole.
 * Where a local writer may still hold the file, the bytes are copied instead, so that what he
 * writes lands in a file that nobody reads.
 */
final class Sealing {
    private Sealing() {}

    static void goOn(Replica old, ObjectKey next, Clock clock, long boot) throws IOException {
        Path path = old.path().resolveSibling(next.fileName());
        if (old.hasLocalWriters()) {
            Path copy = old.disk().root().resolve("tmp").resolve(next.fileName() + ".seal");
            FileTime written = Files.getLastModifiedTime(old.path());
            copyData(old, copy);
            while (old.hasLocalWriters()) {
                old.endLocalWriting(true);
            }
            Replica made = ReplicaFiles.adopt(next, old.disk(), copy, clock, boot);
            made.isTemporary();
            made.settle();
            made.close();
            Files.setLastModifiedTime(copy, written);
            Files.move(
                    ReplicaFiles.sumPath(copy),
                    ReplicaFiles.sumPath(path),
                    StandardCopyOption.ATOMIC_MOVE);
            Files.move(copy, path, StandardCopyOption.ATOMIC_MOVE);
            old.markDeleted();
            Files.delete(old.path());
        } else {
            old.rescanAll();
            old.checkpoint();
            try (SumFile sums = ReplicaFiles.newSums(path, old.disk().calls())) {
                old.writeSumsAs(next, sums);
            }
            old.markDeleted();
            Files.move(old.path(), path, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.deleteIfExists(ReplicaFiles.sumPath(old.path()));
    }

    /** With its holes. */
    private static void copyData(Replica from, Path to) throws IOException {
        try (FileChannel in = FileChannel.open(from.path(), StandardOpenOption.READ);
                FileChannel out =
                        OwnerOnly.open(
                                to,
                                Set.of(
                                        StandardOpenOption.CREATE,
                                        StandardOpenOption.TRUNCATE_EXISTING,
                                        StandardOpenOption.WRITE))) {
            long size = in.size();
            for (long at = from.nextData(0); at >= 0 && at < size; at = from.nextData(at)) {
                long end = Math.min(size, from.nextHole(at));
                out.position(at);
                while (at < end) {
                    at += in.transferTo(at, end - at, out);
                }
            }
            if (out.size() < size) {
                out.write(ByteBuffer.allocate(1), size - 1);
            }
        }
    }
}
