package org.gridfarm.client.cli.bench.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Something that programs do to files, measured at a door.
 *
 * @param unit of the rate
 */
record Task(String name, String unit, Rate rate) {
    static final int MIB = 1 << 20;
    static final String LISTED = "listed";

    static final String SEQUENTIAL_WRITE = "sequential write";
    static final String SEQUENTIAL_READ = "sequential read";
    static final String RANDOM_WRITE = "random write of 4 KiB";
    static final String RANDOM_READ = "random read of 4 KiB";
    static final String STREAM_WRITE = "stream write";
    static final String STREAM_READ = "stream read";
    static final String LIST = "list";
    static final String LIST_AGAIN = "list again";

    private static final int BLOCK = 4 << 10;
    private static final int STREAM_PIECE = 64 << 10;

    /** How much is done. */
    record Volume(int mebibytes, int files, int entries) {
        int blocks() {
            return mebibytes * 16;
        }
    }

    /** How fast it was. */
    interface Rate {
        double at(Door door) throws IOException;
    }

    private interface Work {
        void run() throws IOException;
    }

    private static double perSecond(double count, Work work) throws IOException {
        long from = System.nanoTime();
        work.run();
        return count / ((System.nanoTime() - from) / 1e9);
    }

    /** In an order in which each finds the files of those before it. */
    static List<Task> all(Volume volume) {
        List<Task> all = new ArrayList<>(large(volume));
        all.addAll(streams(volume));
        for (Crew crew : Crew.values()) {
            all.add(new Task(written(crew), "files/s", door -> writeSmall(door, crew, volume)));
            all.add(new Task(read(crew), "files/s", door -> readSmall(door, crew, volume)));
        }
        all.add(new Task(LIST, "entries/s", door -> list(door, volume)));
        all.add(new Task(LIST_AGAIN, "entries/s", door -> list(door, volume)));
        return all;
    }

    static String written(Crew crew) {
        return "small files written, " + crew.label;
    }

    static String read(Crew crew) {
        return "small files read, " + crew.label;
    }

    private static List<Task> large(Volume volume) {
        double megabytes = volume.mebibytes() * (MIB / 1e6);
        return List.of(
                new Task(
                        SEQUENTIAL_WRITE,
                        "MB/s",
                        door -> perSecond(megabytes, () -> write(door, volume))),
                new Task(
                        SEQUENTIAL_READ,
                        "MB/s",
                        door -> perSecond(megabytes, () -> read(door, volume))),
                new Task(
                        RANDOM_WRITE,
                        "ops/s",
                        door -> perSecond(volume.blocks(), () -> writeBlocks(door, volume))),
                new Task(
                        RANDOM_READ,
                        "ops/s",
                        door -> perSecond(volume.blocks(), () -> readBlocks(door, volume))));
    }

    private static void write(Door door, Volume volume) throws IOException {
        ByteBuffer piece = random(MIB);
        try (Door.Opened file = door.make("large")) {
            for (int i = 0; i < volume.mebibytes(); i++) file.write((long) i * MIB, piece.rewind());
        }
    }

    private static void read(Door door, Volume volume) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(MIB);
        try (Door.Opened file = door.openToRead("large")) {
            for (int i = 0; i < volume.mebibytes(); i++) file.read((long) i * MIB, piece.clear());
        }
    }

    private static void writeBlocks(Door door, Volume volume) throws IOException {
        ByteBuffer block = random(BLOCK);
        SplittableRandom random = new SplittableRandom(1);
        try (Door.Opened file = door.open("large")) {
            for (int i = 0; i < volume.blocks(); i++) {
                file.write(place(random, volume), block.rewind());
            }
        }
    }

    private static void readBlocks(Door door, Volume volume) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        SplittableRandom random = new SplittableRandom(2);
        try (Door.Opened file = door.openToRead("large")) {
            for (int i = 0; i < volume.blocks(); i++) {
                file.read(place(random, volume), block.clear());
            }
        }
    }

    private static long place(SplittableRandom random, Volume volume) {
        return random.nextLong((long) volume.mebibytes() * MIB / BLOCK) * BLOCK;
    }

    private static List<Task> streams(Volume volume) {
        double megabytes = volume.mebibytes() * (MIB / 1e6);
        int pieces = volume.mebibytes() * (MIB / STREAM_PIECE);
        return List.of(
                new Task(
                        STREAM_WRITE,
                        "MB/s",
                        door -> perSecond(megabytes, () -> pour(door, pieces))),
                new Task(
                        STREAM_READ,
                        "MB/s",
                        door -> perSecond(megabytes, () -> drain(door, pieces))));
    }

    private static void pour(Door door, int pieces) throws IOException {
        byte[] piece = new byte[STREAM_PIECE];
        random(STREAM_PIECE).get(piece);
        try (OutputStream out = door.output("streamed")) {
            for (int i = 0; i < pieces; i++) out.write(piece);
        }
    }

    private static void drain(Door door, int pieces) throws IOException {
        byte[] piece = new byte[STREAM_PIECE];
        try (InputStream in = door.input("streamed")) {
            for (int i = 0; i < pieces; i++) {
                if (in.readNBytes(piece, 0, piece.length) < piece.length) {
                    throw new IOException("the stream ends early");
                }
            }
        }
    }

    private static double writeSmall(Door door, Crew crew, Volume volume) throws IOException {
        ByteBuffer bytes = random(BLOCK);
        door.makeDirectory(crew.name());
        return perSecond(
                volume.files(),
                () ->
                        crew.each(
                                volume.files(),
                                i -> {
                                    try (Door.Opened file = door.make(small(crew, i))) {
                                        file.write(0, bytes.duplicate());
                                    }
                                }));
    }

    private static double readSmall(Door door, Crew crew, Volume volume) throws IOException {
        return perSecond(
                volume.files(),
                () ->
                        crew.each(
                                volume.files(),
                                i -> {
                                    try (Door.Opened file = door.openToRead(small(crew, i))) {
                                        file.read(0, ByteBuffer.allocate(BLOCK));
                                    }
                                }));
    }

    private static String small(Crew crew, int file) {
        return crew.name() + "/" + file;
    }

    private static double list(Door door, Volume volume) throws IOException {
        return perSecond(
                volume.entries(),
                () -> {
                    long entries = door.list("../" + LISTED);
                    if (entries != volume.entries()) {
                        throw new IOException(entries + " entries of " + volume.entries());
                    }
                });
    }

    /** Bytes that do not compress. */
    private static ByteBuffer random(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(3).nextBytes(bytes);
        return ByteBuffer.allocateDirect(length).put(bytes).flip();
    }
}
