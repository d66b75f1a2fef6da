package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Many files at level 2 ({@code -Dgf.corruptions=} says how many), one replica of each damaged
 * while the nodes are down: a scrub finds all of it, every replica is made good again, and no wrong
 * byte is ever read.
 */
class PlantedCorruptionsTest {
    private static final int FILES = Tier.count("corruptions");
    private static final int BYTES_MAX = 200_000;
    private static final List<String> NODES = List.of("n1", "n2", "n3");

    /** Older content under the same name, to be put back as if it were the present one. */
    private static final int REWRITTEN_EVERY = 10;

    private final long seed = Tier.seed(1);
    private final Random random = new Random(seed);
    private final byte[][] contents = new byte[FILES][];
    private final Map<Integer, Path> older = new HashMap<>();

    @Test
    void allAreFoundAndMadeGood() throws Exception {
        try (TestFarm farm = TestFarm.startOfNodes();
                Gridfarm client =
                        Gridfarm.open(ClientConfig.read(farm.directory().resolve("client.toml")))) {
            farm.directory("/", 2);
            writeAll(farm, client);
            List<Layout> layouts = layouts(client);
            NODES.forEach(node -> farm.kill(node, "TERM"));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> client.nodes().stream().noneMatch(n -> n.getState().equals("up")));
            int planted = plant(farm, layouts);
            NODES.forEach(farm::restart);
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> client.nodes().stream().allMatch(n -> n.getState().equals("up")));
            readSome(client);
            farm.gf("scrub", "start");
            await("scrub ends")
                    .atMost(Duration.ofMinutes(5))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> isScrubbed(client));
            assertThat(farm.tryGf("scrub", "status").status())
                    .as("says that bad replicas were found")
                    .isEqualTo(1);
            await("all replicas are made again")
                    .atMost(Duration.ofMinutes(5))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> isWell(farm.status()));
            assertThat(farm.tryGf("health").output()).contains("bad blocks");
            assertThat(farm.json("replicas", "--corrupt", "--json").get("files")).isEmpty();
            requireAllGood(farm, client);
            System.out.println(planted + " corruptions were found and made good");
        }
    }

    private static FarmPath path(int number) {
        return FarmPath.of("/f" + number);
    }

    private void writeAll(TestFarm farm, Gridfarm client) throws IOException {
        for (int i = 0; i < FILES; i++) {
            write(client, i);
            if (i % REWRITTEN_EVERY == 0) {
                Layout before = client.where(path(i));
                Path copy = Files.createDirectories(farm.directory().resolve("older"));
                Replica replica = before.getObjects(0).getReplicas(0);
                Path data =
                        dataOf(
                                Map.of(replica.getNode(), files(farm, replica.getNode())),
                                replica.getNode(),
                                before.getObjects(0).getObject());
                older.put(i, Files.copy(data, copy.resolve("f" + i)));
                Files.copy(sums(data), sums(copy.resolve("f" + i)));
                client.delete(path(i));
                write(client, i);
            }
        }
    }

    private void write(Gridfarm client, int number) {
        byte[] content = new byte[2 + random.nextInt(BYTES_MAX)];
        random.nextBytes(content);
        contents[number] = content;
        try (FarmFile file = client.create(path(number), OpenFlags.WRITE, true)) {
            file.write(0, ByteBuffer.wrap(content));
        }
    }

    private static List<Layout> layouts(Gridfarm client) {
        List<Layout> all = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            all.add(client.where(path(i)));
        }
        return all;
    }

    /** The plain files of a node's replicas. */
    private static Map<String, Path> files(TestFarm farm, String node) throws IOException {
        Map<String, Path> files = new HashMap<>();
        Path objects = farm.directory().resolve(node).resolve("data/objects");
        try (Stream<Path> all = Files.walk(objects)) {
            all.filter(Files::isRegularFile)
                    .forEach(file -> files.put(file.getFileName().toString(), file));
        }
        return files;
    }

    private static Path dataOf(Map<String, Map<String, Path>> files, String node, ObjectId object) {
        Path data = files.getOrDefault(node, Map.of()).get(TestFarm.fileName(object));
        if (data == null) {
            throw new AssertionError(TestFarm.fileName(object) + " is not at " + node);
        }
        return data;
    }

    private static Path sums(Path data) {
        return data.resolveSibling(data.getFileName() + ".sum");
    }

    /** In one replica of each file; an older generation comes back where there was one. */
    private int plant(TestFarm farm, List<Layout> layouts) throws IOException {
        Map<String, Map<String, Path>> files = new HashMap<>();
        for (String node : NODES) {
            files.put(node, files(farm, node));
        }
        int planted = 0;
        for (int i = 0; i < FILES; i++) {
            List<Replica> replicas = layouts.get(i).getObjects(0).getReplicasList();
            assertThat(replicas).hasSize(2);
            String node = replicas.get(random.nextInt(2)).getNode();
            Path data = dataOf(files, node, layouts.get(i).getObjects(0).getObject());
            Path old = older.get(i);
            if (old != null) {
                Files.copy(old, data, StandardCopyOption.REPLACE_EXISTING);
                Files.copy(sums(old), sums(data), StandardCopyOption.REPLACE_EXISTING);
            } else {
                Damage[] kinds = Damage.values();
                kinds[i % kinds.length].doTo(
                        data, another(files.getOrDefault(node, Map.of()), data), random);
            }
            planted++;
        }
        return planted;
    }

    /** Whole, with its sums. */
    private static Path another(Map<String, Path> files, Path data) {
        return files.values().stream()
                .filter(file -> !file.equals(data) && !file.toString().endsWith(".sum"))
                .filter(file -> Files.exists(file) && Files.exists(sums(file)))
                .findFirst()
                .orElseThrow();
    }

    /** Before anything was scrubbed. */
    private void readSome(Gridfarm client) {
        for (int i = 0; i < FILES; i += 7) {
            assertThat(Arrays.equals(read(client, i), contents[i])).as("f%d", i).isTrue();
        }
    }

    private static byte[] read(Gridfarm client, int number) {
        try (FarmFile file = client.open(path(number), OpenFlags.READ)) {
            ByteBuffer into = ByteBuffer.allocate((int) file.size());
            while (into.hasRemaining() && file.read(into.position(), into) > 0) {}
            return Arrays.copyOf(into.array(), into.position());
        }
    }

    private static boolean isWell(ClusterStatusReply status) {
        return status.getReplicasUnder() == 0
                && status.getReplicasLost() == 0
                && status.getReplicasCorrupt() == 0;
    }

    private static boolean isScrubbed(Gridfarm client) {
        AdminRequest ask =
                AdminRequest.newBuilder()
                        .setCommand("scrub")
                        .putAllArguments(Map.of("action", "status", "node", ""))
                        .build();
        JsonNode nodes =
                JsonMapper.builder()
                        .build()
                        .readTree(client.callLeader(MetadataMethods.ADMIN, ask).getJson())
                        .get("nodes");
        for (JsonNode node : nodes) {
            if (node.path("running").asBoolean(true)) {
                return false;
            }
        }
        return true;
    }

    private void requireAllGood(TestFarm farm, Gridfarm client) throws IOException {
        Map<String, Map<String, Path>> files = new HashMap<>();
        for (String node : NODES) {
            files.put(node, files(farm, node));
        }
        for (int i = 0; i < FILES; i++) {
            assertThat(Arrays.equals(read(client, i), contents[i])).as("f%d", i).isTrue();
            Layout layout = client.where(path(i));
            int good = 0;
            for (Replica replica : layout.getObjects(0).getReplicasList()) {
                if (replica.getState() == ReplicaState.VALID) {
                    Path data = dataOf(files, replica.getNode(), layout.getObjects(0).getObject());
                    assertThat(Files.readAllBytes(data))
                            .as("f%d at %s", i, replica.getNode())
                            .isEqualTo(contents[i]);
                    good++;
                }
            }
            assertThat(good).as("good replicas of f%d", i).isEqualTo(2);
        }
    }
}
