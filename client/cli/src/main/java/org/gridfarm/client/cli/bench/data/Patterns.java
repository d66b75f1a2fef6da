package org.gridfarm.client.cli.bench.data;

import static org.gridfarm.client.cli.bench.data.Content.MIB;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The patterns: files read and written from end to end by one stream and by several; the file for
 * each process and the shared file, segmented and strided, of IOR; random pages; many small files;
 * and what the Cactus framework does in each iteration, by plain output and by HDF5.
 */
public final class Patterns {
    private static final int SHARERS = 4;
    private static final int PAGE = 4 << 10;
    private static final int SMALL_FILES = 3_000;
    private static final int SMALL_BYTES = 8 << 10;
    private static final int SYNCED_PAGES = 200;
    private static final int APPENDS = 100;
    private static final int ITERATIONS = 500;
    private static final int SMALL_READS = 20;
    private static final int SMALL_WRITES = 10;

    public static final String WRITE_ALONE = write(1);
    static final String WRITE_TOGETHER = write(SHARERS);
    public static final String READ_ALONE = read(1);
    static final String READ_TOGETHER = read(SHARERS);
    public static final String CACTUS_APPEND = "Cactus append";
    public static final String CACTUS_HDF5 = "Cactus HDF5";
    public static final String SMALL_READ = "small files of 8 KiB, read";
    public static final String SMALL_READ_AGAIN = SMALL_READ + " again";
    public static final String PAGES_WRITE = "random 4 KiB into a file that is there, write";
    public static final String PAGES_SYNC = PAGES_WRITE + " and fdatasync";

    private final long pieces; // of a MiB, in all files of a pattern together
    private final int pages;

    public Patterns(long bytes) {
        pieces = Math.max(SHARERS, bytes / MIB / SHARERS * SHARERS);
        pages = (int) Math.min(20_000, pieces * (MIB / PAGE));
    }

    private static String write(int streams) {
        return "write 1 MiB, " + streams(streams);
    }

    private static String read(int streams) {
        return "read 1 MiB, " + streams(streams);
    }

    private static String streams(int count) {
        return count == 1 ? "1 stream" : count + " streams";
    }

    /** In an order in which each finds the files of those before it. */
    List<Pattern> all() {
        List<Pattern> all = new ArrayList<>(sequential());
        all.addAll(shared());
        all.addAll(random());
        all.addAll(small());
        all.add(cactusAppend());
        all.add(cactusHdf5());
        return all;
    }

    /** Where much is opened, or a little of something large is changed. */
    public List<Pattern> opening() {
        List<Pattern> all = new ArrayList<>();
        all.add(cactusAppend());
        all.add(cactusHdf5());
        all.addAll(small());
        all.add(smallRead(SMALL_READ_AGAIN));
        all.addAll(alone(1));
        all.add(pages(PAGES_WRITE, pages, false));
        all.add(pages(PAGES_SYNC, SYNCED_PAGES, true));
        return all;
    }

    /** Anywhere in the file of one stream. */
    private Pattern pages(String name, int count, boolean synced) {
        return new Pattern(
                name,
                "writes/s",
                count,
                _ -> {},
                in -> {
                    Random random = new Random(3);
                    try (FileChannel file = writable(in, "own0")) {
                        for (int i = 0; i < count; i++) {
                            Content.put(file, page(random), PAGE);
                            if (synced) file.force(false);
                        }
                    }
                });
    }

    List<Pattern> sequential() {
        List<Pattern> all = new ArrayList<>(alone(1));
        all.addAll(alone(SHARERS));
        return all;
    }

    /** Each stream with a file of its own. */
    private List<Pattern> alone(int streams) {
        long each = pieces / streams;
        return List.of(
                bytes(
                        write(streams),
                        in -> {
                            for (int i = 0; i < streams; i++) Content.remove(in, "own" + i);
                        },
                        in ->
                                Streams.run(
                                        streams,
                                        i -> {
                                            try (FileChannel file =
                                                    Content.make(in.resolve("own" + i))) {
                                                Content.write(file, 0, MIB, each);
                                            }
                                        })),
                bytes(
                        read(streams),
                        _ -> {},
                        in ->
                                Streams.run(
                                        streams,
                                        i -> {
                                            try (FileChannel file = readable(in, "own" + i)) {
                                                Content.read(file, 0, MIB, each);
                                            }
                                        })));
    }

