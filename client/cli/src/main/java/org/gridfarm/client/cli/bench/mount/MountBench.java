package org.gridfarm.client.cli.bench.mount;

import org.gridfarm.client.cli.bench.PlainSocket;
import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.client.cli.bench.meta.Workers;
import org.gridfarm.client.cli.cluster.OsProcess;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One run: each shape on the mount and at once on the local disk, {@code repetitions} times; the
 * medians are compared. Owned by one thread.
 */
public final class MountBench {
    private static final String LOCAL = ", yardstick";
    private static final int FILES = 1000;
    private static final int SMALL_FILES = 3000;
    private static final int SMALL_THREADS = 4;
    private static final int READ_ROUNDS = 4;
    private static final int GIT_ROUNDS_LEAST = 2;

    /**
     * What is measured, and how long.
     *
     * @param mount attached to the node of this machine
     * @param other a mount of the same farm at another node, to whose files the first has no local
     *     replica; null: what needs it is left out
     * @param local a directory of the disk that the replicas lie on
     * @param peers directories of other file systems, by the names to show them by
     * @param gitFiles of the repository, 0: none
     */
    public record Settings(
            Path mount,
            @Nullable Path other,
            Path local,
            Map<String, Path> peers,
            Duration time,
            int repetitions,
            int megabytes,
            int gitFiles) {}

    private final Settings settings;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final String name = "gf-bench-" + ProcessHandle.current().pid();
    private final Path mounted;
    private final Path local;

