package org.gridfarm.test.faults.meta;

import org.awaitility.Awaitility;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.test.cluster.Metrics;
import org.gridfarm.test.cluster.TestFarm;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** A farm of processes for the namespace: several electable metaservers, two mounts. */
final class MetaFarm implements AutoCloseable {
    private static final Duration LEADER_MAX = Duration.ofSeconds(60);
    private static final Pattern LEADING = Pattern.compile("(?m)^gf_meta_leading(\\{.*})? 1");

    private final TestFarm farm;
    private final Path directory;
    private final Cluster cluster;

    private MetaFarm(TestFarm farm) {
        this.farm = farm;
        this.directory = farm.directory();
        this.cluster = Cluster.open(directory, line -> {});
    }

    /** With two mounts, at the storage nodes n1 and n2. */
    static MetaFarm start(int metaservers) throws IOException {
        return new MetaFarm(
                TestFarm.startWithoutMount(
                        "--metaservers",
                        Integer.toString(metaservers),
                        "--caches",
                        "0",
                        "--schedulers",
                        "0",
                        "--nodes",
                        "2"));
    }

    static MetaFarm withoutMounts(int metaservers, int caches) throws IOException {
        return new MetaFarm(
                TestFarm.startWithoutMount(
                        "--metaservers",
                        Integer.toString(metaservers),
                        "--caches",
                        Integer.toString(caches),
                        "--schedulers",
                        "0",
                        "--nodes",
                        "1",
                        "--no-node-mounts"));
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
        farm.close();
    }
}
