package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Random faults of storage nodes while files at level 2 are written, appended to, read, changed and
 * renamed through a mount and through the library. Whatever an fsync or close acknowledged is there
 * at the end, on two nodes, byte for byte; nothing else was ever read. {@code -Dgf.faults=} is how
 * many, {@code -Dgf.seed=} chooses them.
 */
class FaultCampaignTest {
    private static final int FAULTS_DEFAULT = 100; // a deck: every kind of fault
    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
    private static final Duration CALL_MAX = Duration.ofSeconds(10);

    /** On a busy machine the last answer may be a while on its way. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    private final long seed = Long.getLong("gf.seed", System.nanoTime());
    private final int faults = Integer.getInteger("gf.faults", FAULTS_DEFAULT);
    private final Oracle oracle = new Oracle();
    private final Load.Count count = new Load.Count();

    @Test
    void nothingAcknowledgedIsLostAndNothingCorruptIsRead() throws Exception {
        System.out.println("replay with -Dgf.seed=" + seed + " -Dgf.faults=" + faults);
        Path directory = Files.createTempDirectory("gf-faults-");
        Optional<Path> smallDisk = smallDisk(directory.resolve("n4").resolve("data"));
        FailingSync failingSync = FailingSync.prepare(directory);
        try (TestFarm farm =
                TestFarm.startOfNodes(
                        directory,
                        failingSync.environment(),
                        "--nodes",
                        "4",
                        "--repair-after",
                        "3s")) {
            farm.gf("setrep", "2", "/");
            try (Gridfarm client =
                    Gridfarm.open(ClientConfig.read(directory.resolve("client.toml")))) {
                NodeFaults harm =
                        new NodeFaults(farm, client, oracle, seed, NODES, smallDisk, failingSync);
                underLoad(farm, client, harm);
                assertThat(oracle.faults()).isEmpty();
                assertThat(count.done.get()).as("calls that were done").isGreaterThan(faults);
                assertThat(count.slowestTook())
                        .as("slowest call: %s, %s", count.slowest(), count.slowestTook())
                        .isLessThan(CALL_MAX.plus(SLACK));
                levelIsRestored(farm);
                everythingIsThere(farm, client);
                replicasAgree(farm, client, harm);
            } finally {
                farm.stop();
                unmount(smallDisk);
            }
        } finally {
            unmount(smallDisk); // where the farm did not start
        }
    }

    private static void unmount(Optional<Path> disk) throws IOException, InterruptedException {
        if (disk.isPresent()) {
            new ProcessBuilder("umount", "-l", "-q", disk.get().toString()).start().waitFor();
        }
    }

    /** A small file system of its own for one node, where this may be made. */
    private static Optional<Path> smallDisk(Path place) throws IOException, InterruptedException {
        Files.createDirectories(place);
        // More than the node's reserve by what can be written.
        int status =
                new ProcessBuilder(
                                "mount", "-t", "tmpfs", "-o", "size=320m", "gf", place.toString())
                        .start()
                        .waitFor();
        return status == 0 ? Optional.of(place) : Optional.empty();
    }

    private void underLoad(TestFarm farm, Gridfarm client, NodeFaults harm) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> loads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Door door = i < 2 ? new MountDoor(farm.mount()) : new LibraryDoor(client);
            Load load = new Load(door, oracle, seed + i + 1, Integer.toString(i), count, stop);
            loads.add(Thread.ofPlatform().name("load-" + i).start(load));
        }
        try {
            for (int i = 0; i < faults && oracle.faults().isEmpty(); i++) {
                System.out.println("fault " + i + ": " + harm.one());
            }
            System.out.println(harm);
        } finally {
            stop.set(true);
            for (Thread load : loads) {
                load.join();
            }
            System.out.println(count);
        }
    }

    private static void levelIsRestored(TestFarm farm) {
        await("level restored")
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> {
                    JsonNode status = farm.status();
                    assertThat(status.get("replicas_lost").asInt()).isZero();
                    assertThat(status.get("replicas_under").asInt()).isZero();
                });
    }

    private void everythingIsThere(TestFarm farm, Gridfarm client) throws IOException {
        List<Door> doors = List.of(new MountDoor(farm.mount()), new LibraryDoor(client));
        List<String> wrong = new ArrayList<>();
        for (String name : oracle.names()) {
            Expected expected = oracle.of(name);
            for (Door door : doors) {
                String fault = expected == null ? null : fault(door, name, expected);
                if (fault != null) {
                    wrong.add(
                            String.join(
                                    " ",
                                    name,
                                    "by",
                                    door.getClass().getSimpleName() + ":",
                                    fault,
                                    whatIsKnown(farm, client, name)));
                }
            }
        }
        assertThat(wrong).isEmpty();
        System.out.println(oracle.names().size() + " files are as they should be");
    }

    private static String whatIsKnown(TestFarm farm, Gridfarm client, String name)
            throws IOException {
        TestFarm.Result sum = farm.tryGf("sum", "--verify", "/" + name);
        Layout layout = client.where(FarmPath.of("/" + name));
        return String.join(
                "\n",
                "gf why: " + farm.tryGf("why", farm.mount().resolve(name).toString()).output(),
                "gf sum: " + sum.output() + sum.errors(),
                "layout: " + layout,
                layout.getObjectsCount() == 0 ? "" : said(farm, layout.getObjects(0).getObject()));
    }

    /** By all processes, of that file. */
    private static String said(TestFarm farm, ObjectId object) throws IOException {
        Pattern file = Pattern.compile("\\b" + Long.toHexString(object.getInode()) + "\\b");
        StringBuilder said = new StringBuilder();
        try (Stream<Path> logs = Files.list(farm.directory().resolve("log"))) {
            for (Path log : logs.toList()) {
                try (Stream<String> lines = Files.lines(log)) {
                    lines.filter(file.asPredicate())
                            .forEach(line ->
                                    said.append(log.getFileName())
                                            .append(": ")
                                            .append(line)
                                            .append('\n'));
                }
            }
        }
        return said.toString();
    }

    private static @Nullable String fault(Door door, String name, Expected expected) {
        try {
            return expected.fault(door.read(name));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A flipped bit may still lie where nobody has read; else replicas are equal. */
    private void replicasAgree(TestFarm farm, Gridfarm client, NodeFaults harm) throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String name : oracle.names()) {
            Expected expected = oracle.of(name);
            Layout layout = client.where(FarmPath.of("/" + name));
            if (expected == null || layout.getObjectsCount() == 0) {
                continue;
            }
            int good = 0;
            int bad = 0;
            for (Replica replica : layout.getObjects(0).getReplicasList()) {
                if (replica.getState() != ReplicaState.VALID) {
                    continue;
                }
                Optional<Path> file =
                        farm.replica(replica.getNode(), layout.getObjects(0).getObject());
                boolean fits =
                        file.isPresent() && expected.fault(Files.readAllBytes(file.get())) == null;
                good += fits ? 1 : 0;
                bad += fits ? 0 : 1;
            }
            if (good < 1 || bad > (harm.isFlipped(name) ? 1 : 0)) {
                wrong.add(name + ": " + good + " good and " + bad + " bad replicas");
            }
        }
        assertThat(wrong).isEmpty();
    }
}
