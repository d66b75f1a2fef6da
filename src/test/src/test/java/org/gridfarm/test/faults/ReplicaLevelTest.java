package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.awaitility.Awaitility;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ClusterStatusReply;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** Five nodes in two racks: where copies lie while nodes are emptied, die and come back. */
class ReplicaLevelTest {
    private static final int FILES = 24;
    private static final int BYTES = 300_000;
    private static final Map<Path, byte[]> CONTENTS = new TreeMap<>();
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm =
                TestFarm.start(
                        "--nodes",
                        "5",
                        "--racks",
                        "2",
                        "--groups",
                        "2",
                        "--repair-after",
                        "4s",
                        "--no-node-mounts");
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    private static void write(Path file, long seed) throws IOException {
        byte[] content = new byte[BYTES];
        new Random(seed).nextBytes(content);
        Files.write(file, content);
        CONTENTS.put(file, content);
    }

    private static void requireAllReadable() throws IOException {
        for (Map.Entry<Path, byte[]> entry : CONTENTS.entrySet()) {
            assertThat(Arrays.equals(Files.readAllBytes(entry.getKey()), entry.getValue()))
                    .as("%s", entry.getKey())
                    .isTrue();
        }
    }

    /** Of each file: the nodes that hold a good copy, with their racks. */
    private static Map<String, Map<String, String>> holders(Collection<String> paths) {
        Map<String, String> racks = new TreeMap<>();
        for (NodeInfo node : farm.client().nodes()) {
            racks.put(node.getName(), node.getRack());
        }
        Map<String, Map<String, String>> all = new TreeMap<>();
        for (String path : paths) {
            Map<String, String> holders = new TreeMap<>();
            for (Replica replica :
                    farm.client().where(FarmPath.of(path)).getObjects(0).getReplicasList()) {
                if (replica.getState() == ReplicaState.VALID) {
                    holders.put(replica.getNode(), racks.getOrDefault(replica.getNode(), "?"));
                }
            }
            all.put(path, holders);
        }
        return all;
    }

    private static Map<String, String> holders(String path) {
        return holders(List.of(path)).getOrDefault(path, Map.of());
    }

    /** As the farm names what was written in the directory. */
    private static List<String> written(String directory) {
        return CONTENTS.keySet().stream()
                .map(file -> "/" + farm.mount().relativize(file))
                .filter(path -> path.startsWith(directory))
                .toList();
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

    /** What gf health says of this farm; mounts of other farms on this machine are not ours. */
    private static List<String> findings() {
        return farm.tryGf("health")
                .output()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("ERROR") || line.startsWith("WARN"))
                .filter(line ->
                        !line.contains("MOUNT_DEAD") || line.contains(farm.directory().toString()))
                .toList();
    }

    private static boolean isWell() {
        ClusterStatusReply status = farm.status();
        return status.getReplicasUnder() == 0
                && status.getReplicasOver() == 0
                && status.getRepairQueue() == 0;
    }

    /** One step after the other: each goes on with the farm as the last has left it. */
    @Test
    void filesKeepTheirLevelWhileNodesAreEmptiedDieReturnAndGo() throws IOException {
        copiesLieInBothRacks();
        aNodeIsEmptiedWhileItsFilesAreRead();
        whatWasDecidedOutlivesTheServers();
        aNodeThatReturnsWithOldCopiesIsReconciled();
        copiesMoveToTheGroupsThatAreWanted();
        theLastGoodCopyIsNotRemovedWithItsNode();
        aStripedFileLiesOverSeveralNodes();
    }

