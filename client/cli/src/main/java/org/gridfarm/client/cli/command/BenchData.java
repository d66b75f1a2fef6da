package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.data.DataBench;
import org.gridfarm.client.cli.bench.data.RepairTime;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "data",
        header =
                "Measures contents: large files, shared files, small files, the patterns of Cactus.",
        description = {
            "",
            "Each pattern runs on the bare local file system and right after it on a mount; what goes over the network stands beside a plain socket. Nothing is"
                    + " synced, and the page cache is warm on both sides: it is the way that is measured, not the disk.",
            "The mount must be attached to a node of this machine, as the one of gf cluster start --mount is. With --repair a node of a farm of gf cluster is"
                    + " killed, and started again afterwards."
        },
        mixinStandardHelpOptions = true)
public final class BenchData implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private BenchOptions bench = new BenchOptions();

    @Option(names = "--mount", paramLabel = "MNT", description = "a mount of the farm")
    private @Nullable Path mount;

    @Option(
            names = "--local",
            paramLabel = "DIR",
            description = "on the disk that the node's replicas are on (the farm's directory)")
    private @Nullable Path local;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "256M",
            description = "in a large file (${DEFAULT-VALUE})")
    private String size = "";

    @Option(
            names = "--repair",
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "also the repair of so much after the death of a node, such as 2G")
    private String repair = "";

    @Override
    public Integer call() {
        long bytes = Administration.bytes(size);
        if (bytes < 4 << 20 || bench.repetitions < 1) {
            throw usage("--size must be at least 4M and --repeat at least 1");
        }
        try (BenchFarm farm = bench.farm(options)) {
            Path mounted = mount != null ? mount : farm.mount().orElse(null);
            Path bare = local != null ? local : farm.directory().orElse(null);
            if (mounted == null || !Files.isDirectory(mounted)) {
                throw usage("a mount of the farm is needed: --mount MNT, or --self");
            }
            if (bare == null) {
                throw usage("a directory on the disk of the node is needed: --local DIR");
            }
            ClientConfig config = ClientConfig.read(farm.config());
            Report report =
                    new DataBench(
                                    new DataBench.Settings(
                                            config, mounted, bare, bytes, bench.repetitions),
                                    BenchOptions::progress)
                            .run();
            long lost = Administration.bytes(repair);
            if (lost > 0) repair(farm, config, lost).forEach(report::add);
            report.print(options.json);
        }
        return 0;
    }

    private static List<Row> repair(BenchFarm farm, ClientConfig config, long bytes) {
        Path directory =
                farm.directory()
                        .orElseThrow(() -> usage("--repair works on farms of gf cluster only"));
        BenchOptions.progress("repair");
        return new RepairTime(config, directory, bytes).measure();
    }

    private static FarmException usage(String why) {
        return new FarmException(ErrorKind.USAGE, "bench", "", why);
    }
}
