package org.gridfarm.test.faults;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

/**
 * Any process of a farm is killed or stopped, one after the other, while files at level 2 are
 * worked on through two mounts (one with passthrough, one without) and the library: metaservers,
 * storage nodes, mounts, the database, ZooKeeper. {@code -Dgf.all.faults=} is how many, {@code
 * -Dgf.seed=} chooses them.
 */
class AllProcessesTest {
    private final long seed = Tier.seed(1);
    private final int faults = Tier.count("all.faults");

    @Test
    void nothingAcknowledgedIsLostWhicheverProcessDies() throws Exception {
        try (TestFarm farm =
                TestFarm.start(
                        "--nodes",
                        "4",
                        "--caches",
                        "2",
                        "--schedulers",
                        "0",
                        "--no-node-mounts",
                        "--repair-after",
                        "3s")) {
            farm.directory("/", 2);
            Path other = farm.mountWithoutPassthrough("n2");
            try (ProcessFaults harm =
                            new ProcessFaults(
                                    farm,
                                    seed,
                                    List.of("meta1", "cache1", "cache2"),
                                    List.of("n1", "n2", "n3", "n4"),
                                    List.of(),
                                    List.of(farm.mount(), other));
                    Gridfarm client =
                            Gridfarm.open(
                                    ClientConfig.read(farm.directory().resolve("client.toml")))) {
                Door first = new MountDoor(farm.mount());
                Door second = new MountDoor(other);
                Door library = new LibraryDoor(client);
                Campaign campaign = new Campaign(farm, client, new Oracle(), seed);
                campaign.underLoad(List.of(first, first, second, library), faults, harm);
                campaign.levelIsRestored();
                campaign.everythingIsThere(List.of(first, second, library));
                campaign.replicasAgree(name -> false);
            }
        }
    }
}
