package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.storagenode.disk.linux.LinuxDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Somebody writes into a replica's plain file. */
class LocalWriterTest {
    private static final ObjectKey KEY = new ObjectKey(90, 0, 1);
    private static final long TWO_GIB = 2L << 30;

    @TempDir Path directory;

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static final class Seen implements ChangedBlocks {
        final List<Long> changed = new ArrayList<>();
        long zeroed;

        @Override
        public void changed(long offset, ByteBuffer content) {
            changed.add(offset);
        }

        @Override
        public void zeroed(long offset, long length) {
            zeroed += length;
        }
    }

    private static void behindItsBack(StoreFixture fixture, long offset, byte[] bytes, long size)
            throws IOException {
        Path path = ReplicaStore.path(fixture.store.disks().get(0), KEY);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(size);
            file.seek(offset);
            file.write(bytes);
        }
    }

    private static int rescan(StoreFixture fixture, Seen seen) {
        int[] turns = {0};
        fixture.change(
                KEY,
                replica -> {
                    for (long block = 0; block >= 0; turns[0]++) {
                        block = replica.rescan(block, seen);
                    }
                });
        return turns[0];
    }

    /** What is changed now counts as such, also after a rescan. */
    private static void damageIsFound(StoreFixture fixture) throws IOException {
        behindItsBack(fixture, 100_000, new byte[] {1, 2, 3}, 1 << 20);
        rescan(fixture, new Seen());
        fixture.change(KEY, replica -> assertThat(replica.firstBad(0, 100)).isEqualTo(1));
    }

    @Test
    void theHolesOfAHugeFileAreNotLookedAt() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, TWO_GIB - 100, random(1, 100), TWO_GIB);
            Seen seen = new Seen();
            assertThat(rescan(fixture, seen)).isEqualTo(1);
            assertThat(seen.changed).containsExactly(TWO_GIB - (64 << 10));
            assertThat(seen.zeroed).isZero();
            fixture.change(KEY, replica -> replica.endLocalWriting(true));
            rescan(fixture, new Seen());
            assertThat(fixture.read(KEY, TWO_GIB - 200, 200))
                    .endsWith(random(1, 100))
                    .startsWith(new byte[100]);
            fixture.change(KEY, replica -> assertThat(replica.firstBad(0, 1 << 15)).isEqualTo(-1));
        }
    }

    @Test
    void aHoleWhereThereWasDataIsToldOnceAsAWhole() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(2, 1 << 20));
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, 0, new byte[0], 0);
            behindItsBack(fixture, 0, random(3, 10), 4 << 20);
            Seen seen = new Seen();
            rescan(fixture, seen);
            assertThat(seen.changed).containsExactly(0L);
            assertThat(seen.zeroed).isEqualTo((1 << 20) - (64 << 10));
        }
    }

    @Test
    void whatNobodyWroteBehindItsBackIsDamageAlsoToARescan() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(5, 1 << 20));
            fixture.change(KEY, Replica::checkpoint);
            damageIsFound(fixture);
        }
    }

    @Test
    void bytesThatVanishedIntoAHoleAreDamage() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(4, 1 << 20));
            fixture.change(KEY, Replica::settle);
            behindItsBack(fixture, 0, new byte[0], 0);
            behindItsBack(fixture, 0, new byte[0], 1 << 20);
            fixture.change(KEY, replica -> assertThat(replica.firstBad(0, 100)).isZero());
        }
    }

    @Test
    void aWriterWhoGoesOnWhileTheNodeIsAwayIsNotTakenForDamage() throws IOException {
        byte[] before = random(5, 300_000);
        byte[] after = random(6, 300_000);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, 0, before, before.length);
            fixture.kill(1);
            assertThat(fixture.readAll(KEY)).isEqualTo(before);
            behindItsBack(fixture, 0, after, after.length);
            assertThat(fixture.readAll(KEY)).isEqualTo(after);
            // He is gone for good: what he left is what it is.
            fixture.change(KEY, Replica::rescanAll);
            fixture.change(KEY, Replica::settle);
            assertThat(fixture.readAll(KEY)).isEqualTo(after);
            fixture.restart();
            fixture.change(KEY, replica -> assertThat(replica.firstBad(0, 100)).isEqualTo(-1));
        }
    }

    @Test
    void whereNoLocalWriterHasWrittenTheSumsAreWhatTheyWere() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(8, 1 << 20));
            fixture.change(
                    KEY,
                    replica -> {
                        replica.beginLocalWriting();
                        replica.beginLocalWriting();
                        replica.endLocalWriting(false);
                        assertThat(replica.isLocallyChanged()).isTrue();
                        replica.endLocalWriting(false);
                        assertThat(replica.isLocallyChanged()).isFalse();
                    });
            damageIsFound(fixture);
        }
    }

    @Test
    void oneOfSeveralLocalWritersWhoHasWrittenIsEnough() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(9, 1 << 20));
            fixture.change(
                    KEY,
                    replica -> {
                        replica.beginLocalWriting();
                        replica.endLocalWriting(true);
                        replica.beginLocalWriting();
                        replica.endLocalWriting(false);
                        assertThat(replica.isLocallyChanged()).isTrue();
                    });
            behindItsBack(fixture, 100_000, new byte[] {1, 2, 3}, 1 << 20);
            Seen seen = new Seen();
            rescan(fixture, seen);
            assertThat(seen.changed).containsExactly(65_536L);
        }
    }

    @Test
    void forgottenSumsMakeEveryBlockCountAsChanged() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(7, 300_000));
            fixture.change(KEY, Replica::forgetSums);
            Seen seen = new Seen();
            rescan(fixture, seen);
            assertThat(seen.changed).hasSize(5);
        }
    }

    @Test
    void whatIsLeftChangedDuringAPassIsSummedByALaterOne() throws IOException {
        int size = 3 << 20; // three turns of a pass
        byte[] late = random(11, 100);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(10, size));
            fixture.change(KEY, Replica::beginLocalWriting);
            fixture.change(KEY, replica -> replica.endLocalWriting(true));
            long[] next = {0};
            fixture.change(KEY, replica -> next[0] = replica.rescan(0, ChangedBlocks.IGNORED));
            assertThat(next[0]).isPositive();
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, 0, late, size);
            fixture.change(KEY, replica -> replica.endLocalWriting(true));
            fixture.change(
                    KEY,
                    replica -> {
                        while (next[0] >= 0) {
                            next[0] = replica.rescan(next[0], ChangedBlocks.IGNORED);
                        }
                        assertThat(replica.isLeftChanged()).isTrue();
                    });
            assertThat(fixture.read(KEY, 0, 100)).isEqualTo(late);
            fixture.change(KEY, Replica::rescanAll);
            fixture.change(KEY, replica -> assertThat(replica.isLeftChanged()).isFalse());
            assertThat(fixture.read(KEY, 0, 100)).isEqualTo(late);
        }
    }

    @Test
    void ofTwoPassesOnlyTheLaterOneCounts() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(12, 3 << 20));
            fixture.change(
                    KEY,
                    replica -> {
                        replica.beginLocalWriting();
                        replica.endLocalWriting(true);
                        long first = replica.rescan(0, ChangedBlocks.IGNORED);
                        first = replica.rescan(first, ChangedBlocks.IGNORED);
                        long second = replica.rescan(0, ChangedBlocks.IGNORED);
                        assertThat(replica.rescan(first, ChangedBlocks.IGNORED)).isEqualTo(-1);
                        assertThat(replica.isLeftChanged()).isTrue();
                        while (second >= 0) {
                            second = replica.rescan(second, ChangedBlocks.IGNORED);
                        }
                        assertThat(replica.isLeftChanged()).isFalse();
                    });
        }
    }

    @Test
    void whatALocalWriterLeftIsSummedUnaskedWhenItHasRested() throws IOException {
        StoreLimits quick = new StoreLimits(8, 2, Duration.ofMillis(20), Duration.ofMillis(40));
        byte[] part = random(14, 100);
        int size = 3 << 20;
        try (StoreFixture fixture =
                new StoreFixture(List.of(directory), LinuxDisk.orPortable(), quick, 1)) {
            fixture.write(KEY, 0, random(13, size));
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, size - 100, part, size);
            fixture.change(KEY, replica -> replica.endLocalWriting(true));
            assertThat(fixture.store.sumLater(KEY)).isTrue();
            assertThat(fixture.read(KEY, size - 100, 100)).isEqualTo(part);
            await("summed and settled").until(() -> !isDirty(fixture));
            assertThat(fixture.read(KEY, size - 100, 100)).isEqualTo(part);
            behindItsBack(fixture, 100_000, new byte[] {1, 2, 3}, size);
            fixture.change(KEY, replica -> assertThat(replica.firstBad(0, 100)).isEqualTo(1));
        }
    }

    private static boolean isDirty(StoreFixture fixture) {
        return StoreFixture.wait(fixture.store.read(KEY, Replica::isDirty));
    }

    @Test
    void whoAsksForADigestBeforeTheSumsAreTakenGetsThatOfTheBytes() throws IOException {
        byte[] after = random(15, 2 << 20);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, new byte[2 << 20]);
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, 0, after, after.length);
            fixture.change(KEY, replica -> replica.endLocalWriting(true));
            Verifier.Result result =
                    StoreFixture.wait(
                            new Verifier(fixture.store).verify(KEY, Verifier.UNTHROTTLED));
            assertThat(result.badBlocks()).isEmpty();
            assertThat(result.digest())
                    .isEqualTo(ContentDigest.of(new ByteBuffer[] {ByteBuffer.wrap(after)}));
        }
    }

    /** He closed the file, which the metaserver knows; his grant is on its way back. */
    @Test
    void whoAsksForADigestBeforeTheGrantIsBackGetsThatOfTheBytes() throws Exception {
        byte[] after = new byte[5 << 20];
        System.arraycopy(random(16, 1 << 20), 0, after, 3 << 20, 1 << 20);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, random(17, 1 << 20));
            fixture.change(KEY, Replica::beginLocalWriting);
            behindItsBack(fixture, 0, new byte[1 << 20], 5 << 20);
            behindItsBack(fixture, 3 << 20, Arrays.copyOfRange(after, 3 << 20, 4 << 20), 5 << 20);
            Verifier.Result result = StoreFixture.wait(new Verifier(fixture.store).digest(KEY));
            assertThat(result.digest())
                    .isEqualTo(ContentDigest.of(new ByteBuffer[] {ByteBuffer.wrap(after)}));
        }
    }
}
