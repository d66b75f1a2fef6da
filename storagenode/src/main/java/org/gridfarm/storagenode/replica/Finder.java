package org.gridfarm.storagenode.replica;

import org.gridfarm.storagenode.disk.DataDirectory;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What is here of an object that somebody names: it itself, or, where it is not, what goes under
 * another generation and what is in quarantine. Looked for in the object's lane, so that a seal of
 * it that is under way has ended. Thread-safe.
 */
public final class Finder {
    /** One that is here. */
    public record Found(ObjectKey key, long size, boolean quarantined) {}

    private final ReplicaStore store;

    public Finder(ReplicaStore store) {
        this.store = store;
    }

    public CompletableFuture<List<Found>> find(List<ObjectKey> keys) {
        List<CompletableFuture<List<Found>>> all =
                keys.stream().map(key -> store.look(key, () -> look(key))).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenApply(_ -> {
                    List<Found> found = new ArrayList<>();
                    all.forEach(each -> found.addAll(each.join()));
                    return found;
                });
    }

    private List<Found> look(ObjectKey key) throws IOException {
        DataDirectory disk = store.find(key);
        if (disk != null) {
            Found itself = found(key, ReplicaStore.path(disk, key), false);
            if (itself != null) {
                return List.of(itself);
            }
        }
        List<Found> others = new ArrayList<>();
        for (DataDirectory each : store.disks()) {
            if (!each.isFailed()) {
                add(others, found(key, each.root().resolve("quarantine", key.fileName()), true));
                otherGenerations(each, key, others);
            }
        }
        return others;
    }

    private void otherGenerations(DataDirectory disk, ObjectKey key, List<Found> to)
            throws IOException {
        Path directory = disk.objects().path(key.slot());
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(directory, Long.toHexString(key.inode()) + ".*")) {
            for (Path file : files) {
                ObjectKey there = ObjectKey.parse(String.valueOf(file.getFileName()));
                if (there != null && there.withGeneration(key.generation()).equals(key)) {
                    add(to, found(there, file, false));
                }
            }
        }
    }

    private static void add(List<Found> to, @Nullable Found found) {
        if (found != null) {
            to.add(found);
        }
    }

    private @Nullable Found found(ObjectKey key, Path file, boolean quarantined)
            throws IOException {
        Replica open = quarantined ? null : store.peek(key);
        try {
            return new Found(key, open == null ? Files.size(file) : open.size(), quarantined);
        } catch (NoSuchFileException e) {
            return null; // it went just now, or never was
        }
    }
}
