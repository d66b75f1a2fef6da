package org.gridfarm.client.cli.demo;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.ClusterOptions;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.NodeInfo;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The acts of the demonstration, in order. Any that fails ends it with the reason. */
final class Play {
    private static final FarmPath IN = FarmPath.of("/in");
    private static final FarmPath OUT = FarmPath.of("/out");
    private static final int LEVEL = 2;
    private static final String REPAIR_AFTER = "3s";
    private static final Duration REPAIR_MAX = Duration.ofSeconds(60);

    private final Path directory;
    private final int nodes;
    private final Story story;
    private final boolean canMount = Mounts.obstacle().isEmpty();
    private final Map<FarmPath, String> digests = new LinkedHashMap<>();

    Play(Path directory, int nodes, Story story) {
        this.directory = directory;
        this.nodes = nodes;
        this.story = story;
    }

    Cluster start() {
        ClusterOptions options =
                new ClusterOptions(
                        1,
                        1,
                        nodes,
                        1,
                        1,
                        2,
                        1,
                        canMount,
                        canMount ? directory.resolve("mnt").toString() : "",
                        REPAIR_AFTER,
                        List.of());
        Cluster cluster = Cluster.start(directory, options, _ -> {});
        int processes = cluster.status().size();
        story.step(
                "start",
                "started "
                        + processes
                        + " processes: PostgreSQL, ZooKeeper, a metaserver, a cache, "
                        + nodes
                        + " storage nodes, a scheduler"
                        + (canMount ? ", mounts" : "; no mount: " + Mounts.obstacle()),
                Map.of("processes", processes, "mounted", canMount));
        return cluster;
    }

    void run(Cluster cluster, @Nullable Path input) throws IOException {
        ClientConfig config = ClientConfig.read(cluster.clientConfig());
        try (Gridfarm farm = Gridfarm.open(config, "gf demo")) {
            importFiles(farm, input);
            if (canMount) {
                new DemoJob(farm, config, story).run(digests.keySet(), OUT);
                readResults();
            } else {
                story.step(
                        "job",
                        "no job: tasks see the farm through their node's mount, and "
                                + Mounts.obstacle(),
                        Map.of("skipped", Mounts.obstacle()));
            }
            loseANode(cluster, farm);
            verify(farm);
        }
    }

    private void importFiles(Gridfarm farm, @Nullable Path input) throws IOException {
        Path scratch = Files.createDirectory(directory.resolve("unpacked"));
        List<Path> files = RealFiles.gather(input, scratch);
        farm.mkdir(IN);
        farm.mkdir(OUT);
        farm.setPolicy(IN, Policy.replicas(LEVEL));
        farm.setPolicy(OUT, Policy.replicas(LEVEL));
        long bytes = 0;
        for (Path file : files) {
            FarmPath target = IN.child(digests.size() + "-" + file.getFileName());
            farm.copyIn(file, target);
            bytes += RealFiles.size(file);
            try (InputStream in = Files.newInputStream(file)) {
                digests.put(target, RealFiles.sha256(in));
            }
        }
        story.step(
                "import",
                "imported "
                        + files.size()
                        + " files, "
                        + Output.bytes(bytes)
                        + ", each to "
                        + LEVEL
                        + " nodes",
                Map.of("files", files.size(), "bytes", bytes, "level", LEVEL));
    }

    private void readResults() {
        int results = 0;
        long bytes = 0;
        List<String> missing = new ArrayList<>();
        for (FarmPath in : digests.keySet()) {
            String name = in.last() + ".words";
            byte[] content = read(directory.resolve("mnt/out").resolve(name));
            results++;
            bytes += content.length;
            if (content.length == 0) {
                missing.add(name);
            }
        }
        if (!missing.isEmpty()) {
            throw new FarmException(
                    ErrorKind.DATA_UNAVAILABLE,
                    "demo",
                    missing.get(0),
                    missing.size() + " results are empty");
        }
        story.step(
                "results",
                "read " + results + " results (" + Output.bytes(bytes) + ") through the mount",
                Map.of("results", results, "bytes", bytes));
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void loseANode(Cluster cluster, Gridfarm farm) throws IOException {
        String victim = "n" + nodes;
        long held = node(farm, victim).getReplicas();
        if (canMount) {
            cluster.kill("mount-" + victim, "KILL");
        }
        cluster.kill(victim, "KILL");
        int read = readAll(farm);
        story.step(
                "node lost",
                "killed storage node "
                        + victim
                        + " (SIGKILL); all "
                        + read
                        + " files are still readable",
                Map.of("node", victim, "readable", read));
        awaitRepair(farm, victim);
        ClusterStatusReply status = status(farm);
        if (status.getReplicasLost() + status.getReplicasAway() > 0) {
            throw new FarmException(
                    ErrorKind.DATA_UNAVAILABLE,
                    "demo",
                    victim,
                    status.getReplicasLost() + status.getReplicasAway() + " files cannot be read");
        }
        story.step(
                "repair",
                "made the missing replicas of " + held + " files again",
                Map.of("files", held));
    }

    /** Until the node is given up, and every file has its level without it. */
    private static void awaitRepair(Gridfarm farm, String victim) {
        long end = System.nanoTime() + REPAIR_MAX.toNanos();
        while (!node(farm, victim).getState().equals("down")
                || status(farm).getReplicasUnder() > 0) {
            if (System.nanoTime() > end) {
                throw new FarmException(
                        ErrorKind.TIMED_OUT,
                        "demo",
                        "repair",
                        status(farm).getReplicasUnder()
                                + " files under their level after "
                                + REPAIR_MAX.toSeconds()
                                + " s");
            }
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    private static NodeInfo node(Gridfarm farm, String name) {
        return farm.nodes().stream()
                .filter(node -> node.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ClusterStatusReply status(Gridfarm farm) {
        return farm.callLeader(
                MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance());
    }

    private void verify(Gridfarm farm) throws IOException {
        int good = readAll(farm);
        story.step(
                "verify",
                "checksums of all " + good + " files agree with the originals",
                Map.of("files", good));
    }

    private int readAll(Gridfarm farm) throws IOException {
        int good = 0;
        for (Map.Entry<FarmPath, String> file : digests.entrySet()) {
            try (InputStream in = farm.read(file.getKey())) {
                if (!RealFiles.sha256(in).equals(file.getValue())) {
                    throw new FarmException(ErrorKind.CORRUPT, "demo", file.getKey().toString());
                }
            }
            good++;
        }
        return good;
    }
}
