package org.gridfarm.metaserver.server;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** One leader and no node, anew for each test. */
@SuppressWarnings("NullAway.Init") // set before each test
abstract class FarmOfOneLeader {
    @TempDir Path directory;
    TestFarm farm;
    MetaServerDaemon leader;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
    }

    @AfterEach
    void stop() {
        farm.close();
    }
}
