package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.bench.jobs.JobsBench;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

@Command(
        name = "jobs",
        header =
                "Measures jobs: empty tasks, one alone, tasks where their input lies, gf run as a whole.",
        description = {
            "",
            "Processor times are those of a farm of gf cluster on this machine; what a job of more tasks costs for each of them stands beside the first count."
        },
        mixinStandardHelpOptions = true)
public final class BenchJobs implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--tasks",
            split = ",",
            defaultValue = "300,10000",
            paramLabel = "COUNT",
            description = "tasks in a job (${DEFAULT-VALUE})")
    private List<Integer> counts = List.of();

    @Override
    public Integer call() {
        if (counts.stream().anyMatch(count -> count < 1) || bench.repetitions < 1) {
            throw new FarmException(ErrorKind.USAGE, "bench", "", "counts must be above 0");
        }
        try (BenchFarm farm = bench.farm(options)) {
            new JobsBench(
                            new JobsBench.Settings(
                                    ClientConfig.read(farm.config()),
                                    farm.config(),
                                    Optional.ofNullable(System.getProperty("gf.home"))
                                            .map(home -> Path.of(home, "gf"))
                                            .filter(Files::isExecutable),
                                    FarmPath.of("/gf-bench-" + ProcessHandle.current().pid()),
                                    counts,
                                    bench.repetitions,
                                    pids(farm, "scheduler"),
                                    pids(farm, "storagenode")),
                            BenchOptions::progress)
                    .run()
                    .print(options.json);
        }
        return 0;
    }

    private static List<Long> pids(BenchFarm farm, String role) {
        return farm.directory().stream()
                .flatMap(directory -> Cluster.open(directory, _ -> {}).status().stream())
                .filter(status -> status.role().equals(role) && status.pid() > 0)
                .map(Cluster.ComponentStatus::pid)
                .toList();
    }
}
