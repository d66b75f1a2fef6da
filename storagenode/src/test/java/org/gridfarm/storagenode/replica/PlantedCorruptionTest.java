package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.PortableDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damage of many kinds done to the files of a store at rest: all of it must be found, and no wrong
 * byte be read.
 */
class PlantedCorruptionTest {
    private static final int DAMAGES = Tier.count("store.corruptions");
    private static final int BATCH = 60;

    @TempDir Path directory;

    @Test
    void everyPlantedCorruptionIsDetected() throws IOException {
        long seed = Tier.seed(7);
        Random random = new Random(seed);
        int[] kinds = new int[9];
        PortableDisk quick = // nothing is cut off here, and thousands of syncs would take minutes
                new PortableDisk() {
                    @Override
                    public void force(FileChannel channel) {}

                    @Override
                    public void forceDirectory(Path path) {}
                };
        try (StoreFixture fixture =
                new StoreFixture(
                        List.of(directory),
                        quick,
                        new StoreLimits(8, 2, Duration.ofHours(1), Duration.ofHours(1)),
                        1)) {
            for (int batch = 0; batch < DAMAGES / BATCH; batch++) {
                List<byte[]> contents = new ArrayList<>();
                for (int i = 0; i < BATCH; i++) {
                    byte[] content = content(random);
                    contents.add(content);
                    write(fixture, key(batch, i), content);
                    write(fixture, neighbour(batch, i), content(random));
                }
                fixture.kill(1); // closes every file; all is settled
                int[] did = new int[BATCH];
                for (int i = 0; i < BATCH; i++) {
                    did[i] =
                            damage(
                                    fixture,
                                    key(batch, i),
                                    neighbour(batch, i),
                                    contents.get(i).length,
                                    random);
                    kinds[did[i]]++;
                }
                for (int i = 0; i < BATCH; i++) {
                    String what =
                            "seed " + seed + " batch " + batch + " object " + i + " kind " + did[i];
                    assertThat(isFound(fixture, key(batch, i), contents.get(i))).as(what).isTrue();
                }
            }
        }
        assertThat(Arrays.stream(kinds).min().orElse(0)).as("every kind was tried").isPositive();
    }

    private static ObjectKey key(int batch, int number) {
        return new ObjectKey(batch * BATCH + number, 0, 3);
    }

    /** Lies beside it, for what is to be swapped. */
    private static ObjectKey neighbour(int batch, int number) {
        return new ObjectKey(batch * BATCH + number, 1, 3);
    }

    private static void write(StoreFixture fixture, ObjectKey key, byte[] content) {
        fixture.write(key, 0, content);
        fixture.change(key, Replica::settle);
    }

    private static byte[] content(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 3000 : 250_000)];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * Whether a full verification or the reading of all of it fails; reading must never give
     * anything else than was written.
     */
    private static boolean isFound(StoreFixture fixture, ObjectKey key, byte[] content) {
        boolean found;
        try {
            Verifier.Result result =
                    StoreFixture.wait(
                            new Verifier(fixture.store).verify(key, Verifier.UNTHROTTLED));
            found = !result.badBlocks().isEmpty();
        } catch (FarmException e) {
            assertThat(e.kind()).isIn(ErrorKind.CORRUPT, ErrorKind.OBJECT_ABSENT);
            return true;
        }
        try {
            assertThat(fixture.readAll(key)).isEqualTo(content);
        } catch (FarmException e) {
            assertThat(e.kind()).isIn(ErrorKind.CORRUPT, ErrorKind.OBJECT_ABSENT);
        }
        return found;
    }

    private static int damage(
            StoreFixture fixture, ObjectKey key, ObjectKey other, int size, Random random)
            throws IOException {
        Path data = ReplicaStore.path(fixture.store.disks().get(0), key);
        Path sums = ReplicaFiles.sumPath(data);
        Path otherData = ReplicaStore.path(fixture.store.disks().get(0), other);
        Path otherSums = ReplicaFiles.sumPath(otherData);
        int kind = random.nextInt(9);
        switch (kind) {
            case 0 -> flip(data, random.nextInt(size), 1 << random.nextInt(8));
            case 1 -> resize(data, random.nextInt(size)); // cut off
            case 2 -> resize(data, size + 1 + random.nextInt(100_000)); // grown by a hole
            case 3 -> swap(data, otherData); // another file's bytes
            case 4 -> { // another file altogether
                swap(data, otherData);
                swap(sums, otherSums);
            }
            case 5 -> flip(sums, random.nextInt(64), 1 << random.nextInt(8)); // the header
            case 6 -> // a sum that is in use
                    flip(
                            sums,
                            64 + random.nextInt((int) (4L * ((size + 65535) / 65536))),
                            1 << random.nextInt(8));
            case 7 -> { // the sums lost, or cut off
                if (random.nextBoolean()) {
                    Files.delete(sums);
                } else {
                    resize(sums, random.nextInt(64));
                }
            }
            default -> { // two blocks in each other's place, or a block of zeros
                if (size > 2 * 65536) {
                    swapBlocks(data);
                } else {
                    try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
                        file.write(new byte[Math.min(size, 65536)]);
                    }
                    flip(data, size - 1, 1); // content may have been zeros
                }
            }
        }
        return kind;
    }

    private static void flip(Path file, long at, int mask) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(at);
            int octet = access.read();
            access.seek(at);
            access.write((octet < 0 ? 0 : octet) ^ mask);
        }
    }

    private static void resize(Path file, long size) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(size);
        }
    }

    private static void swap(Path a, Path b) throws IOException {
        Path between = a.resolveSibling("between");
        Files.move(a, between);
        Files.move(b, a);
        Files.move(between, b, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void swapBlocks(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        byte[] first = Arrays.copyOf(bytes, 65536);
        System.arraycopy(bytes, 65536, bytes, 0, 65536);
        System.arraycopy(first, 0, bytes, 65536, 65536);
        Files.write(file, bytes);
    }
}
