package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.metaserver.postgres.PostgresStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** ZooKeeper goes away for longer than any session lasts. */
class CoordinationLostTest {
    private static final Duration AWAY = Duration.ofSeconds(6); // three sessions
    private static final Duration CALL_MAX = Duration.ofSeconds(2);

    @TempDir Path directory;
    private TestFarm farm;
    private MetaServerDaemon leader;
    private MetaServerDaemon cache;
    private PostgresStore database;
    private long made;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
        database = PostgresStore.open(farm.database);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
        cache = farm.start("ms2", true);
        TestFarm.awaitRole(cache, "cache");
    }

    @AfterEach
    void stop() {
        database.close();
        farm.close();
    }

    @Test
    void theLeaderLeadsOnAndIsElectedAgain() {
        TestClient writer = new TestClient(farm, leader, 11);
        TestClient reader = new TestClient(farm, cache, 12);
        workFor(AWAY, writer, reader); // and is warm
        farm.zookeeper.close();
        assertThat(workFor(AWAY, writer, reader)).isLessThan(CALL_MAX);
        farm.zookeeper.startAgain();
        assertThat(workFor(AWAY, writer, reader)).isLessThan(CALL_MAX);
        assertThat(leader.server().role()).isEqualTo("leader");
        assertThat(database.currentEpoch()).isEqualTo(1);
        farm.stop(leader);
        TestFarm.awaitRole(cache, "leader");
        assertThat(new TestClient(farm, cache, 12).lookup(1, "f" + (made - 1)).getFound()).isTrue();
    }

    @Test
    void whenTheLeaderGoesAsWellTheNextOneTakesOverAsSoonAsItCan() {
        TestClient writer = new TestClient(farm, leader, 11);
        writer.create(1, "a");
        farm.zookeeper.close();
        workFor(AWAY, writer, new TestClient(farm, cache, 12));
        farm.stop(leader);
        farm.zookeeper.startAgain();
        TestFarm.awaitRole(cache, "leader");
        assertThat(database.currentEpoch()).isEqualTo(2);
        assertThat(new TestClient(farm, cache, 11).lookup(1, "a").getFound()).isTrue();
    }

    /** What one makes the other sees; the slowest call. */
    private Duration workFor(Duration time, TestClient writer, TestClient reader) {
        long end = System.nanoTime() + time.toNanos();
        AtomicLong slowest = new AtomicLong();
        while (System.nanoTime() - end < 0) {
            writer.renew();
            reader.renew();
            String name = "f" + made++;
            long began = System.nanoTime();
            writer.create(1, name);
            assertThat(reader.lookup(1, name).getFound()).isTrue();
            slowest.accumulateAndGet(System.nanoTime() - began, Math::max);
        }
        return Duration.ofNanos(slowest.get());
    }
}
