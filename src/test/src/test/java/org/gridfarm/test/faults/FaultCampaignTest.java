package org.gridfarm.test.faults;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Random faults of storage nodes while files at level 2 are written, appended to, read, changed and
 * renamed through a mount and through the library. Whatever an fsync or close acknowledged is there
 * at the end, on two nodes, byte for byte; nothing else was ever read. {@code -Dgf.faults=} is how
 * many, {@code -Dgf.seed=} chooses them.
 */
class FaultCampaignTest {
    private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
    private final long seed = Tier.seed(1);
    private final int faults = Tier.count("faults");
    private final Oracle oracle = new Oracle();

    @Test
    void nothingAcknowledgedIsLostAndNothingCorruptIsRead() throws Exception {
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
            farm.directory("/", 2);
            try (Gridfarm client =
                    Gridfarm.open(ClientConfig.read(directory.resolve("client.toml")))) {
                NodeFaults harm =
                        new NodeFaults(farm, client, oracle, seed, NODES, smallDisk, failingSync);
                List<Door> doors = List.of(new MountDoor(farm.mount()), new LibraryDoor(client));
                Campaign campaign = new Campaign(farm, client, oracle, seed);
                campaign.underLoad(
                        List.of(doors.get(0), doors.get(0), doors.get(1), doors.get(1)),
                        faults,
                        harm);
                campaign.levelIsRestored();
                campaign.everythingIsThere(doors);
                campaign.replicasAgree(harm::isFlipped);
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
}
