package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A little data far out in a file that is all holes else: what a node does for it follows the data,
 * and not the size of the file, which anybody may choose.
 */
class SparseTest {
    private static final ObjectKey KEY = new ObjectKey(95, 0, 1);
    private static final long FAR = (16L << 40) - (12 << 10); // the last page that ext4 has is next
    private static final byte[] DATA = new byte[4096];

    static {
        new Random(5).nextBytes(DATA);
    }

    @TempDir Path directory;

    private Path file(StoreFixture fixture, ObjectKey key) {
        return ReplicaStore.path(fixture.store.disks().get(0), key);
    }

    /** What the files take on disk, sums and all. */
    private long allocated(StoreFixture fixture, Path file) throws IOException {
        long all = 0;
        for (Path one : List.of(file, ReplicaFiles.sumPath(file))) {
            try (var channel = java.nio.channels.FileChannel.open(one)) {
                all += fixture.store.disks().get(0).calls().allocated(one, channel);
            }
        }
        return all;
    }

    private static long pagesHeld(StoreFixture fixture) {
        return StoreFixture.wait(fixture.store.read(KEY, replica -> (long) replica.sumsHeld()));
    }

    private static byte[] digest(StoreFixture fixture, ObjectKey key) {
        return StoreFixture.wait(
                fixture.store.change(key, ReplicaStore.IfAbsent.FAIL, Replica::digest));
    }

    private static final class Seen implements ChangedBlocks {
        final List<Long> changed = new ArrayList<>();
        final List<String> zeroed = new ArrayList<>();

        @Override
        public void changed(long offset, ByteBuffer content) {
            changed.add(offset);
        }

        @Override
        public void zeroed(long offset, long length) {
            zeroed.add(offset + "+" + length);
        }
    }

    private static void rescanAll(Replica replica, ChangedBlocks seen, boolean show)
            throws IOException {
        for (long block = 0; block >= 0; ) {
            block = show ? replica.show(block, seen) : replica.rescan(block, seen);
        }
    }

