package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.bench.meta.MetaBench;
import org.gridfarm.client.cli.bench.postgres.SingleRowCommits;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "meta",
        header = "Measures names: create, stat, readdir, rename, unlink.",
        description = {
            "",
            "Threads of one client in directories of their own and in one together, then processes on a mount. Every change is durable when it counts."
                    + " Yardsticks: transactions of one row on the farm's PostgreSQL, with the same number of threads, and fsync.",
            "'stat, client cache' is answered under a lease by the client; 'stat, server' is asked of a metaserver each time."
        },
        mixinStandardHelpOptions = true)
public final class BenchMeta implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--threads",
            split = ",",
            defaultValue = "1,4,64,256",
            description = "counts of threads (${DEFAULT-VALUE})")
    private List<Integer> threads = List.of();

    @Option(
            names = "--processes",
            split = ",",
            defaultValue = "1,4",
            description = "counts of processes on the mount (${DEFAULT-VALUE})")
    private List<Integer> processes = List.of();

    @Option(
            names = "--mount",
            paramLabel = "MNT",
            description = "also through this mount of the farm")
    private @Nullable Path mount;

    @Option(
            names = "--seconds",
            defaultValue = "1",
            description = "duration of each phase (${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--jdbc",
            paramLabel = "URL",
            description =
                    "the farm's database, user and password included; known for farms of gf cluster")
    private @Nullable String jdbc;

    @Option(
            names = "--fsync-dir",
            paramLabel = "DIR",
            description = "where fsync is measured (the farm's directory, else the present one)")
    private @Nullable Path sync;

    @Override
    public Integer call() {
        if (threads.stream().anyMatch(t -> t < 1)
                || processes.stream().anyMatch(p -> p < 1)
                || seconds <= 0
                || bench.repetitions < 1) {
            throw new FarmException(
                    ErrorKind.USAGE, "bench", "", "counts and durations must be above 0");
        }
        try (BenchFarm farm = bench.farm(options)) {
            measure(farm);
        }
        return 0;
    }

    private void measure(BenchFarm farm) {
        SingleRowCommits commits = commits(farm);
        try {
            new MetaBench(
                            new MetaBench.Settings(
                                    ClientConfig.read(farm.config()),
                                    FarmPath.of("/gf-bench-" + ProcessHandle.current().pid()),
                                    threads,
                                    processes,
                                    Duration.ofNanos((long) (seconds * 1e9)),
                                    bench.repetitions,
                                    mount != null ? mount : farm.mount().orElse(null),
                                    commits,
                                    sync != null ? sync : farm.directory().orElse(Path.of("."))),
                            BenchOptions::progress)
                    .run()
                    .print(options.json);
        } finally {
            if (commits != null) commits.close();
        }
    }

    private @Nullable SingleRowCommits commits(BenchFarm farm) {
        if (jdbc != null) return new SingleRowCommits(jdbc, "", "");
        if (farm.directory().isEmpty()) {
            System.err.println("gf: without the yardstick of the database; name it with --jdbc");
            return null;
        }
        Cluster.Database database = Cluster.open(farm.directory().get(), _ -> {}).database();
        return new SingleRowCommits(database.url(), database.user(), database.password());
    }
}
