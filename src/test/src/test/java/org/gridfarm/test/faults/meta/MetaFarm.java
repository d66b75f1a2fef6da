package org.gridfarm.test.faults.meta;

import org.awaitility.Awaitility;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.ClusterOptions;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.test.cluster.Metrics;
import org.gridfarm.test.cluster.OneStartAtATime;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A farm of processes for the namespace: several electable metaservers, two mounts. */
final class MetaFarm implements AutoCloseable {
    private static final Duration LEADER_MAX = Duration.ofSeconds(60);
    private static final Pattern LEADING = Pattern.compile("(?m)^gf_meta_leading(\\{.*})? 1");

    private final Path directory;
    private final Cluster cluster;

    private MetaFarm(Path directory, Cluster cluster) {
        this.directory = directory;
        this.cluster = cluster;
    }

    /** With two mounts, at the storage nodes n1 and n2. */
    static MetaFarm start(int metaservers) throws IOException {
        Assumptions.assumeTrue(Mounts.obstacle().isEmpty(), Mounts.obstacle());
        return start(new ClusterOptions(metaservers, 0, 2, 1, 1, 1, 1, true, "", "30s", List.of()));
    }

    static MetaFarm withoutMounts(int metaservers, int caches) throws IOException {
        return start(
                new ClusterOptions(
                        metaservers, caches, 1, 1, 1, 1, 1, false, "", "30s", List.of()));
    }

    private static MetaFarm start(ClusterOptions options) throws IOException {
        TestFarm.endShared();
        Path directory = Files.createTempDirectory("gf-meta-");
        try (OneStartAtATime _ = new OneStartAtATime()) {
            return new MetaFarm(directory, Cluster.start(directory, options, line -> {}));
        } catch (RuntimeException e) {
            Cluster.open(directory, line -> {}).stop();
            throw e;
        }
    }

    Cluster cluster() {
        return cluster;
    }

    Path log(String component) {
        return directory.resolve("log").resolve(component + ".log");
    }

    ClientConfig clientConfig() {
        return ClientConfig.read(cluster.clientConfig());
    }

    /** So many clients of the library, then both mounts. */
    List<Actor> company(String name, int libraryClients) {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < libraryClients; i++) {
            actors.add(library(name + i));
        }
        mounts().forEach(mount -> actors.add(new MountActor(mount)));
        return actors;
    }

    LibraryActor library(String name) {
        return new LibraryActor(clientConfig(), name);
    }

    List<Path> mounts() {
        return List.of(directory.resolve("n1/mnt"), directory.resolve("n2/mnt"));
    }

    long pid(String component) {
        return cluster.status().stream()
                .filter(c -> c.name().equals(component))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    List<Cluster.ComponentStatus> metaservers() {
        return cluster.status().stream()
                .filter(c -> c.role().equals("metaserver") || c.role().equals("cache"))
                .toList();
    }

    /** The metaserver that says it leads; waits until one does. */
    String leader() {
        AtomicReference<String> leader = new AtomicReference<>();
        Awaitility.await("a leader")
                .atMost(LEADER_MAX)
                .until(() -> {
                    for (Cluster.ComponentStatus server : metaservers()) {
                        if (server.ready() && LEADING.matcher(Metrics.of(server)).find()) {
                            leader.set(server.name());
                        }
                    }
                    return leader.get() != null;
                });
        return leader.get();
    }

    @Override
    public void close() throws IOException {
        cluster.stop();
        if (Boolean.getBoolean("gf.keep")) {
            System.out.println("kept: " + directory);
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
