package org.gridfarm.test.faults;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;

/** Kinds of damage to a replica's files at rest; each leaves something else than was written. */
enum Damage {
    BIT {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            flip(data, (long) (random.nextDouble() * Files.size(data)), random);
        }
    },
    CUT_OFF {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            resize(data, (long) (random.nextDouble() * Files.size(data)));
        }
    },
    GROWN {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            resize(data, Files.size(data) + 1 + random.nextInt(100_000));
        }
    },
    /** Where there is but one block, its bytes. */
    SWAPPED_BLOCKS {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            byte[] bytes = Files.readAllBytes(data);
            int unit = bytes.length >= 2 * BLOCK ? BLOCK : bytes.length / 2;
            for (int i = 0; i < unit; i++) {
                byte first = bytes[i];
                bytes[i] = bytes[unit + i];
                bytes[unit + i] = first;
            }
            Files.write(data, bytes);
        }
    },
    SWAPPED_BYTES_OF_FILES {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            Files.copy(other, data, StandardCopyOption.REPLACE_EXISTING);
        }
    },
    SWAPPED_FILES {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            Files.copy(other, data, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(sums(other), sums(data), StandardCopyOption.REPLACE_EXISTING);
        }
    },
    HEADER_OF_SUMS {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            flip(sums(data), random.nextInt(SUMS_HEADER), random);
        }
    },
    SUM {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            flip(sums(data), SUMS_HEADER + random.nextInt(4), random);
        }
    },
    SUMS_LOST {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            Files.delete(sums(data));
        }
    },
    FILE_LOST {
        @Override
        void doTo(Path data, Path other, Random random) throws IOException {
            Files.delete(data);
        }
    };

    private static final int BLOCK = 64 << 10;
    private static final int SUMS_HEADER = 64;

    /**
     * @param data of the replica
     * @param other data of a replica of another object with other content
     */
    abstract void doTo(Path data, Path other, Random random) throws IOException;

    static Path sums(Path data) {
        return data.resolveSibling(data.getFileName() + ".sum");
    }

    private static void flip(Path file, long at, Random random) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.seek(at);
            int octet = Math.max(0, access.read());
            access.seek(at);
            access.write(octet ^ (1 << random.nextInt(8)));
        }
    }

    private static void resize(Path file, long size) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(size);
        }
    }
}
