package org.gridfarm.client.cli.bench.opens;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.client.cli.cluster.OsProcess;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Each shape so many times in a row on a file of each size, on the mount and at once on the local
 * disk. The time of a shape is the median of its opens. Owned by one thread.
 */
public final class OpensBench {
    private static final int PIECE = 4 << 20;

    /** Costs follow what is changed, not the size of the file. */
    private static final Aim GROWTH = Aim.atMost(1.2);

    private static final Aim BY_LEASE = Aim.atMost(0.1);
    private static final Aim ITERATION = Aim.atMost(1.5);

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
    private final String name = "gf-bench-opens-" + ProcessHandle.current().pid();
    private final Path mounted;
    private final Path local;

    public OpensBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
        this.mounted = settings.mount().resolve(name);
        this.local = settings.local().resolve(name);
    }

    public Report run() throws IOException {
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
            }
        } finally {
            OsProcess.run(List.of("rm", "-rf", mounted.toString(), local.toString()));
        }
        return report();
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
        return label(shape, megabytes) + " (local)";
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
        return report;
    }
}