    public MountBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
        this.mounted = settings.mount().resolve(name);
        this.local = settings.local().resolve(name);
    }

    public Report run() throws IOException {
        try {
            for (int round = 0; round < settings.repetitions(); round++) {
                Map<String, Path> places = new LinkedHashMap<>();
                for (Map.Entry<String, Path> place : places().entrySet()) {
                    Path made = Files.createDirectories(place.getValue().resolve("r" + round));
                    places.put(place.getKey(), made);
                }
                names(places);
                creates(places);
                small(places);
                data(places);
                remote(round);
                passthrough(local.resolve("r" + round));
            }
            git();
            memory();
        } finally {
            List<String> remove = new ArrayList<>(List.of("rm", "-rf"));
            places().values().forEach(place -> remove.add(place.toString()));
            OsProcess.run(remove);
        }
        return new Verdict(samples).report();
    }

    /** Where everything is measured, by what is added to its name there. */
    private Map<String, Path> places() {
        Map<String, Path> places = new LinkedHashMap<>();
        places.put("", mounted);
        places.put(LOCAL, local);
        settings.peers().forEach((peer, at) -> places.put(Verdict.at(peer), at.resolve(name)));
        return places;
    }

    private void names(Map<String, Path> places) throws IOException {
        progress.accept("names");
        for (Path at : places.values()) {
            Path folder = at.resolve("names");
            NameShapes.fill(folder, FILES);
            NameShapes.stat(folder, FILES);
            NameShapes.list(folder);
        }
        everywhere(
                places,
                Verdict.STAT,
                "files/s",
                at -> NameShapes.stats(at.resolve("names"), FILES, settings.time()).perSecond());
        everywhere(
                places,
                Verdict.LIST,
                "entries/s",
                at -> NameShapes.listings(at.resolve("names"), settings.time()));
    }

    private void creates(Map<String, Path> places) throws IOException {
        progress.accept("creates");
        for (int processes : List.of(1, 4)) {
            for (Map.Entry<String, Path> place : places.entrySet()) {
                // Beside a create of the mount stands one of libfuse's example.
                String suffix =
                        place.getKey().equals(LOCAL) ? Verdict.at("the disk") : place.getKey();
                creates(place.getValue(), processes, suffix);
            }
        }
    }

    /** What is measured is called so with the suffix. */
    private void creates(Path here, int processes, String suffix) throws IOException {
        String base = "creates" + processes;
        List<String> bases = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            bases.add(base);
        }
        try (Workers workers = new Workers(here, bases, settings.time())) {
            for (String phase : List.of("create", "unlink")) {
                add(
                        Verdict.byProcesses(phase, processes) + suffix,
                        "files/s",
                        workers.run(phase).perSecond());
            }
        }
    }

    /** The same calls through the fastest file system in C that libfuse shows. */
    private void passthrough(Path beside) throws IOException {
        if (!PassthroughExample.isInstalled()) {
            return;
        }
        progress.accept("passthrough_ll");
        Path program;
        try {
            program = PassthroughExample.compile(local);
        } catch (FarmException e) {
            progress.accept("passthrough_ll is left out: " + e.getMessage());
            return;
        }
        Path source = beside.resolve("source");
        NameShapes.fill(source.resolve("cold"), SMALL_FILES);
        Path point = beside.resolve("passthrough");
        try (PassthroughExample mount = PassthroughExample.mount(program, source, point)) {
            long from = System.nanoTime();
            NameShapes.stat(mount.point().resolve("cold"), SMALL_FILES);
            add(
                    local(Verdict.STAT_COLD),
                    "files/s",
                    SMALL_FILES / ((System.nanoTime() - from) / 1e9));
            for (int processes : List.of(1, 4)) {
                creates(mount.point(), processes, local(""));
            }
        }
    }

    private void small(Map<String, Path> places) throws IOException {
        progress.accept("small files");
        for (Path at : places.values()) {
            Files.createDirectories(at.resolve("small"));
        }
        small(places, Verdict.SMALL_CREATE, NameShapes::writeSmall);
        small(places, Verdict.SMALL_READ, Files::readAllBytes);
        small(places, Verdict.SMALL_DELETE, Files::delete);
    }

    private void small(Map<String, Path> places, String what, NameShapes.Each work)
            throws IOException {
        everywhere(
                places,
                what,
                "s",
                at -> NameShapes.each(at.resolve("small"), SMALL_FILES, SMALL_THREADS, work));
    }

    private void data(Map<String, Path> places) throws IOException {
        progress.accept("local data");
        everywhere(
                places,
                Verdict.WRITE,
                "MB/s",
                at -> DataShapes.write(at.resolve("large"), settings.megabytes(), false));
        everywhere(
                places,
                Verdict.WRITE_CLOSE,
                "MB/s",
                at -> DataShapes.write(at.resolve("closed"), settings.megabytes(), true));
        everywhere(
                places,
                Verdict.WRITE_OVER,
                "MB/s",
                at -> DataShapes.write(at.resolve("closed"), settings.megabytes(), false));
        everywhere(
                places,
                Verdict.WRITE_ANYWHERE,
                "writes/s",
                at -> DataShapes.writeAnywhere(at.resolve("closed"), settings.time()).perSecond());
        for (Path at : places.values()) {
            DataShapes.read(at.resolve("large"), 1);
        }
        everywhere(
                places,
                Verdict.READ,
                "MB/s",
                at -> DataShapes.read(at.resolve("large"), READ_ROUNDS));
        everywhere(
                places,
                Verdict.READ_ANYWHERE,
                "reads/s",
                at -> DataShapes.readAnywhere(at.resolve("large"), settings.time()).perSecond());
        for (Path at : places.values()) {
            Files.delete(at.resolve("large"));
            Files.delete(at.resolve("closed"));
        }
    }

    /** What another mount has made, read here for the first time. */
    private void remote(int round) throws IOException {
        if (settings.other() == null) {
            return;
        }
        progress.accept("another mount's files");
        Path there = settings.other().resolve(name).resolve("r" + round).resolve("remote");
        Path here = mounted.resolve("r" + round).resolve("remote");
        NameShapes.fill(there, SMALL_FILES);
        DataShapes.write(there.resolve("large"), settings.megabytes(), true);
        long from = System.nanoTime();
        NameShapes.stat(here, SMALL_FILES);
        add(Verdict.STAT_COLD, "files/s", SMALL_FILES / ((System.nanoTime() - from) / 1e9));
        from = System.nanoTime();
        long entries = NameShapes.list(settings.mount().resolve(name).resolve("r" + round));
        add(Verdict.LIST_COLD, "entries/s", entries / ((System.nanoTime() - from) / 1e9));
        add(Verdict.READ_REMOTE, "MB/s", DataShapes.read(here.resolve("large"), 1));
        add(
                local(Verdict.READ_REMOTE),
                "MB/s",
                PlainSocket.measure((long) settings.megabytes() * DataShapes.MEGABYTE)
                        / DataShapes.MEGABYTE);
    }

    private void git() throws IOException {
        if (settings.gitFiles() == 0) {
            return;
        }
        progress.accept("git status");
        Path beside = local.resolve("repository");
        GitStatus.make(beside, settings.gitFiles());
        for (Path at : places().values()) {
            GitStatus.copy(beside, at.resolve("copy"));
        }
        for (int round = 0; round < Math.max(GIT_ROUNDS_LEAST, settings.repetitions()); round++) {
            everywhere(places(), Verdict.GIT, "s", at -> GitStatus.measure(at.resolve("copy")));
        }
    }

    private void memory() throws IOException {
        Optional<Double> serving = MountMemory.serving(settings.mount());
        serving.ifPresent(megabytes -> add(Verdict.MEMORY, "MB", megabytes));
        Optional<Double> standingBy = MountMemory.standingBy(settings.mount());
        standingBy.ifPresent(megabytes -> add(Verdict.MEMORY_STANDBY, "MB", megabytes));
    }

    private interface Shape {
        double at(Path directory) throws IOException;
    }

    private void everywhere(Map<String, Path> places, String what, String unit, Shape shape)
            throws IOException {
        for (Map.Entry<String, Path> place : places.entrySet()) {
            add(what + place.getKey(), unit, shape.at(place.getValue()));
        }
    }

    static String local(String what) {
        return what + LOCAL;
    }

    private void add(String what, String unit, double value) {
        samples.add(what, unit, value, 0, 0);
    }
}
