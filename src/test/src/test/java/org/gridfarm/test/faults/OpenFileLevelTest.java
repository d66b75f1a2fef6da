package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A node of a file's chain dies while the file stays open: it gets its level back before it is
 * closed, so that the next node may die as well.
 */
class OpenFileLevelTest {
    private static final int BYTES = 20_000_000;
    private static final int HOLE_FROM = 4_000_000;
    private static final int HOLE_TO = 9_000_000;
    private static final int GROWING = 16;
    private static final int KILLS = Tier.count("growing.kills");
    private static final int PIECE = 1000;

    private static TestFarm farm;
    private static Gridfarm client;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.startOfNodes("--nodes", "4", "--repair-after", "1s");
        farm.directory("/", 2);
        client = Gridfarm.open(ClientConfig.read(farm.directory().resolve("client.toml")));
    }

    @AfterAll
    static void stop() throws IOException {
        if (client != null) {
            client.close();
        }
        if (farm != null) {
            farm.close();
        }
    }

    /** Nodes that have a good copy and can be reached. */
    private static List<String> holders(String name) {
        List<String> holders = new ArrayList<>();
        for (Replica replica :
                client.where(FarmPath.of("/" + name)).getObjects(0).getReplicasList()) {
            if (replica.getLive() && replica.getState() == ReplicaState.VALID) {
                holders.add(replica.getNode());
            }
        }
        return holders;
    }

    private static byte[] content(Random random) {
        byte[] content = new byte[BYTES];
        random.nextBytes(content);
        Arrays.fill(content, HOLE_FROM, HOLE_TO, (byte) 0);
        return content;
    }

    private static byte[] part(byte[] content, int from, int to) {
        return Arrays.copyOfRange(content, from, to);
    }

    /** Leaves the hole out. */
    private static void writeAll(Door.Open file, byte[] content) throws IOException {
        for (int from = 0; from < BYTES; from += 1_000_000) {
            if (from < HOLE_FROM || from >= HOLE_TO) {
                file.write(from, part(content, from, from + 1_000_000));
            }
        }
    }

    private static void change(Door.Open file, byte[] content, Random random) throws IOException {
        byte[] some = new byte[1 + random.nextInt(100_000)];
        random.nextBytes(some);
        int at = random.nextInt(BYTES - some.length);
        System.arraycopy(some, 0, content, at, some.length);
        file.write(at, some);
    }

    @ParameterizedTest(name = "{0}, its {1} node dies, written meanwhile: {2}")
    @CsvSource({
        "library,first,true",
        "library,last,true",
        "library,last,false",
        "kernel,last,true",
        "kernel,last,false"
    })
    void theLevelComesBackBeforeTheFileIsClosed(String by, String which, boolean written)
            throws IOException {
        Random random = new Random(by.hashCode() + which.hashCode());
        String name = by + "-" + which + "-" + written;
        Door door = by.equals("kernel") ? new MountDoor(farm.mount()) : new LibraryDoor(client);
        byte[] content = content(random);
        List<String> dead = new ArrayList<>();
        try (Door.Open file = door.create(name)) {
            writeAll(file, content);
            file.sync();
            List<String> before = holders(name);
            assertThat(before).hasSize(2);
            boolean first = which.equals("first");
            if (by.equals("kernel")) {
                before.remove("n1");
                before.addFirst("n1"); // where the kernel writes
            }
            dead.add(first ? before.getFirst() : before.getLast());
            farm.kill(dead.getFirst(), "KILL");
            await("two good copies of the open file")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        if (written) {
                            change(file, content, random);
                        }
                        List<String> now = holders(name);
                        return now.size() == 2 && !now.contains(dead.getFirst());
                    });
            change(file, content, random);
            file.sync();
            dead.add(first ? before.getLast() : before.getFirst());
            farm.kill(dead.getLast(), "KILL");
            assertThat(Arrays.mismatch(new LibraryDoor(client).read(name), content))
                    .as("first byte that differs, beside the writer")
                    .isEqualTo(-1);
            change(file, content, random);
        } finally {
            dead.forEach(farm::restart);
        }
        Path copy = farm.directory().resolve(name);
        farm.gf("get", "gf:/" + name, copy.toString());
        assertThat(Arrays.mismatch(Files.readAllBytes(copy), content))
                .as("first byte that differs, once it was closed")
                .isEqualTo(-1);
        await("nothing is left to repair")
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    ClusterStatusReply status = farm.status();
                    return status.getReplicasUnder() == 0 && status.getRepairQueue() == 0;
                });
    }

    /**
     * Grows by a piece at each round, opened and closed each time; counts what was acknowledged.
     */
    private static final class Growing {
        final String name;
        final byte[] piece = new byte[PIECE];
        int pieces;
        int refused;

        Growing(int number) {
            name = "one/f" + number;
            Arrays.fill(piece, (byte) ('a' + number));
        }

        void grow(Door door, boolean fresh) {
            try {
                try (Door.Open file = fresh ? door.create(name) : door.change(name)) {
                    file.write((long) pieces * PIECE, piece);
                }
                pieces++;
            } catch (IOException e) {
                refused++; // its node was killed under it
            }
        }

        void growUntil(AtomicBoolean stop, Door door) {
            while (!stop.get()) grow(door, false);
        }

        void requireAll(Door door) throws IOException {
            byte[] content = door.read(name);
            assertThat(content.length).as(name).isGreaterThanOrEqualTo(pieces * PIECE);
            for (int i = 0; i < pieces * PIECE; i++) {
                if (content[i] != piece[0]) throw new AssertionError(name + " differs at " + i);
            }
        }
    }

    /** What is sealed while the node tells what it has is not lost; while it is down it is away. */
    @Test
    void filesOfOneCopyCanBeReadAgainHoweverOftenTheirNodeDiesWhileTheyGrow() throws IOException {
        farm.directory("/one", 1);
        Door library = new LibraryDoor(client);
        List<Growing> files = new ArrayList<>();
        for (int i = 0; i < GROWING; i++) {
            files.add(new Growing(i));
            files.getLast().grow(library, true);
        }
        assertThat(files).allMatch(file -> file.pieces == 1);
        Growing idle = files.removeFirst();
        String victim = holders(idle.name).getFirst();
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (Growing file : files) {
            writers.add(
                    CompletableFuture.runAsync(
                            () -> file.growUntil(stop, library),
                            task -> Thread.ofPlatform().start(task)));
        }
        try {
            for (int round = 0; round < KILLS; round++) {
                farm.kill(victim, "KILL");
                await("its files are away")
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> farm.status().getReplicasAway() > 0);
                assertThat(farm.status().getReplicasLost()).isZero();
                if (round == 0) {
                    TestFarm.Result why = farm.tryGf("why", "/" + idle.name);
                    assertThat(why.status()).isEqualTo(1);
                    assertThat(why.output()).contains("away", victim);
                }
                farm.restart(victim);
                await("its files are back")
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> farm.status().getReplicasAway() == 0);
            }
        } finally {
            stop.set(true);
            farm.restart(victim);
        }
        writers.forEach(CompletableFuture::join);
        files.add(idle);
        await("nothing is lost")
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> {
                    assertThat(farm.status().getReplicasLost()).isZero();
                    for (Growing file : files) file.requireAll(library);
                });
    }
}
