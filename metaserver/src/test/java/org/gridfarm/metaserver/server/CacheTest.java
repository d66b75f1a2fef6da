package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A leader and a cache server that can take over. */
@SuppressWarnings("NullAway.Init") // set before each test
class CacheTest {
    @TempDir Path directory;
    private TestFarm farm;
    private MetaServerDaemon leader;
    private MetaServerDaemon cache;

    @BeforeEach
    void start() {
        farm = new TestFarm(directory);
        leader = farm.start("ms1", true);
        TestFarm.awaitRole(leader, "leader");
    }

    private void startCache() {
        cache = farm.start("ms2", true);
        TestFarm.awaitRole(cache, "cache");
    }

    @AfterEach
    void stop() {
        farm.close();
    }

    @Test
    void aCacheShowsWhatWasThereBeforeAndWhatComesAfter() {
        TestClient writer = new TestClient(farm, leader, 11);
        long dir = writer.mkdir(1, "before").getAttributes().getInode();
        for (int i = 0; i < 20; i++) writer.create(dir, "f" + i);
        startCache();
        TestClient reader = new TestClient(farm, cache, 12);
        assertThat(reader.lookup(1, "before").getAttributes().getInode()).isEqualTo(dir);
        for (int i = 0; i < 200; i++) {
            long made = writer.create(dir, "after" + i).getAttributes().getInode();
            assertThat(reader.lookup(dir, "after" + i).getAttributes().getInode()).isEqualTo(made);
            if (i % 2 == 0) {
                writer.unlink(dir, "after" + i);
                assertThat(reader.lookup(dir, "after" + i).getFound()).isFalse();
            }
        }
    }

    @Test
    void aChangeWaitsForClientsOfTheCache() throws Exception {
        startCache();
        TestClient writer = new TestClient(farm, leader, 11);
        TestClient reader = new TestClient(farm, cache, 12);
        assertThat(reader.lookup(1, "x").getEntryCacheable()).isTrue();
        CompletableFuture<Void> release = new CompletableFuture<>();
        reader.holdRecalls(release);
        CompletableFuture<MutateReply> creating =
                writer.start(MetadataMethods.MUTATE, writer.creating(1, "x"));
        TestFarm.await("recall", () -> !reader.recalls.isEmpty());
        assertThat(creating.isDone()).isFalse();
        release.complete(null);
        creating.get(5, TimeUnit.SECONDS);
        assertThat(reader.lookup(1, "x").getFound()).isTrue();
    }

    @Test
    void aDeadCacheDelaysChangesNoLongerThanItsLease() {
        startCache();
        TestClient writer = new TestClient(farm, leader, 11);
        writer.create(1, "a");
        farm.stop(cache);
        long began = System.nanoTime();
        writer.create(1, "b");
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(3000);
    }

    @Test
    void theCacheTakesOverWithEverythingAcknowledgedAndAnswersRetries() {
        startCache();
        TestClient writer = new TestClient(farm, leader, 11);
        long dir = writer.mkdir(1, "d").getAttributes().getInode();
        for (int i = 0; i < 100; i++) writer.create(dir, "f" + i);
        MutateRequest last = writer.creating(dir, "last");
        MutateReply answered = writer.call(MetadataMethods.MUTATE, last);
        long began = System.nanoTime();
        farm.stop(leader);
        TestFarm.awaitRole(cache, "leader");
        TestClient again = new TestClient(farm, cache, 11);
        assertThat(again.call(MetadataMethods.MUTATE, last)).isEqualTo(answered);
        TestClient other = new TestClient(farm, cache, 12);
        for (int i = 0; i < 100; i++) {
            assertThat(other.lookup(dir, "f" + i).getFound()).isTrue();
        }
        other.create(dir, "new");
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began)).isLessThan(12);
    }

    @Test
    void aDeposedLeaderFollowsTheNewOne() {
        startCache();
        TestClient writer = new TestClient(farm, leader, 11);
        writer.create(1, "a");
        farm.stop(leader);
        TestFarm.awaitRole(cache, "leader");
        MetaServerDaemon back = farm.start("ms1", true);
        TestFarm.awaitRole(back, "cache");
        TestClient reader = new TestClient(farm, back, 13);
        assertThat(reader.lookup(1, "a").getFound()).isTrue();
        TestClient another = new TestClient(farm, cache, 14);
        another.create(1, "b");
        assertThat(reader.lookup(1, "b").getFound()).isTrue();
    }
}
