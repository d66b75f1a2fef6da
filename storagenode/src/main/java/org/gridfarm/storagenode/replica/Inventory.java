package org.gridfarm.storagenode.replica;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.checksum.SumHeader;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletionException;

/**
 * Walks all replicas, directory by directory, while the node serves. A clean replica costs the
 * reading of 64 bytes; one whose writer may have been cut off is compared with its sums on the way.
 * Runs on the caller's thread, which must not be one of the store's.
 */
public final class Inventory {
    private static final Logger LOG = LoggerFactory.getLogger(Inventory.class);

    private final ReplicaStore store;

    public Inventory(ReplicaStore store) {
        this.store = store;
    }

    /** Hears of one replica after the other; false stops the walk. */
    public interface Visitor {
        boolean held(ObjectKey key, long size, boolean dirty);
    }

    public void walk(Visitor visitor) throws IOException {
        for (DataDirectory disk : store.disks()) {
            for (int slot = 0; slot <= 0xFFFF && !disk.isFailed(); slot++) {
                if ((slot & 0xFF) == 0 && !disk.objects().mayHold(slot)) {
                    slot |= 0xFF;
                    continue;
                }
                if (!walk(disk, disk.objects().path(slot), visitor)) {
                    return;
                }
            }
        }
    }

    private boolean walk(DataDirectory disk, Path directory, Visitor visitor) throws IOException {
        if (!Files.isDirectory(directory)) {
            return true;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                ObjectKey key = ObjectKey.parse(file.getFileName().toString());
                if (key != null && !visit(disk, key, file, visitor)) {
                    return false;
                }
            }
            return true;
        }
    }

    private boolean visit(DataDirectory disk, ObjectKey key, Path file, Visitor visitor) {
        try {
            SumHeader header = store.peek(key) == null ? header(file) : null;
            if (header != null
                    && header.inode() == key.inode()
                    && header.generation() == key.generation()
                    && !header.isOpen()
                    && (!header.isDirty() || header.boot() == store.boot())
                    && header.size() == Files.size(file)) {
                if (header.isDirty()) {
                    store.settler().changed(key);
                }
                return visitor.held(key, header.size(), store.isSuspect(key));
            }
            Held held =
                    store.read(key, replica -> new Held(replica.size(), store.isSuspect(key)))
                            .join();
            store.settler().changed(key);
            return visitor.held(key, held.size, held.dirty);
        } catch (CompletionException e) {
            LOG.info("{}: {}", key, FarmException.of(e, "look at", key.toString()).getMessage());
            return true; // gone, or in quarantine and reported
        } catch (IOException e) {
            LOG.info("{}: {}", key, disk.erred("look at", key, e).getMessage());
            return true;
        }
    }

    private record Held(long size, boolean dirty) {}

    private static @Nullable SumHeader header(Path file) throws IOException {
        Path sums = ReplicaFiles.sumPath(file);
        if (!Files.exists(sums)) {
            return null;
        }
        try (SumFile sumFile = new SumFile(FileChannel.open(sums, StandardOpenOption.READ))) {
            return sumFile.readHeader();
        }
    }
}