    private static void copiesLieInBothRacks() throws IOException {
        farm.directory("/two", 2);
        for (int i = 0; i < FILES; i++) {
            write(farm.mount().resolve("two/f" + i), i);
        }
        assertThat(holders(written("/two")))
                .hasSize(FILES)
                .allSatisfy((path, nodes) ->
                        assertThat(nodes.values()).containsExactlyInAnyOrder("rack1", "rack2"));
        // A node may have been silent for a moment, where the machine is busy.
        Awaitility.await("well")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> assertThat(findings()).isEmpty());
    }

    private static void aNodeIsEmptiedWhileItsFilesAreRead() {
        assertThat(
                        farm.json("node", "drain", "n1", "--dry-run", "--json")
                                .get("files_left")
                                .asInt())
                .isPositive();
        AtomicBoolean drained = new AtomicBoolean();
        CompletableFuture<Integer> reading =
                CompletableFuture.supplyAsync(() -> {
                    int rounds = 0;
                    while (!drained.get()) {
                        try {
                            requireAllReadable();
                        } catch (IOException e) {
                            throw new AssertionError("while the node is emptied", e);
                        }
                        rounds++;
                    }
                    return rounds;
                });
        JsonNode done;
        try {
            done = farm.json("node", "drain", "n1", "--wait", "--json");
        } finally {
            drained.set(true);
        }
        assertThat(reading.join()).isPositive();
        assertThat(done.get("files_left").asInt()).isZero();
        assertThat(node("n1").getReplicas()).isZero();
        assertThat(holders(written("/two")))
                .allSatisfy((path, nodes) ->
                        assertThat(nodes)
                                .doesNotContainKey("n1")
                                .containsValues("rack1", "rack2")
                                .hasSize(2));
    }

    private static void whatWasDecidedOutlivesTheServers() {
        farm.restart("meta1");
        Awaitility.await("meta1 leads, and has heard of n1")
                .atMost(Duration.ofSeconds(90))
                .ignoreExceptionsInstanceOf(FarmException.class) // nobody leads yet
                .until(() -> node("n1").getState().equals("draining"));
        farm.gf("node", "undrain", "n1");
        assertThat(node("n1").getState()).isEqualTo("up");
    }

    private static void aNodeThatReturnsWithOldCopiesIsReconciled() throws IOException {
        await("well", ReplicaLevelTest::isWell);
        String victim = holders("/two/f0").keySet().iterator().next().equals("n1") ? "n3" : "n2";
        farm.kill(victim, "KILL");
        await("down", () -> node(victim).getState().equals("down"));
        for (int i = 0; i < FILES; i += 3) {
            write(farm.mount().resolve("two/f" + i), 1000 + i);
        }
        Path gone = farm.mount().resolve("two/f1");
        Files.delete(gone);
        CONTENTS.remove(gone);
        await("the level is restored without it", ReplicaLevelTest::isWell);
        requireAllReadable();
        farm.restart(victim);
        await("back", () -> node(victim).getState().equals("up"));
        await("surplus is gone", ReplicaLevelTest::isWell);
        requireAllReadable();
        Path data = farm.directory().resolve(victim).resolve("data/objects");
        await(
                "it has exactly what it is known to have",
                () -> {
                    String count =
                            farm.sh("find " + data + " -type f ! -name '*.sum' | wc -l").strip();
                    return Long.parseLong(count) == node(victim).getReplicas();
                });
        List<String> sum = new ArrayList<>(List.of("sum", "--verify"));
        sum.addAll(written("/two"));
        farm.gf(sum.toArray(new String[0]));
    }

    private static void copiesMoveToTheGroupsThatAreWanted() {
        farm.gf("setrep", "-w", "--groups", "siteB:2", "/two/f2");
        await(
                "both copies are in siteB",
                () -> holders("/two/f2").keySet().equals(Set.of("n2", "n4")));
    }

    private static void theLastGoodCopyIsNotRemovedWithItsNode() throws IOException {
        farm.gf("mkdir", "/one");
        write(farm.mount().resolve("one/f"), 7);
        String holder = holders("/one/f").keySet().iterator().next();
        TestFarm.Result refused = farm.tryGf("node", "remove", holder);
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output()).contains("/one/f");
        assertThat(node(holder).getState()).isEqualTo("up");
        farm.gf("node", "drain", holder, "--wait");
        farm.gf("node", "remove", holder);
        assertThat(node(holder).getState()).isEqualTo("removed");
        requireAllReadableAfterRemoval();
    }

    private static void requireAllReadableAfterRemoval() throws IOException {
        requireAllReadable();
        assertThat(farm.tryGf("replicas", "--lost").status()).isZero();
    }

    private static void aStripedFileLiesOverSeveralNodes() throws IOException {
        farm.gf("mkdir", "/striped");
        farm.gf("setstripe", "--count", "4", "--unit", "64K", "/striped");
        write(farm.mount().resolve("striped/f"), 11);
        JsonNode layout = farm.json("getstripe", "--json", "/striped/f").get("files").get(0);
        assertThat(layout.get("stripe_count").asInt()).isEqualTo(4);
        TreeSet<String> nodes = new TreeSet<>();
        for (JsonNode object : layout.get("objects")) {
            object.get("nodes").forEach(node -> nodes.add(node.asString()));
        }
        assertThat(nodes).as("each stripe on a node of its own").hasSize(4);
        assertThat(farm.tryGf("sum", "--verify", "/striped/f").status()).isZero();
        requireAllReadable();
    }
}
