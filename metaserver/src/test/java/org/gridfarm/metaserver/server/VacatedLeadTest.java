package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.zookeeper.ZooKeeperCluster;
import org.gridfarm.metaserver.zookeeper.ZooKeeperSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The next one leads without waiting for the session of a process that has ended. */
class VacatedLeadTest {
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5); // less than the session

    @TempDir Path directory;

    private static final class Heard implements Cluster.Listener {
        volatile boolean leads;

        @Override
        public void elected() {
            leads = true;
        }

        @Override
        public void lost() {
            leads = false;
        }

        @Override
        public void deposed(String why) {
            leads = false;
        }

        @Override
        public void members(List<Cluster.Member> members) {}

        @Override
        public void reachable(boolean reachable) {}
    }

    private static Cluster.Member member(String name) {
        return new Cluster.Member(name, "127.0.0.1:1", Cluster.Member.CACHE, 0);
    }

    @Test
    void theNextOneIsElectedAndTheOldOneToldThoughItsSessionStands() {
        try (TestZooKeeper zookeeper = new TestZooKeeper(directory)) {
            ZooKeeperSettings settings =
                    new ZooKeeperSettings(
                            zookeeper.address(),
                            "/test",
                            SESSION,
                            Optional.empty(),
                            Optional.empty());
            Heard first = new Heard();
            Heard second = new Heard();
            try (ZooKeeperCluster one = ZooKeeperCluster.connect(settings);
                    ZooKeeperCluster two = ZooKeeperCluster.connect(settings)) {
                one.start(member("one"), true, first);
                await().atMost(PATIENCE).until(() -> first.leads);
                two.start(member("two"), true, second);
                assertThat(second.leads).isFalse();
                // Stands behind the first: asked again until its own place is in the queue.
                await().atMost(PATIENCE)
                        .until(() -> {
                            two.vacate(member("one"));
                            return second.leads;
                        });
                await().atMost(PATIENCE).until(() -> !first.leads);
            }
        }
    }
}
