package org.gridfarm.client.cli.bench;

import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.ClusterOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The farm that is measured: the one of a configuration, or, with {@code --self}, one that is made
 * for it and removed afterwards.
 */
public final class BenchFarm implements AutoCloseable {
    private final Path config;
    private final Optional<Own> own;

    /**
     * One that goes with the measurement.
     *
     * @param cleaner removes it if this process is told to end before
     */
    private record Own(Cluster cluster, Thread cleaner) {}

    private BenchFarm(Path config, Optional<Own> own) {
        this.config = config;
        this.own = own;
    }

    public static BenchFarm of(Path config) {
        return new BenchFarm(config, Optional.empty());
    }

    /** Mounted at DIR/mnt, where this machine can mount. Nothing of it is left, ^C or not. */
    public static BenchFarm own(ClusterOptions options) {
        try {
            Path directory = Files.createTempDirectory("gf-bench-");
            Thread cleaner = new Thread(() -> Cluster.remove(directory), "gf-bench-clean");
            Runtime.getRuntime().addShutdownHook(cleaner);
            Cluster cluster =
                    Cluster.start(
                            directory,
                            options.withUserMount(directory.resolve("mnt").toString()),
                            line -> System.err.println("gf: " + line));
            return new BenchFarm(cluster.clientConfig(), Optional.of(new Own(cluster, cleaner)));
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
        return own.map(Own::cluster)
                .map(cluster -> cluster.directory().resolve("mnt"))
                .filter(mount -> own.get().cluster.hasMount(mount));
    }

    @Override
    public void close() {
        if (own.isEmpty()) return;
        Runtime.getRuntime().removeShutdownHook(own.get().cleaner);
        Cluster.remove(own.get().cluster.directory());
    }
}
