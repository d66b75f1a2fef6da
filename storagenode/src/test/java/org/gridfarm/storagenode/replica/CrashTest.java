package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.PortableDisk;
import org.gridfarm.storagenode.disk.linux.LinuxDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** Kills, power cuts and failing disks, at the level of files. */
class CrashTest {
    private static final ObjectKey KEY = new ObjectKey(77, 0, 1);

    @TempDir Path directory;

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Map<ObjectKey, Boolean> dirtyByKey(StoreFixture fixture) throws IOException {
        Map<ObjectKey, Boolean> held = new HashMap<>();
        new Inventory(fixture.store).walk((key, size, dirty) -> held.put(key, dirty) == null);
        return held;
    }

    @Test
    void afterAKillWhatWasCheckpointedIsCleanAndWhatWasBeingWrittenIsReported() throws IOException {
        ObjectKey open = new ObjectKey(78, 0, 1);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            byte[] bytes = random(1, 200_000);
            fixture.write(KEY, 0, bytes);
            fixture.change(KEY, Replica::checkpoint);
            fixture.write(open, 0, bytes);
            fixture.kill(1);
            assertThat(dirtyByKey(fixture)).containsEntry(KEY, false).containsEntry(open, true);
            assertThat(fixture.readAll(KEY)).isEqualTo(bytes);
            assertThat(fixture.readAll(open)).isEqualTo(bytes);
        }
    }

    /** Also a part of a block, whose sum is not taken by the write itself. */
    @Test
    void damageOfAReplicaThatRestedIsNoticedAlsoWhenTheProcessDiedSinceItsLastChange()
            throws Exception {
        StoreLimits quick = new StoreLimits(8, 2, Duration.ofMillis(40), Duration.ofHours(1));
        try (StoreFixture fixture =
                new StoreFixture(List.of(directory), new PortableDisk(), quick, 1)) {
            fixture.write(KEY, 0, random(1, 1000));
            fixture.write(KEY, 1000, random(2, 1000));
            Path file = ReplicaStore.path(fixture.store.disks().get(0), KEY);
            await().until(() -> !isOpen(file));
            fixture.kill(1);
            try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
                access.seek(500);
                access.write(access.read() ^ 1);
            }
            assertThatThrownBy(() -> fixture.readAll(KEY)).hasMessageContaining("checksum");
        }
    }

    @Test
    void oneReplicaThatWaitsForItsDiskDoesNotKeepOthersFromBeingSummed() throws Exception {
        StoreLimits quick = new StoreLimits(8, 2, Duration.ofMillis(40), Duration.ofHours(1));
        HangingDisk slow = new HangingDisk();
        try (StoreFixture fixture = new StoreFixture(List.of(directory), slow, quick, 1);
                HangingDisk disk = slow) {
            ObjectKey other = new ObjectKey(79, 0, 1);
            fixture.write(other, 0, random(1, 1000));
            disk.hang();
            CompletableFuture<Boolean> hanging =
                    fixture.store.change(
                            other,
                            ReplicaStore.IfAbsent.FAIL,
                            replica -> {
                                replica.sync();
                                return true;
                            });
            await().until(disk::isWaitedFor);
            // The first round finds the one that hangs.
            await().pollDelay(quick.sumAfter().multipliedBy(2)).until(() -> !hanging.isDone());
            fixture.write(KEY, 0, random(1, 1000));
            fixture.write(KEY, 1000, random(2, 1000));
            Path file = ReplicaStore.path(fixture.store.disks().get(0), KEY);
            await().until(() -> !isOpen(file));
            assertThat(hanging).isNotDone();
            disk.close();
            assertThat(hanging.join()).isTrue();
        }
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void replicasThatAreMadeDurableUnaskedLeaveThreadsForOthers() throws Exception {
        StoreLimits quick = new StoreLimits(8, 2, Duration.ofMillis(20), Duration.ofMillis(40));
        HangingDisk slow = new HangingDisk();
        try (StoreFixture fixture = new StoreFixture(List.of(directory), slow, quick, 1);
                HangingDisk disk = slow) {
            byte[] bytes = random(1, 1000);
            for (int i = 0; i < 10; i++) { // twice, so that they come to rest together
                fixture.write(new ObjectKey(100 + i % 5, 0, 1), 0, bytes);
            }
            disk.hang();
            await().until(disk::isWaitedFor);
            await().pollDelay(quick.settleAfter()).until(disk::isWaitedFor);
            fixture.write(KEY, 0, bytes);
            CompletableFuture<Long> size = fixture.store.read(KEY, Replica::size);
            assertThat(size).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(1000L);
        }
    }

    /** A disk that is slow to make anything durable. */
    private static final class HangingDisk extends PortableDisk implements AutoCloseable {
        private final CountDownLatch released = new CountDownLatch(1);
        private final CountDownLatch waitedFor = new CountDownLatch(1);
        private volatile boolean hangs;

        void hang() {
            hangs = true;
        }

        @Override
        public void close() {
            hangs = false;
            released.countDown();
        }

        boolean isWaitedFor() {
            return waitedFor.getCount() == 0;
        }

        @Override
        public void force(FileChannel channel) throws IOException {
            if (hangs) {
                waitedFor.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            super.force(channel);
        }
    }

    private static boolean isOpen(Path file) throws IOException {
        try (SumFile sums = new SumFile(FileChannel.open(ReplicaFiles.sumPath(file)))) {
            return Objects.requireNonNull(sums.readHeader()).isOpen();
        }
    }

    @Test
    void aWriteAfterASyncMarksTheReplicaOnDiskBeforeItChangesAByte() throws IOException {
        List<String> order = new ArrayList<>();
        PortableDisk watched =
                new PortableDisk() {
                    @Override
                    public void force(FileChannel channel) throws IOException {
                        synchronized (order) {
                            order.add(channel.size() < 10_000 ? "sums" : "data");
                        }
                        super.force(channel);
                    }
                };
        try (StoreFixture fixture =
                new StoreFixture(
                        List.of(directory),
                        watched,
                        new StoreLimits(8, 2, Duration.ofHours(1), Duration.ofHours(1)),
                        1)) {
            fixture.write(KEY, 0, random(2, 100_000));
            fixture.change(KEY, Replica::settle);
            order.clear();
            fixture.write(KEY, 50_000, random(3, 100));
            fixture.write(KEY, 60_000, random(4, 100));
            assertThat(order).containsExactly("sums"); // once for the episode, and durable
        }
    }

    @Test
    void aTornWriteAfterAPowerCutIsReportedAndAnUntouchedOneIsNot() throws IOException {
        ObjectKey untouched = new ObjectKey(79, 0, 1);
        byte[] bytes = random(5, 300_000);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            for (ObjectKey key : List.of(KEY, untouched)) {
                fixture.write(key, 0, bytes);
                fixture.change(key, Replica::sync);
            }
            fixture.kill(1);
            // What the disk held when the power went: half of a block that was on its way, in one
            // of them.
            try (RandomAccessFile file =
                    new RandomAccessFile(
                            ReplicaStore.path(fixture.store.disks().get(0), KEY).toFile(), "rw")) {
                file.seek(70_000);
                file.write(random(6, 4096));
            }
            fixture.kill(2);
            Map<ObjectKey, Boolean> held = dirtyByKey(fixture);
            assertThat(held).containsEntry(KEY, true);
            assertThat(fixture.readAll(untouched)).isEqualTo(bytes);
            byte[] torn = fixture.readAll(KEY);
            assertThat(Arrays.copyOf(torn, 65_536)).isEqualTo(Arrays.copyOf(bytes, 65_536));
        }
    }

    @Test
    void aReplicaWhoseSyncFailedIsNeverBelievedAgain() throws IOException {
        boolean[] broken = {false};
        PortableDisk failing =
                new PortableDisk() {
                    @Override
                    public void force(FileChannel channel) throws IOException {
                        if (broken[0]) {
                            throw new IOException("Input/output error");
                        }
                        super.force(channel);
                    }
                };
        try (StoreFixture fixture =
                new StoreFixture(
                        List.of(directory),
                        failing,
                        new StoreLimits(8, 2, Duration.ofHours(1), Duration.ofHours(1)),
                        1)) {
            fixture.write(KEY, 0, random(7, 1000));
            broken[0] = true;
            assertKind(() -> fixture.change(KEY, Replica::sync), ErrorKind.DISK_FAILED);
            broken[0] = false;
            assertKind(() -> fixture.change(KEY, Replica::sync), ErrorKind.DISK_FAILED);
            assertKind(() -> fixture.readAll(KEY), ErrorKind.DISK_FAILED);
            // Another object on the same disk works until the disk has erred too often.
            ObjectKey other = new ObjectKey(80, 0, 1);
            fixture.write(other, 0, random(8, 1000));
            fixture.change(other, Replica::sync);
            broken[0] = true;
            for (int i = 0; i < DataDirectory.ERRORS_MAX; i++) {
                ObjectKey next = new ObjectKey(81 + i, 0, 1);
                assertKind(
                        () -> {
                            fixture.write(next, 0, new byte[10]);
                            fixture.change(next, Replica::sync);
                        },
                        ErrorKind.DISK_FAILED);
            }
            broken[0] = false;
            assertThat(fixture.store.disks().get(0).isFailed()).isTrue();
            assertKind(() -> fixture.readAll(other), ErrorKind.DISK_FAILED);
        }
    }

    @Test
    void aFailedDiskTakesOnlyItsOwnReplicas() throws IOException {
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        try (StoreFixture fixture =
                new StoreFixture(
                        List.of(one, two),
                        LinuxDisk.orPortable(),
                        new StoreLimits(8, 2, Duration.ofHours(1), Duration.ofHours(1)),
                        1)) {
            byte[] bytes = random(9, 5000);
            for (int i = 0; i < 40; i++) {
                fixture.write(new ObjectKey(i, 0, 1), 0, bytes);
            }
            fixture.store.disks().get(0).fail("pulled out");
            int readable = 0;
            for (int i = 0; i < 40; i++) {
                ObjectKey key = new ObjectKey(i, 0, 1);
                boolean onOther =
                        Files.exists(ReplicaStore.path(fixture.store.disks().get(1), key));
                if (onOther) {
                    assertThat(fixture.readAll(key)).isEqualTo(bytes);
                    readable++;
                } else {
                    assertThatThrownBy(() -> fixture.readAll(key))
                            .isInstanceOf(FarmException.class);
                }
            }
            assertThat(readable).isBetween(1, 39);
            fixture.write(new ObjectKey(99, 0, 1), 0, bytes);
            assertThat(fixture.readAll(new ObjectKey(99, 0, 1))).isEqualTo(bytes);
        }
    }

    @Test
    void aFullDiskRefusesGrowthKeepsItsReserveAndStillDeletes() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(10, 1000));
        }
        DataDirectory disk =
                DataDirectory.open(
                        directory, LinuxDisk.orPortable(), Clock.system(), Long.MAX_VALUE / 4);
        try (ReplicaStore store =
                new ReplicaStore(
                        List.of(disk),
                        StoreLimits.DEFAULT,
                        Clock.system(),
                        Entropy.seeded(1),
                        1,
                        StoreListener.NONE)) {
            CompletableFuture<Boolean> grown =
                    store.change(
                            KEY,
                            ReplicaStore.IfAbsent.FAIL,
                            replica -> {
                                replica.write(new ByteBuffer[] {ByteBuffer.allocate(10)}, 1000);
                                return true;
                            });
            assertKind(() -> StoreFixture.wait(grown), ErrorKind.NO_SPACE);
            CompletableFuture<Boolean> made =
                    store.change(new ObjectKey(5, 0, 1), ReplicaStore.IfAbsent.CREATE, _ -> true);
            assertKind(() -> StoreFixture.wait(made), ErrorKind.NO_SPACE);
            assertThat(StoreFixture.wait(store.delete(KEY))).isTrue();
        }
    }

    @Test
    void aDirectoryOfANewerFormatOrAnotherFarmOrInUseIsRefusedInASentence() throws IOException {
        DataDirectory disk =
                DataDirectory.open(directory, LinuxDisk.orPortable(), Clock.system(), 0);
        disk.belongsTo(1);
        assertThatThrownBy(() -> disk.belongsTo(2))
                .hasMessageContaining("holds replicas of farm 1");
        assertThatThrownBy(() ->
                        DataDirectory.open(directory, LinuxDisk.orPortable(), Clock.system(), 0))
                .hasMessageContaining("another storage node uses it");
        disk.close();
        Files.writeString(directory.resolve("version"), "format=99\n");
        assertThatThrownBy(() ->
                        DataDirectory.open(directory, LinuxDisk.orPortable(), Clock.system(), 0))
                .hasMessageContaining("its format is 99");
    }

    private static void assertKind(Runnable action, ErrorKind kind) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        FarmException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
