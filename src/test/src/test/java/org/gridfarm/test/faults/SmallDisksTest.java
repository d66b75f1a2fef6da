package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.awaitility.Awaitility;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Nodes with disks of their own that fill up; 256 MB of each are the reserve. */
class SmallDisksTest {
    private static final int MEGABYTES = 400;
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm =
                TestFarm.startOnSmallDisks(
                        2, MEGABYTES, "--nodes", "2", "--repair-after", "4s", "--no-node-mounts");
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    /** One step after the other: each goes on with what the last has left on the disks. */
    @Test
    void disksFillUpAreEvenedOutAndAreEmptied() {
        aNodeThatIsAddedGetsItsShare();
        aNodeThatFillsUpWhileAFileIsWrittenIsReplacedUnnoticed();
        aFullFarmSaysSoAndDeletingWorks();
    }

    private static void aNodeThatIsAddedGetsItsShare() {
        Path local = farm.directory().resolve("in");
        farm.sh(
                "mkdir %1$s && for i in $(seq 24); do head -c 8000000 /dev/urandom > %1$s/f$i; done"
                        .formatted(local));
        farm.gf("mkdir", "/b");
        farm.gf("put", "-r", local.toString(), "/b/");
        farm.smallDisk("n3", MEGABYTES);
        farm.gf("cluster", "add-node", "--dir", farm.directory().toString());
        JsonNode before = farm.json("balance", "--dry-run", "--json");
        assertThat(before.get("bytes_left").asLong()).isGreaterThan(20_000_000);
        assertThat(before.get("state").asString()).isEqualTo("off");
        JsonNode after = farm.json("balance", "--wait", "--spread", "6", "--rate", "40M", "--json");
        assertThat(after.get("state").asString()).isEqualTo("off");
        assertThat(after.get("difference").asDouble()).isLessThan(0.08);
        long total = 0;
        for (NodeInfo node : farm.client().nodes()) {
            assertThat(node.getReplicas()).as(node.getName()).isBetween(5L, 11L);
            total += node.getReplicas();
        }
        assertThat(total).isEqualTo(24);
        farm.gf("get", "-r", "/b/in", farm.directory().resolve("out").toString());
        farm.sh("diff -r %s %s".formatted(local, farm.directory().resolve("out")));
    }

    private static void aNodeThatFillsUpWhileAFileIsWrittenIsReplacedUnnoticed() {
        farm.gf("rm", "-r", "/b");
        Path local = farm.directory().resolve("big");
        farm.sh("head -c 110000000 /dev/urandom > " + local);
        for (String node : List.of("n1", "n2")) {
            farm.gf("node", "readonly", node);
        }
        await("n3 has room", () -> node("n3").getAvailable() > 140_000_000);
        farm.gf("put", local.toString(), "/filler");
        assertThat(holder("/filler")).isEqualTo("n3");
        Path mount = farm.mount();
        farm.sh(
                "(head -c 20000000 %1$s; touch %2$s; while [ -e %2$s ]; do sleep 0.1; done; tail -c +20000001 %1$s) > %3$s/moved & echo $! > %2$s.pid"
                        .formatted(local, farm.directory().resolve("half"), mount));
        await("half is written", () -> Files.exists(farm.directory().resolve("half")));
        for (String node : List.of("n1", "n2")) {
            farm.gf("node", "readwrite", node);
        }
        farm.sh("rm " + farm.directory().resolve("half"));
        await("it is closed", () -> farm.hasSum("/moved"));
        farm.gf("sum", "--verify", "/moved");
        farm.sh("cmp %s %s/moved".formatted(local, mount));
        assertThat(holder("/moved")).isIn("n1", "n2");
    }

    private static void aFullFarmSaysSoAndDeletingWorks() {
        Path mount = farm.mount();
        TestFarm.Result full =
                farm.run(
                        List.of(
                                "/bin/sh",
                                "-c",
                                "head -c 500000000 /dev/urandom > " + mount + "/too-much"));
        assertThat(full.status()).isNotZero();
        assertThat(full.errors()).contains("No space left on device");
        farm.sh("rm %1$s/too-much %1$s/filler %1$s/moved".formatted(mount));
        await(
                "room again",
                () ->
                        farm.client().nodes().stream().mapToLong(NodeInfo::getAvailable).sum()
                                > 3L * (MEGABYTES - 256) * 1_000_000 * 9 / 10);
        farm.sh("head -c 30000000 /dev/urandom > " + mount + "/again");
    }

    private static String holder(String path) {
        return farm.client().where(FarmPath.of(path)).getObjects(0).getReplicasList().stream()
                .filter(replica -> replica.getState() == ReplicaState.VALID)
                .map(Replica::getNode)
                .findFirst()
                .orElseThrow();
    }

    private static NodeInfo node(String name) {
        return farm.client().nodes().stream()
                .filter(node -> node.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void await(String what, BooleanSupplier condition) {
        Awaitility.await(what)
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(500))
                .until(condition::getAsBoolean);
    }
}
