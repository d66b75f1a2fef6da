package org.gridfarm.client.cli.bench.opens;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.SplittableRandom;

/** What is done between one open of a file and its close. */
enum Shape {
    READ("open, read 4 KiB, close", Set.of(StandardOpenOption.READ)) {
        @Override
        void use(FileChannel file, SplittableRandom random) throws IOException {
            file.read(ByteBuffer.allocateDirect(BLOCK), place(file.size(), BLOCK, random));
        }
    },
    NOTHING("open for writing, close", readWrite()) {
        @Override
        void use(FileChannel file, SplittableRandom random) {}
    },
    CHANGE("open, write 4 KiB, close", readWrite()) {
        @Override
        void use(FileChannel file, SplittableRandom random) throws IOException {
            write(file, BLOCK, place(file.size(), BLOCK, random));
        }
    },
    APPEND("open, append 1 MiB, close", readWrite()) {
        @Override
        void use(FileChannel file, SplittableRandom random) throws IOException {
            write(file, MEGABYTE, file.size());
        }
    },
    ITERATION("iteration of Cactus with HDF5", readWrite()) {
        @Override
        void use(FileChannel file, SplittableRandom random) throws IOException {
            long size = file.size();
            for (int i = 0; i < SMALL_READS; i++) {
                file.read(ByteBuffer.allocateDirect(SMALL), place(size, SMALL, random));
            }
            write(file, MEGABYTE, size);
            for (int i = 0; i < SMALL_WRITES; i++) {
                write(file, SMALL, place(size, SMALL, random));
            }
        }
    };

    private static final int BLOCK = 4 << 10;
    private static final int MEGABYTE = 1 << 20;
    private static final int SMALL = 512;
    private static final int SMALL_READS = 20;
    private static final int SMALL_WRITES = 10;

    final String label;
    private final Set<OpenOption> options;

    Shape(String label, Set<? extends OpenOption> options) {
        this.label = label;
        this.options = Set.copyOf(options);
    }

    private static Set<OpenOption> readWrite() {
        return Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    abstract void use(FileChannel file, SplittableRandom random) throws IOException;

    /** Nanoseconds from the open to the end of the close. */
    final long once(Path path, SplittableRandom random) throws IOException {
        long from = System.nanoTime();
        try (FileChannel file = FileChannel.open(path, options)) {
            use(file, random);
        }
        return System.nanoTime() - from;
    }

    private static long place(long size, int length, SplittableRandom random) {
        return random.nextLong(Math.max(1, size - length));
    }

    private static void write(FileChannel file, int length, long at) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(length);
        for (long position = at; bytes.hasRemaining(); ) {
            position += file.write(bytes, position);
        }
    }
}