    private List<Pattern> shared() {
        List<Pattern> all = new ArrayList<>();
        long each = pieces / SHARERS;
        for (boolean strided : List.of(false, true)) {
            String how = strided ? "strided" : "segmented";
            long step = strided ? (long) SHARERS * MIB : MIB;
            long apart = strided ? MIB : each * MIB;
            all.add(
                    bytes(
                            "one file of 4 streams, " + how + ", write",
                            in -> {
                                Content.remove(in, "shared");
                                Content.make(in.resolve("shared")).close();
                            },
                            in ->
                                    Streams.run(
                                            SHARERS,
                                            i -> {
                                                try (FileChannel file = writable(in, "shared")) {
                                                    Content.write(file, i * apart, step, each);
                                                }
                                            })));
            all.add(
                    bytes(
                            "one file of 4 streams, " + how + ", read",
                            _ -> {},
                            in ->
                                    Streams.run(
                                            SHARERS,
                                            i -> {
                                                try (FileChannel file = readable(in, "shared")) {
                                                    Content.read(file, i * apart, step, each);
                                                }
                                            })));
        }
        return all;
    }

    private List<Pattern> random() {
        return List.of(
                new Pattern(
                        "random 4 KiB, read",
                        "reads/s",
                        pages,
                        _ -> {},
                        in -> {
                            Random random = new Random(2);
                            ByteBuffer into = ByteBuffer.allocateDirect(PAGE);
                            try (FileChannel file = readable(in, "shared")) {
                                for (int i = 0; i < pages; i++) {
                                    Content.get(file, page(random), into.clear());
                                }
                            }
                        }),
                new Pattern(
                        "random 4 KiB, write",
                        "writes/s",
                        pages,
                        _ -> {},
                        in -> {
                            Random random = new Random(3);
                            try (FileChannel file = writable(in, "shared")) {
                                for (int i = 0; i < pages; i++)
                                    Content.put(file, page(random), PAGE);
                            }
                        }));
    }

    private long page(Random random) {
        return random.nextLong(pieces * (MIB / PAGE)) * PAGE;
    }

    private static List<Pattern> small() {
        return List.of(
                new Pattern(
                        "small files of 8 KiB, write",
                        "files/s",
                        SMALL_FILES,
                        in -> Files.createDirectory(in.resolve("small")),
                        in -> {
                            for (int i = 0; i < SMALL_FILES; i++) {
                                try (FileChannel file = Content.make(in.resolve("small/s" + i))) {
                                    Content.put(file, 0, SMALL_BYTES);
                                }
                            }
                        }),
                smallRead(SMALL_READ));
    }

    private static Pattern smallRead(String name) {
        return new Pattern(
                name,
                "files/s",
                SMALL_FILES,
                _ -> {},
                in -> {
                    ByteBuffer into = ByteBuffer.allocateDirect(SMALL_BYTES);
                    for (int i = 0; i < SMALL_FILES; i++) {
                        try (FileChannel file = readable(in, "small/s" + i)) {
                            Content.get(file, 0, into.clear());
                        }
                    }
                });
    }

    /** Files held open: an 8 KiB and a 1 MiB append in each iteration. */
    private static Pattern cactusAppend() {
        return new Pattern(
                CACTUS_APPEND,
                "iterations/s",
                APPENDS,
                in -> Content.remove(in, "scalars", "grid"),
                in -> {
                    try (FileChannel scalars = appendable(in, "scalars");
                            FileChannel grid = appendable(in, "grid")) {
                        for (int i = 0; i < APPENDS; i++) {
                            Content.append(scalars, SMALL_BYTES);
                            Content.append(grid, MIB);
                        }
                    }
                });
    }

    /** Open, small reads, a 1 MiB append, small writes at the front, close. */
    private static Pattern cactusHdf5() {
        return new Pattern(
                CACTUS_HDF5,
                "iterations/s",
                ITERATIONS,
                in -> {
                    Content.remove(in, "hdf5");
                    try (FileChannel file = Content.make(in.resolve("hdf5"))) {
                        Content.put(file, 0, MIB);
                    }
                },
                in -> {
                    Random random = new Random(4);
                    for (int i = 0; i < ITERATIONS; i++) iteration(in.resolve("hdf5"), random);
                });
    }

    private static void iteration(Path path, Random random) throws IOException {
        ByteBuffer some = ByteBuffer.allocateDirect(512);
        try (FileChannel file =
                Content.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < SMALL_READS; i++) {
                Content.get(file, random.nextInt(MIB - 512), some.clear());
            }
            Content.put(file, file.size(), MIB);
            for (int i = 0; i < SMALL_WRITES; i++) Content.put(file, random.nextInt(4096), 512);
        }
    }

    private static FileChannel readable(Path in, String name) throws IOException {
        return Content.open(in.resolve(name), StandardOpenOption.READ);
    }

    private static FileChannel writable(Path in, String name) throws IOException {
        return Content.open(in.resolve(name), StandardOpenOption.WRITE);
    }

    private static FileChannel appendable(Path in, String name) throws IOException {
        return Content.open(in.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private Pattern bytes(String name, Pattern.Step before, Pattern.Step run) {
        return new Pattern(name, "MB/s", pieces * MIB / 1e6, before, run);
    }
}
