package org.gridfarm.client.cli.bench.opens;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.client.cli.bench.data.Pattern;
import org.gridfarm.client.cli.bench.data.Patterns;
import org.gridfarm.client.cli.cluster.OsProcess;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Each shape so many times in a row on a file of each size, on the mount and at once on the local
 * disk; then programs that open often, or change a little of a large file. The time of a shape is
 * the median of its opens. Owned by one thread.
 */
public final class OpensBench {
    private static final int PIECE = 4 << 20;
    private static final String LOCAL = " (local)";

    /** Costs follow what is changed, not the size of the file. */
    private static final Aim GROWTH = Aim.atMost(1.2);

    private static final Aim BY_LEASE = Aim.atMost(0.1);
    private static final Aim ITERATION = Aim.atMost(1.5);

    /** Of the disk's own rate. */
    private static final Map<String, Aim> OF_PROGRAMS =
            Map.of(
                    Patterns.CACTUS_APPEND, Aim.atLeast(1 / 1.2),
                    Patterns.CACTUS_HDF5, Aim.atLeast(1 / 1.5),
                    Patterns.SMALL_READ, Aim.atLeast(1 / 3.0),
                    Patterns.WRITE_ALONE, Aim.atLeast(0.95),
                    Patterns.READ_ALONE, Aim.atLeast(0.95),
                    Patterns.PAGES_WRITE, Aim.atLeast(0.25),
                    Patterns.PAGES_SYNC, Aim.atLeast(0.9));

    /**
     * @param mount attached to the node of this machine
     * @param local a directory of the disk that the replicas lie on
     * @param megabytes sizes of the files, the least first
     * @param opens of each shape and size
     */
    public record Settings(
            Path mount, Path local, List<Integer> megabytes, int opens, int repetitions) {}

    private final Settings settings;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final Set<String> programs = new LinkedHashSet<>();
    private final String name = "gf-bench-opens-" + ProcessHandle.current().pid();
    private final Path mounted;
    private final Path local;

    public OpensBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
        this.mounted = settings.mount().resolve(name);
        this.local = settings.local().resolve(name);
    }

    public Report run() throws Exception {
        try {
            for (int round = 0; round < settings.repetitions(); round++) {
                for (int size : settings.megabytes()) {
                    progress.accept(size + " MB");
                    Path here = written(mounted, size);
                    Path beside = written(local, size);
                    for (Shape shape : Shape.values()) {
                        samples.add(label(shape, size), "ms", millis(shape, here), 0, 0);
                        samples.add(local(shape, size), "ms", millis(shape, beside), 0, 0);
                    }
                    Files.delete(here);
                    Files.delete(beside);
                }
                runPrograms(round);
            }
        } finally {
            OsProcess.run(List.of("rm", "-rf", mounted.toString(), local.toString()));
        }
        return report();
    }

    private void runPrograms(int round) throws Exception {
        Path here = Files.createDirectories(mounted.resolve("r" + round));
        Path beside = Files.createDirectories(local.resolve("r" + round));
        long bytes = (long) settings.megabytes().getLast() << 20;
        for (Pattern pattern : new Patterns(bytes).opening()) {
            progress.accept(pattern.name());
            programs.add(pattern.name());
            samples.add(pattern.name(), pattern.unit(), rate(pattern, here), 0, 0);
            samples.add(local(pattern.name()), pattern.unit(), rate(pattern, beside), 0, 0);
        }
        OsProcess.run(List.of("rm", "-rf", here.toString(), beside.toString()));
    }

    /** With nothing of what went before on its way to the disk. */
    private static double rate(Pattern pattern, Path directory) throws Exception {
        OsProcess.run(List.of("sync"));
        return pattern.rate(directory);
    }

    private static Path written(Path directory, int megabytes) throws IOException {
        Path path = Files.createDirectories(directory).resolve(megabytes + "-MB");
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long left = (long) megabytes << 20; left > 0; ) {
                piece.clear().limit((int) Math.min(PIECE, left));
                left -= file.write(piece);
            }
        }
        return path;
    }

    private double millis(Shape shape, Path path) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        long[] nanos = new long[settings.opens()];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = shape.once(path, random);
        }
        Arrays.sort(nanos);
        return nanos[nanos.length / 2] / 1e6;
    }

    private static String label(Shape shape, int megabytes) {
        return shape.label + ", " + megabytes + " MB";
    }

    private static String local(Shape shape, int megabytes) {
        return local(label(shape, megabytes));
    }

    private static String local(String what) {
        return what + LOCAL;
    }

    private Report report() {
        Report report = new Report("opens");
        int least = settings.megabytes().getFirst();
        int most = settings.megabytes().getLast();
        for (Shape shape : Shape.values()) {
            for (int size : settings.megabytes()) {
                Row row = samples.row(label(shape, size));
                Row beside = row.against(samples.median(local(shape, size)));
                report.add(
                        switch (shape) {
                            case READ -> row.aiming(BY_LEASE);
                            case ITERATION -> beside.aiming(ITERATION);
                            default -> beside;
                        });
            }
            if (least != most) {
                report.add(
                        Row.of(
                                        "%s, %d MB beside %d MB"
                                                .formatted(shape.label, most, least),
                                        samples.median(label(shape, most)),
                                        "ms")
                                .against(samples.median(label(shape, least)))
                                .aiming(GROWTH));
            }
        }
        for (String program : programs) {
            Row row = samples.row(program).against(samples.median(local(program)));
            Aim aim = OF_PROGRAMS.get(program);
            report.add(aim == null ? row : row.aiming(aim));
        }
        return report;
    }
}
