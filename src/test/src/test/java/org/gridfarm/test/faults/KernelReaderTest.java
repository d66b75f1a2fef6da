package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/** A replica is replaced while the kernel still holds its former file for somebody who reads it. */
class KernelReaderTest {
    private static final int BYTES = 338_000;

    @Test
    void whoOpensAfterAChangeReadsItBesideAReaderOfTheFormerReplica() throws Exception {
        try (TestFarm farm = TestFarm.shared()) {
            farm.directory("/beside", 3);
            Path file = farm.mount().resolve("beside/file");
            byte[] former = new byte[BYTES];
            new Random(1).nextBytes(former);
            Files.write(file, former);
            byte[] present = new byte[BYTES];
            new Random(2).nextBytes(present);
            try (InputStream reader = Files.newInputStream(file);
                    Gridfarm client =
                            Gridfarm.open(
                                    ClientConfig.read(farm.directory().resolve("client.toml")))) {
                assertThat(reader.readNBytes(1000)).hasSize(1000);
                farm.kill("n1", "KILL");
                try (Door.Open writer = new LibraryDoor(client).change("beside/file")) {
                    writer.write(0, present);
                }
                farm.restart("n1");
                await("the replica of n1 is valid again")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> isValidAtNode(client));
                assertThat(file).hasBinaryContent(present);
                assertThat(reader.readNBytes(1000)).hasSize(1000);
            }
            assertThat(file).hasBinaryContent(present);
        }
    }

    private static boolean isValidAtNode(Gridfarm client) {
        for (Replica replica :
                client.where(FarmPath.of("/beside/file")).getObjects(0).getReplicasList()) {
            if (replica.getNode().equals("n1")) {
                return replica.getLive() && replica.getState() == ReplicaState.VALID;
            }
        }
        return false;
    }
}