    @Test
    void aPageFarOutIsWrittenSyncedDigestedVerifiedAndFoundAgain() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, FAR, DATA);
            fixture.change(KEY, Replica::sync);
            byte[] digest = digest(fixture, KEY);
            assertThat(pagesHeld(fixture)).isLessThanOrEqualTo(2);
            assertThat(allocated(fixture, file(fixture, KEY))).isLessThan(64 << 10);
            Verifier.Result verified =
                    StoreFixture.wait(
                            new Verifier(fixture.store).verify(KEY, Verifier.UNTHROTTLED));
            assertThat(verified.badBlocks()).isEmpty();
            assertThat(verified.digest()).isEqualTo(digest);
            fixture.restart();
            assertThat(fixture.read(KEY, FAR, 4096)).isEqualTo(DATA);
            assertThat(digest(fixture, KEY)).isEqualTo(digest);
            fixture.write(KEY, FAR, DATA);
            fixture.kill(2);
            assertThat(digest(fixture, KEY)).isEqualTo(digest);
            assertThat(fixture.corrupt).isEmpty();
        }
    }

    /** The node is told nothing of what is written, and sums all of it when it is shipped. */
    @Test
    void whatSomebodyWritesFarOutBehindItsBackIsShippedWithoutItsHoles() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(KEY, Replica::beginLocalWriting);
            try (RandomAccessFile file = new RandomAccessFile(file(fixture, KEY).toFile(), "rw")) {
                file.seek(FAR);
                file.write(DATA);
            }
            Seen changes = new Seen();
            fixture.change(KEY, replica -> rescanAll(replica, changes, false));
            assertThat(changes.changed).containsExactly(Blocks.start(Blocks.of(FAR)));
            assertThat(changes.zeroed).isEmpty();

            fixture.change(KEY, Replica::forgetSums); // for a member that may lack any block
            assertThat(pagesHeld(fixture)).isLessThanOrEqualTo(3);
            Seen all = new Seen();
            fixture.change(KEY, replica -> rescanAll(replica, all, false));
            assertThat(all.changed).containsExactly(Blocks.start(Blocks.of(FAR)));
            assertThat(all.zeroed).containsExactly("0+" + Blocks.start(Blocks.of(FAR)));

            fixture.change(KEY, Replica::forgetSums);
            fixture.change(KEY, Replica::sync); // takes all sums that it lacks
            fixture.change(KEY, replica -> replica.endLocalWriting(true));
            fixture.change(KEY, replica -> rescanAll(replica, ChangedBlocks.IGNORED, false));
            Seen shown = new Seen();
            fixture.change(KEY, replica -> rescanAll(replica, shown, true)); // for a new member
            assertThat(shown.changed).isEqualTo(all.changed);
            assertThat(shown.zeroed).isEqualTo(all.zeroed);

            fixture.change(KEY, Replica::checkpoint);
            byte[] digest = digest(fixture, KEY);
            ObjectKey sealed = KEY.withGeneration(2);
            assertThat(StoreFixture.wait(fixture.store.seal(KEY, 2, 0))).isTrue();
            assertThat(digest(fixture, sealed)).isEqualTo(digest);
            assertThat(allocated(fixture, file(fixture, sealed))).isLessThan(64 << 10);
        }
    }

    @Test
    void aHugeSizeAloneCostsNothingAndIsGivenBack() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, DATA);
            byte[] small = digest(fixture, KEY);
            fixture.change(KEY, replica -> replica.truncate(FAR));
            byte[] long1 = digest(fixture, KEY);
            assertThat(long1).isNotEqualTo(small);
            fixture.change(KEY, replica -> replica.zero(1 << 20, FAR - (1 << 20), true));
            fixture.change(KEY, Replica::settle);
            assertThat(digest(fixture, KEY)).isEqualTo(long1);
            fixture.write(KEY, FAR / 2, DATA);
            fixture.change(KEY, replica -> replica.zero(4096, FAR, true)); // takes it away again
            assertThat(digest(fixture, KEY)).isEqualTo(long1);
            fixture.change(KEY, replica -> replica.truncate(4096));
            assertThat(digest(fixture, KEY)).isEqualTo(small);
            assertThat(pagesHeld(fixture)).isEqualTo(1);
            assertThat(Files.size(ReplicaFiles.sumPath(file(fixture, KEY))))
                    .isLessThanOrEqualTo(4096);
        }
    }

    @Test
    void noCallMakesAReplicaLongerThanAnyMayBe() throws IOException {
        long max = 16L << 40;
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, DATA);
            for (StoreFixture.Step step :
                    List.<StoreFixture.Step>of(
                            replica -> replica.truncate(max + 1),
                            replica -> replica.zero(max, 1, false),
                            replica -> replica.allocate(max, 1, false),
                            replica -> replica.allocate(0, max + 1, true))) {
                assertThatThrownBy(() -> fixture.change(KEY, step))
                        .isInstanceOf(FarmException.class)
                        .hasMessageContaining("file too large");
            }
            assertThat(fixture.readAll(KEY)).isEqualTo(DATA);
        }
    }

    /** The kernel would fill the whole disk before it says that it is full. */
    @Test
    void aRangeOfHolesIsNotReservedWhereTheDiskHasNoRoomForIt() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(KEY, replica -> replica.truncate(FAR));
            assertThatThrownBy(
                            () -> fixture.change(KEY, replica -> replica.allocate(0, FAR, false)))
                    .isInstanceOf(FarmException.class)
                    .hasMessageContaining("no space left");
            assertThat(allocated(fixture, file(fixture, KEY))).isLessThan(64 << 10);
        }
    }

    /** Each of them is a place of its own in memory, until their sums are taken at once. */
    @Test
    void partsOfManyBlocksFarApartAreNotRememberedOneByOne() throws IOException {
        byte[] part = {1, 2, 3};
        int parts = 1500;
        long step = FAR / parts;
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(
                    KEY,
                    replica -> {
                        for (int i = 0; i < parts; i++) {
                            replica.write(new ByteBuffer[] {ByteBuffer.wrap(part)}, step * i + 5);
                            assertThat(replica.sumsHeld()).isLessThanOrEqualTo(600);
                        }
                        replica.checkpoint();
                        assertThat(replica.sumsHeld()).isLessThanOrEqualTo(16);
                    });
            byte[] digest = digest(fixture, KEY);
            fixture.kill(1);
            fixture.change(KEY, replica -> replica.truncate(FAR)); // what was summed is to be right
            Verifier.Result result =
                    StoreFixture.wait(
                            new Verifier(fixture.store).verify(KEY, Verifier.UNTHROTTLED));
            assertThat(result.badBlocks()).isEmpty();
            assertThat(digest).hasSize(32);
        }
    }

    @Test
    void damageInAHoleAndInDataFarOutIsFound() throws IOException {
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.write(KEY, 0, DATA);
            fixture.write(KEY, FAR, DATA);
            fixture.change(KEY, Replica::settle);
            try (RandomAccessFile file = new RandomAccessFile(file(fixture, KEY).toFile(), "rw")) {
                file.seek(FAR / 2);
                file.write(1);
                file.seek(FAR);
                file.write(new byte[4096]);
            }
            Verifier.Result result =
                    StoreFixture.wait(
                            new Verifier(fixture.store).verify(KEY, Verifier.UNTHROTTLED));
            assertThat(result.badBlocks()).containsExactly(Blocks.of(FAR / 2), Blocks.of(FAR));
        }
    }
}
