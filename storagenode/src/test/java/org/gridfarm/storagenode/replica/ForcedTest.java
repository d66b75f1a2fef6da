package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.PortableDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** What is forced when somebody wants it on stable storage. */
class ForcedTest {
    private static final ObjectKey KEY = new ObjectKey(7, 0, 1);

    @TempDir Path directory;
    private final Disk disk = new Disk();

    /**
     * Counts, and does as it is told. The name of a first replica takes those of the directories
     * above it along.
     */
    private static final class Disk extends PortableDisk {
        final AtomicInteger files = new AtomicInteger();
        final AtomicInteger directories = new AtomicInteger();
        final AtomicInteger all = new AtomicInteger();
        volatile boolean canAll = true;
        volatile boolean fails;
        volatile CountDownLatch mayEnd = new CountDownLatch(0);

        @Override
        public void force(FileChannel channel) {
            files.incrementAndGet();
        }

        @Override
        public void forceDirectory(Path at) {
            directories.incrementAndGet();
        }

        @Override
        public boolean forceAll(Path at) throws IOException {
            all.incrementAndGet();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (fails) throw new IOException("as it was told");
            return canAll;
        }

        List<Integer> taken() {
            return List.of(files.getAndSet(0), directories.getAndSet(0), all.getAndSet(0));
        }
    }

    private StoreFixture start() {
        Duration never = Duration.ofHours(1);
        return new StoreFixture(List.of(directory), disk, new StoreLimits(8, 2, never, never), 1);
    }

    private static void force(StoreFixture fixture) {
        StoreFixture.wait(fixture.store.force(KEY));
    }

    @Test
    void oneThatWasWrittenHereWithItsSumsAndItsName() throws IOException {
        try (StoreFixture fixture = start()) {
            fixture.write(KEY, 0, new byte[100_000]);
            disk.taken();
            force(fixture);
            assertThat(disk.taken()).isEqualTo(List.of(2, 3, 0));
        }
    }

    /** A header that is not there after a loss of power would have the replica in quarantine. */
    @Test
    void oneThatTheKernelWritesWithTheHeaderThatSaysSo() throws IOException {
        try (StoreFixture fixture = start()) {
            fixture.change(KEY, Replica::beginLocalWriting);
            try (Stream<Path> all = Files.walk(directory)) {
                Path file = all.filter(p -> p.endsWith(KEY.fileName())).findFirst().orElseThrow();
                Files.write(file, new byte[100_000]);
            }
            disk.taken();
            force(fixture);
            assertThat(disk.taken()).isEqualTo(List.of(2, 3, 0));
            force(fixture);
            assertThat(disk.taken()).as("its bytes may be others").isEqualTo(List.of(1, 0, 0));
        }
    }

    @Test
    void oneSyncOfTheDiskServesAllWhoAskBeforeItBegins() throws IOException {
        try (StoreFixture fixture = start()) {
            fixture.write(KEY, 0, new byte[100]);
            disk.mayEnd = new CountDownLatch(1);
            CompletableFuture<Void> first = fixture.store.forceAll();
            await().until(() -> disk.all.get() == 1);
            List<CompletableFuture<Void>> others =
                    Stream.generate(fixture.store::forceAll).limit(20).toList();
            assertThat(first).isNotDone();
            disk.mayEnd.countDown();
            StoreFixture.wait(first);
            others.forEach(StoreFixture::wait);
            assertThat(disk.all).hasValue(2);
        }
    }

    @Test
    void withoutSuchACallEachIsForced() throws IOException {
        try (StoreFixture fixture = start()) {
            disk.canAll = false;
            for (int i = 0; i < 3; i++) fixture.write(new ObjectKey(i, 0, 1), 0, new byte[10]);
            disk.taken();
            StoreFixture.wait(fixture.store.forceAll());
            assertThat(disk.taken()).isEqualTo(List.of(6, 5, 1));
        }
    }

    @Test
    void whoAsksIsToldThatTheDiskHasFailed() throws IOException {
        try (StoreFixture fixture = start()) {
            fixture.write(KEY, 0, new byte[100]);
            disk.fails = true;
            assertThatThrownBy(() -> StoreFixture.wait(fixture.store.forceAll()))
                    .isInstanceOf(FarmException.class);
        }
    }
}
