package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.storagenode.replica.Finder.Found;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** What a node says when it is asked for an object by name. */
@SuppressWarnings("NullAway.Init") // set before each test
class FinderTest {
    @TempDir Path directory;
    private StoreFixture fixture;
    private Finder finder;

    @BeforeEach
    void open() {
        fixture = StoreFixture.at(directory);
        finder = new Finder(fixture.store);
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private static ObjectKey key(int inode, int generation) {
        return new ObjectKey(inode, 0, generation);
    }

    private List<Found> find(ObjectKey... keys) {
        return StoreFixture.wait(finder.find(List.of(keys)));
    }

    @Test
    void tellsWhatIsHereAndWhatGoesUnderAnotherGeneration() throws IOException {
        fixture.write(key(1, 1), 0, new byte[100]);
        fixture.write(key(2, 5), 0, new byte[200]);
        fixture.write(key(0x21, 1), 0, new byte[300]);
        List<Found> wanted =
                List.of(new Found(key(1, 1), 100, false), new Found(key(2, 5), 200, false));
        assertThat(find(key(1, 1), key(2, 4), key(3, 1))).isEqualTo(wanted);
        fixture.restart();
        finder = new Finder(fixture.store);
        assertThat(find(key(1, 1), key(2, 6), key(3, 1))).as("not open").isEqualTo(wanted);
    }

    @Test
    void tellsWhatIsInQuarantine() throws IOException {
        fixture.write(key(1, 1), 0, new byte[100]);
        fixture.restart();
        finder = new Finder(fixture.store);
        Path quarantine = fixture.store.disks().getFirst().root().resolve("quarantine");
        Files.move(
                ReplicaStore.path(fixture.store.disks().getFirst(), key(1, 1)),
                quarantine.resolve(key(1, 1).fileName()));
        assertThat(find(key(1, 1))).containsExactly(new Found(key(1, 1), 100, true));
    }

    /** Its name would be met by no walk in the very moment when it is renamed. */
    @Test
    void waitsForASealThatIsUnderWay() throws InterruptedException {
        fixture.write(key(1, 1), 0, new byte[100]);
        CountDownLatch held = new CountDownLatch(1);
        CompletableFuture<Boolean> busy =
                fixture.store.change(
                        key(1, 1),
                        ReplicaStore.IfAbsent.FAIL,
                        replica -> {
                            try {
                                held.await();
                            } catch (InterruptedException e) {
                                throw new IOException(e);
                            }
                            return true;
                        });
        CompletableFuture<Boolean> seal = fixture.store.seal(key(1, 1), 2, 0);
        CompletableFuture<List<Found>> found = finder.find(List.of(key(1, 1)));
        assertThat(found).isNotDone();
        held.countDown();
        assertThat(StoreFixture.wait(busy)).isTrue();
        assertThat(StoreFixture.wait(seal)).isTrue();
        assertThat(StoreFixture.wait(found)).containsExactly(new Found(key(1, 2), 100, false));
    }
}
