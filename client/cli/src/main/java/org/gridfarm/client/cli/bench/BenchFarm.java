package org.gridfarm.client.cli.bench;

import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.ClusterOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The farm that is measured: the one of a configuration, or, with {@code --self}, one that is made
 * for it and removed afterwards.
 */
public final class BenchFarm implements AutoCloseable {
    private final Path config;
    private final Optional<Cluster> own;

    private BenchFarm(Path config, Optional<Cluster> own) {
        this.config = config;
        this.own = own;
    }

    public static BenchFarm of(Path config) {
        return new BenchFarm(config, Optional.empty());
    }

    /** Mounted at DIR/mnt, where this machine can mount. */
    public static BenchFarm own(ClusterOptions options) {
        try {
            Path directory = Files.createTempDirectory("gf-bench-");
            Cluster cluster =
                    Cluster.start(
                            directory,
                            options.withUserMount(directory.resolve("mnt").toString()),
                            line -> System.err.println("gf: " + line));
            return new BenchFarm(cluster.clientConfig(), Optional.of(cluster));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path config() {
        return config;
    }

    /** Where its processes write, if it runs on this machine. */
    public Optional<Path> directory() {
        return Optional.ofNullable(config.getParent()).filter(Cluster::isIn);
    }

    /** Its mount, if it was made here and could be mounted. */
    public Optional<Path> mount() {
        return own.map(cluster -> cluster.directory().resolve("mnt"))
                .filter(mount -> own.get().hasMount(mount));
    }

    @Override
    public void close() {
        own.ifPresent(cluster -> {
            cluster.stop();
            remove(cluster.directory());
        });
    }

    private static void remove(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
