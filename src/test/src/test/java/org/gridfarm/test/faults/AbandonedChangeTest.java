package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A file is truncated and not yet committed when every node of it stops: the next write and the
 * close are refused. When the nodes go on, the file is as it was before or as it was cut, at every
 * node alike, and can be read.
 */
class AbandonedChangeTest {
    private static final int BYTES = 400_000;
    private static final int CUT = 100_000;

    private static TestFarm farm;
    private static Gridfarm client;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRefusedCloseLeavesAFileThatCanBeRead(int level) throws Exception {
        String directory = "abandoned-" + level;
        farm.directory("/" + directory, level);
        String name = directory + "/f";
        byte[] content = new byte[BYTES];
        new Random(1).nextBytes(content);
        Door library = new LibraryDoor(client);
        try (Door.Open made = library.create(name)) {
            made.write(0, content);
        }
        List<String> nodes = nodes(name);
        assertThat(nodes).hasSize(level);

        Door.Open file = library.change(name);
        file.truncate(CUT);
        nodes.forEach(node -> farm.kill(node, "STOP"));
        try {
            assertThatThrownBy(() -> file.write(0, Arrays.copyOf(content, 10)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(file::close).isInstanceOf(IOException.class);
        } finally {
            nodes.forEach(node -> farm.kill(node, "CONT"));
        }

        Expected expected = new Expected(content);
        expected.attempt(Arrays.copyOf(content, CUT));
        for (Door door : List.of(library, new MountDoor(farm.mount()))) {
            await(door.getClass().getSimpleName() + " reads it")
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(expected.fault(door.read(name))).isNull());
        }
        byte[] now = library.read(name);
        await("restored")
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(nodes(name)).hasSize(level));
        ObjectId object = location(name).getObject();
        for (String node : nodes(name)) {
            Path replica = farm.replica(node, object).orElseThrow();
            assertThat(Files.readAllBytes(replica)).as(node).isEqualTo(now);
        }
    }

    private static List<String> nodes(String name) {
        return location(name).getReplicasList().stream()
                .filter(replica -> replica.getState() == ReplicaState.VALID)
                .map(Replica::getNode)
                .toList();
    }

    private static ObjectLocation location(String name) {
        return client.where(FarmPath.of("/" + name)).getObjects(0);
    }
}
