package org.gridfarm.client.cli.bench.meta;

import org.gridfarm.client.cli.bench.DiskSync;
import org.gridfarm.client.cli.bench.Load;
import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.client.cli.bench.postgres.SingleRowCommits;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code gf bench meta}: names made, looked at, listed, renamed and removed by more and more
 * threads, each beside the database's own rate of commits.
 */
public final class MetaBench {
    /**
     * @param processes counts of processes on the mount
     * @param commits null: no database to compare with
     * @param sync where the time of fsync is taken
     */
    public record Settings(
            ClientConfig config,
            FarmPath directory,
            List<Integer> threads,
            List<Integer> processes,
            Duration time,
            int repetitions,
            @Nullable Path mount,
            @Nullable SingleRowCommits commits,
            Path sync) {}

    private static final int WARMING_THREADS = 8;

    private static final List<String> PHASES =
            List.of("create", "stat", "readdir", "rename", "unlink");

    private final Settings settings;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private int round;

    public MetaBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    public Report run() {
        try (Gridfarm farm = Gridfarm.open(settings.config(), "gf bench");
                Gridfarm uncached = Gridfarm.open(settings.config().withCache(0), "gf bench")) {
            farm.mkdirs(settings.directory());
            warmUp(new LibraryTree(farm, settings.directory()));
            for (round = 0; round < settings.repetitions(); round++) repetition(farm, uncached);
            farm.delete(settings.directory());
        }
        return new Verdict(samples, settings.threads()).report();
    }

    /** Farms run for months; a new one would be measured while its compilers are at work. */
    private void warmUp(Tree tree) {
        progress.accept("warming up");
        for (boolean shared : new boolean[] {false, true}) {
            Phases phases =
                    new Phases(
                            tree, "warm-" + shared, "", WARMING_THREADS, shared, settings.time());
            phases.create();
            phases.unlink();
            phases.removeDirectories();
        }
    }

    private void repetition(Gridfarm farm, Gridfarm uncached) {
        Tree tree = new LibraryTree(farm, settings.directory());
        Tree server = new LibraryTree(uncached, settings.directory());
        Load.Outcome sync = DiskSync.measure(settings.sync(), settings.time());
        samples.add(Verdict.SYNC, "syncs/s", sync.perSecond(), sync.latencies());
        for (int threads : settings.threads()) {
            commits(threads);
            library(tree, server, threads, false);
            library(tree, server, threads, true);
        }
        Path mount = settings.mount();
        if (mount != null) {
            for (int processes : settings.processes()) {
                mount(mount, processes, false);
                if (processes > 1) mount(mount, processes, true);
            }
        }
    }

    private void commits(int threads) {
        SingleRowCommits commits = settings.commits();
        if (commits == null) return;
        int connections = Math.min(threads, commits.connectionsMax());
        progress.accept("commits of one row, " + connections + " connections");
        Load.Outcome outcome = commits.measure(connections, settings.time());
        samples.add(
                Verdict.commits(threads), "commits/s", outcome.perSecond(), outcome.latencies());
    }

    private void library(Tree tree, Tree server, int threads, boolean shared) {
        String where = shared ? "shared" : "own";
        progress.accept(threads + " threads, " + where + " directories");
        Phases phases =
                new Phases(
                        tree,
                        "r" + round + "-" + where + "-" + threads,
                        "",
                        threads,
                        shared,
                        settings.time());
        add("create", where, threads, phases.create());
        phases.warm();
        add(Verdict.STAT_CACHED, where, threads, phases.stat());
        add(Verdict.STAT_SERVER, where, threads, phases.stat(server));
        add("readdir", where, threads, phases.list());
        add("rename", where, threads, phases.rename());
        add("unlink", where, threads, phases.unlink());
        phases.removeDirectories();
    }

    private void add(String phase, String where, int threads, Phases.Result result) {
        samples.add(
                Verdict.library(phase, where, threads),
                unit(phase),
                result.perSecond(),
                result.latencies());
    }

    private static String unit(String phase) {
        return phase.equals("readdir") ? "entries/s" : "files/s";
    }

    private void mount(Path mount, int processes, boolean shared) {
        String where = shared ? "shared" : "own";
        progress.accept(processes + " processes on the mount, " + where + " directories");
        MountedTree tree =
                new MountedTree(mount.resolve(settings.directory().toString().substring(1)));
        List<String> bases = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            bases.add("m" + round + "-" + processes + "-" + (shared ? "shared" : "own" + i));
        }
        try (Workers workers = new Workers(tree.root(), bases, settings.time())) {
            for (String phase : PHASES) {
                Workers.Result result = workers.run(phase);
                samples.add(
                        Verdict.mount(phase, where, processes),
                        unit(phase),
                        result.perSecond(),
                        result.p50(),
                        result.p99());
            }
            for (String base : bases.stream().distinct().toList()) tree.removeDirectory(base);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
