package org.gridfarm.client.core;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import com.google.common.jimfs.WatchServiceConfiguration;

import org.gridfarm.client.core.nio.FarmFileSystemProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The farm in memory, and two file systems that set the measure. */
final class NioRoots {
    enum Over {
        FARM,
        LOCAL,
        JIMFS
    }

    private final MemoryFarm memory = new MemoryFarm(2);
    private final Map<Over, Path> roots = new EnumMap<>(Over.class);
    private int made;

    void open(Path local) {
        Configuration unix =
                Configuration.unix().toBuilder()
                        .setAttributeViews("basic", "owner", "posix", "unix", "user")
                        .setWatchServiceConfiguration(
                                WatchServiceConfiguration.polling(10, TimeUnit.MILLISECONDS))
                        .build();
        roots.put(
                Over.FARM,
                new FarmFileSystemProvider().newFileSystem(memory.client()).getPath("/"));
        roots.put(Over.LOCAL, local);
        roots.put(Over.JIMFS, Jimfs.newFileSystem(unix).getPath("/"));
    }

    Path root(Over over) {
        return Objects.requireNonNull(roots.get(over));
    }

    int next() {
        return made++;
    }

    Path fresh(Over over) throws IOException {
        return Files.createDirectory(root(over).resolve("d" + next()));
    }

    void close() throws IOException {
        root(Over.JIMFS).getFileSystem().close();
        memory.close();
    }
}
