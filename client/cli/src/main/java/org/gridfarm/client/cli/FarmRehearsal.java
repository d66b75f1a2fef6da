package org.gridfarm.client.cli;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.ClusterOptions;
import org.gridfarm.client.cli.cluster.Jvm;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What the JDK watches to make the start-up caches of the daemons (deploy/train): a small farm does
 * everyday work for some seconds, its processes note what they loaded and what ran often, and a
 * cache is made of the fullest notes of each kind. Without FUSE there is none for the mount. See
 * docs/decisions/start-up.md.
 */
final class FarmRehearsal {
    private static final Duration SCENE_MAX = Duration.ofSeconds(5);
    private static final int FILES = 1_000;
    private static final byte[] SMALL = new byte[8 << 10];
    private static final byte[] BLOCK = new byte[1 << 20];
    private static final int BLOCKS = 16;

    private FarmRehearsal() {}

    public static void main(String[] arguments) throws Exception {
        Path notes = Files.createTempDirectory("gf-rehearsal-");
        try {
            System.setProperty(Jvm.REHEARSAL, notes.toString());
            perform();
            makeCaches(notes);
        } catch (FarmException | IOException | UncheckedIOException e) {
            System.err.println("rehearsal: " + e); // everything works without caches
        } finally {
            Cluster.remove(notes);
        }
        System.exit(0); // loops of commands are left to the end of their process
    }

    private static void perform() throws IOException {
        ClusterOptions farmOfTwo =
                new ClusterOptions(1, 0, 2, 1, 1, 1, 1, false, "", "30s", List.of("nostandby"));
        try (BenchFarm farm = BenchFarm.own(farmOfTwo)) {
            String config = farm.config().toString();
            Path local = farm.config().resolveSibling("rehearsal");
            Files.write(local, BLOCK);
            gf("mkdir", "--config", config, "/twice");
            gf("setrep", "--config", config, "2", "/twice");
            gf("put", "--config", config, local.toString(), "/twice/put");
            gf("get", "--config", config, "/twice/put", local + ".back");
            gf("run", "--config", config, ": {}", ":::", "/twice/put");
            Optional<Path> mount = farm.mount();
            if (mount.isPresent()) {
                names(mount.get());
                smallFiles(mount.get());
                largeFiles(mount.get());
            }
        }
    }

    private static void gf(String... words) {
        Gf.run("gf", words);
    }

    private static void names(Path mount) throws IOException {
        Path directory = Files.createDirectory(mount.resolve("names"));
        long end = System.nanoTime() + SCENE_MAX.toNanos();
        for (int i = 0; i < FILES && System.nanoTime() - end < 0; i++) {
            Path file = Files.createFile(directory.resolve("f" + i));
            Files.size(file);
            if (i % 2 == 0) Files.move(file, directory.resolve("g" + i));
        }
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry : entries.toList()) Files.delete(entry);
        }
    }

    private static void smallFiles(Path mount) throws IOException {
        Path directory = Files.createDirectory(mount.resolve("small"));
        List<Path> made = new ArrayList<>();
        long end = System.nanoTime() + SCENE_MAX.toNanos();
        for (int i = 0; i < FILES && System.nanoTime() - end < 0; i++) {
            made.add(Files.write(directory.resolve("f" + i), SMALL));
        }
        for (Path file : made) Files.readAllBytes(file);
        for (Path file : made) Files.delete(file);
    }

    private static void largeFiles(Path mount) throws IOException {
        for (Path directory : List.of(mount, mount.resolve("twice"))) {
            Path file = directory.resolve("large");
            try (var out = Files.newOutputStream(file)) {
                for (int i = 0; i < BLOCKS; i++) out.write(BLOCK);
            }
            try (var in = Files.newInputStream(file)) {
                while (in.readNBytes(BLOCK.length).length > 0) continue;
            }
        }
    }

    /** One for each processor at a time would be sooner done, and swap small machines. */
    private static void makeCaches(Path notes) throws IOException, InterruptedException {
        for (String kind : Jvm.DAEMONS) {
            List<Path> fullestFirst;
            try (Stream<Path> files = Files.list(notes)) {
                fullestFirst =
                        files.filter(file -> isOf(kind, file))
                                .sorted(Comparator.comparingLong(file -> -file.toFile().length()))
                                .toList();
            }
            // Notes of a process that was killed while it wrote them are none.
            for (Path file : fullestFirst) if (makes(kind, file)) break;
        }
    }

    private static boolean makes(String kind, Path notes) throws IOException, InterruptedException {
        Process making = new ProcessBuilder(Jvm.cacheCommand(kind, notes)).inheritIO().start();
        if (making.waitFor(1, TimeUnit.MINUTES)) return making.exitValue() == 0;
        making.destroyForcibly();
        return true; // the next would take as long
    }

    private static boolean isOf(String kind, Path notes) {
        return String.valueOf(notes.getFileName()).startsWith(Jvm.simpleName(kind) + "-");
    }
}
