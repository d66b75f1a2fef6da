package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Path;

/** Nodes with disks of their own that fill up; 256 MB of each are the reserve. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
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

    @Test
    @Order(1)
    void aNodeThatIsAddedGetsItsShare() {
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
        for (JsonNode node : farm.json("nodes", "--json").get("nodes")) {
            assertThat(node.get("replicas").asLong()).as("%s", node.get("name")).isBetween(5L, 11L);
            total += node.get("replicas").asLong();
        }
        assertThat(total).isEqualTo(24);
        farm.gf("get", "-r", "/b/in", farm.directory().resolve("out").toString());
        farm.sh("diff -r %s %s".formatted(local, farm.directory().resolve("out")));
    }
}
