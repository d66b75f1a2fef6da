package org.gridfarm.client.cli.bench.data;

import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.cluster.Await;
import org.gridfarm.client.cli.cluster.Cluster;
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
import org.gridfarm.protocol.wire.Replica;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Files at level 2, the death of the node that holds most of them, and how long they are under it.
 */
public final class RepairTime {
    private static final long FILE_BYTES = 32 << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final ClientConfig config;
    private final Cluster cluster;
    private final long bytes;

    /**
     * @param directory of the farm
     * @param bytes that the node holds, at least
     */
    public RepairTime(ClientConfig config, Path directory, long bytes) {
        this.config = config.withNode("");
        this.cluster = Cluster.open(directory, _ -> {});
        this.bytes = bytes;
    }

    public List<Row> measure() {
        FarmPath root = FarmPath.of("/gf-bench-repair-" + ProcessHandle.current().pid());
        try (Gridfarm farm = Gridfarm.open(config, "gf bench")) {
            farm.mkdir(root);
            farm.setPolicy(root, Policy.replicas(2));
            try {
                return lose(farm, fill(farm, root));
            } finally {
                farm.deleteRecursively(root);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Loss(String node, long bytes) {}

    /** Until one node holds enough. */
    private Loss fill(Gridfarm farm, FarmPath root) throws IOException {
        Map<String, Long> held = new HashMap<>();
        for (int i = 0; ; i++) {
            FarmPath path = root.child("f" + i);
            new FarTransfer(farm, FILE_BYTES).write(path);
            for (Replica replica : farm.where(path).getObjects(0).getReplicasList()) {
                long now = held.merge(replica.getNode(), FILE_BYTES, Long::sum);
                if (now >= bytes) return new Loss(replica.getNode(), now);
            }
        }
    }

    private List<Row> lose(Gridfarm farm, Loss loss) {
        long killed = System.nanoTime();
        cluster.kill(loss.node, "KILL");
        try {
            require("the node's death is not noticed", () -> isDown(farm, loss.node));
            long begun = System.nanoTime();
            require("repair does not end", () -> isWhole(farm));
            long ended = System.nanoTime();
            List<Row> rows = new ArrayList<>();
            String what = "repair of " + loss.bytes / 1_000_000 + " MB: ";
            rows.add(Row.of(what + "begins after", (begun - killed) / 1e9, "s"));
            rows.add(Row.of(what + "takes", (ended - begun) / 1e9, "s"));
            rows.add(Row.of(what + "rate", loss.bytes / 1e6 / ((ended - begun) / 1e9), "MB/s"));
            return rows;
        } finally {
            cluster.restart(loss.node);
        }
    }

    private static boolean isDown(Gridfarm farm, String name) {
        for (NodeInfo node : farm.nodes()) {
            if (node.getName().equals(name)) return node.getState().equals("down");
        }
        return true;
    }

    private static boolean isWhole(Gridfarm farm) {
        ClusterStatusReply status =
                farm.callLeader(
                        MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance());
        return status.getReplicasUnder() == 0;
    }

    private static void require(String otherwise, java.util.function.BooleanSupplier condition) {
        if (!Await.until(PATIENCE, condition)) {
            throw new FarmException(ErrorKind.TIMED_OUT, "bench", "", otherwise);
        }
    }
}
