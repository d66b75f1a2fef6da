package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * Seeded random operations on a replica and on a byte array, which must stay the same through
 * restarts, kills and seals.
 */
class ReplicaModelTest {
    private static final int SIZE_MAX = 300_000;

    @TempDir Path directory;

    private byte[] model = new byte[0];

    @Test
    void aReplicaBehavesAsAByteArrayThroughRestartsAndKills() throws IOException {
        long seed = Tier.seed(42);
        int steps = Tier.count("replica.steps");
        Random random = new Random(seed);
        ObjectKey key = new ObjectKey(0x1234, 0, 1);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(key, replica -> {});
            for (int step = 0; step < steps; step++) {
                String did = step(fixture, key, random);
                if (did.equals("seal")) {
                    key = key.withGeneration(key.generation() + 1);
                }
                if (step % 16 == 0) {
                    assertThat(fixture.readAll(key))
                            .as("seed %d step %d after %s", seed, step, did)
                            .isEqualTo(model);
                }
            }
            fixture.change(key, Replica::settle);
            long bad =
                    StoreFixture.wait(
                            fixture.store.read(
                                    key, replica -> replica.firstBad(0, Long.MAX_VALUE)));
            assertThat(bad).isEqualTo(-1);
            assertThat(fixture.corrupt).isEmpty();
        }
    }

    /** As of a disk image, on a disk that has less room than the image has holes. */
    @Test
    void aWriteFarBehindTheEndTakesOnlyTheRoomOfItsBytes() throws IOException {
        ObjectKey key = new ObjectKey(0x99, 0, 1);
        byte[] bytes = {1, 2, 3};
        long far = 8L << 40;
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            assertThat(directory.toFile().getUsableSpace()).isLessThan(far);
            fixture.write(key, 0, bytes);
            fixture.write(key, far, bytes);
            assertThat(fixture.read(key, far, 10)).isEqualTo(bytes);
            assertThat(fixture.read(key, far - 5, 5)).isEqualTo(new byte[5]);
            fixture.change(key, Replica::settle);
            fixture.restart();
            assertThat(fixture.read(key, far, 10)).isEqualTo(bytes);
            assertThat(fixture.read(key, 0, 4)).isEqualTo(new byte[] {1, 2, 3, 0});
            assertThatThrownBy(() -> fixture.write(key, 1L << 62, bytes))
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.FILE_TOO_LARGE));
            assertThat(fixture.read(key, far, 10)).isEqualTo(bytes);
        }
    }

    /** Other handles of the file go through the node while one writes into the plain file. */
    @Test
    void changesBesideALocalWriterFollowTheFile() throws IOException {
        ObjectKey key = new ObjectKey(0x77, 0, 1);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            fixture.change(key, Replica::beginLocalWriting);
            writePlain(fixture, key, 0, 100_000);
            fixture.change(
                    key,
                    replica -> {
                        replica.truncate(90_000); // within a block that has no sum yet
                        replica.zero(10_000, 5_000, true);
                        replica.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[7])}, 80_000);
                    });
            writePlain(fixture, key, 95_000, 10);
            fixture.change(
                    key,
                    replica -> {
                        assertThat(replica.size()).isEqualTo(95_010);
                        replica.endLocalWriting(true);
                        for (long next = 0; next >= 0; ) {
                            next = replica.rescan(next, ChangedBlocks.IGNORED);
                        }
                        assertThat(replica.firstBad(0, Long.MAX_VALUE)).isEqualTo(-1);
                    });
            byte[] expected = new byte[95_010];
            Arrays.fill(expected, 0, 90_000, (byte) 1);
            Arrays.fill(expected, 10_000, 15_000, (byte) 0);
            Arrays.fill(expected, 80_000, 80_007, (byte) 0);
            Arrays.fill(expected, 95_000, 95_010, (byte) 1);
            assertThat(fixture.readAll(key)).isEqualTo(expected);
            assertThat(fixture.corrupt).isEmpty();
        }
    }

    private static void writePlain(StoreFixture fixture, ObjectKey key, int at, int length)
            throws IOException {
        byte[] ones = new byte[length];
        Arrays.fill(ones, (byte) 1);
        fixture.change(
                key,
                replica -> {
                    try (RandomAccessFile file =
                            new RandomAccessFile(replica.path().toFile(), "rw")) {
                        file.seek(at);
                        file.write(ones);
                    }
                });
    }

    private String step(StoreFixture fixture, ObjectKey key, Random random) throws IOException {
        int offset = random.nextInt(SIZE_MAX);
        if (random.nextInt(3) == 0) {
            offset = offset / 65536 * 65536;
        }
        int length = random.nextInt(4) == 0 ? random.nextInt(150_000) : random.nextInt(9000);
        int end = offset + length;
        int at = offset;
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                fixture.write(key, at, bytes);
                if (length > 0) {
                    model = Arrays.copyOf(model, Math.max(model.length, end));
                    System.arraycopy(bytes, 0, model, at, length);
                }
                return "write";
            }
            case 3 -> {
                fixture.change(key, replica -> replica.truncate(at));
                model = Arrays.copyOf(model, at);
                return "truncate";
            }
            case 4, 5 -> {
                boolean keep = random.nextBoolean();
                if (length == 0) {
                    return "nothing";
                }
                fixture.change(key, replica -> replica.zero(at, length, keep));
                if (at < model.length) {
                    Arrays.fill(model, at, Math.min(model.length, end), (byte) 0);
                }
                model = keep ? model : Arrays.copyOf(model, Math.max(model.length, end));
                return "zero";
            }
            case 6 -> {
                boolean keep = random.nextBoolean();
                if (length == 0) {
                    return "nothing";
                }
                fixture.change(key, replica -> replica.allocate(at, length, keep));
                model = keep ? model : Arrays.copyOf(model, Math.max(model.length, end));
                return "allocate";
            }
            case 7 -> {
                fixture.change(key, Replica::sync);
                return "sync";
            }
            case 8 -> {
                fixture.change(key, Replica::checkpoint);
                return "checkpoint";
            }
            case 9 -> {
                if (random.nextInt(4) == 0) {
                    fixture.restart();
                    return "restart";
                }
                fixture.change(key, Replica::settle);
                return "settle";
            }
            case 10 -> {
                if (random.nextInt(4) != 0) {
                    return "nothing";
                }
                fixture.kill(random.nextInt(3) + 1);
                return "kill";
            }
            case 11 -> {
                if (random.nextInt(4) != 0) {
                    return "nothing";
                }
                assertThat(StoreFixture.wait(fixture.store.seal(key, key.generation() + 1, 0)))
                        .isTrue();
                return "seal";
            }
            case 12 -> {
                writeBehindItsBack(fixture, key, at, length, random);
                return "local write";
            }
            default -> {
                int to = Math.min(end, model.length);
                byte[] expected = at < to ? Arrays.copyOfRange(model, at, to) : new byte[0];
                assertThat(fixture.read(key, at, length)).isEqualTo(expected);
                return "read";
            }
        }
    }

    /** As a local writer does, through the plain file. */
    private void writeBehindItsBack(
            StoreFixture fixture, ObjectKey key, int at, int length, Random random) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        boolean cut = random.nextInt(3) == 0;
        fixture.change(
                key,
                replica -> {
                    replica.beginLocalWriting();
                    try (RandomAccessFile file =
                            new RandomAccessFile(replica.path().toFile(), "rw")) {
                        file.seek(at);
                        file.write(bytes);
                        if (cut) {
                            file.setLength(at / 2);
                        }
                    }
                    replica.endLocalWriting(true);
                    for (long next = 0; next >= 0; ) {
                        next = replica.rescan(next, ChangedBlocks.IGNORED);
                    }
                });
        if (length > 0) {
            model = Arrays.copyOf(model, Math.max(model.length, at + length));
            System.arraycopy(bytes, 0, model, at, length);
        }
        model = cut ? Arrays.copyOf(model, at / 2) : model;
    }
}
