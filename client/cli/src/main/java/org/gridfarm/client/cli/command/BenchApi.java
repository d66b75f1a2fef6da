package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.bench.api.ApiBench;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

@Command(
        name = "api",
        header = "Measures what files cost a Java program: the library and java.nio.file.",
        description = {
            "",
            "Large files, streams, small files by one and by many threads, a large directory: by FileChannel on the bare disk and right after it by"
                    + " Gridfarm and by java.nio.file, attached to the node of this host and from far. One copy of each file, nothing is synced, and the page"
                    + " cache is warm on both sides. Commands are compiled for a short life; a program that lives long is measured with"
                    + " GF_JAVA_OPTS=-XX:TieredStopAtLevel=4."
        },
        mixinStandardHelpOptions = true)
public final class BenchApi implements Callable<Integer> {
    private static final long MIB = 1 << 20;
    private static final long SIZE_MAX = 1L << 40;

    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--local",
            paramLabel = "DIR",
            description = "on the disk that the node's replicas are on (the farm's directory)")
    private @Nullable Path local;

    @Option(
            names = "--node",
            paramLabel = "NAME",
            description =
                    "the storage node of this host to be attached to (that of the configuration; of gf cluster the first)")
    private @Nullable String node;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "256M",
            description =
                    "in a large file; for each 64 KiB of it one random read and write (${DEFAULT-VALUE})")
    private String size = "";

    @Option(
            names = "--files",
            defaultValue = "1000",
            description = "small ones of 4 KiB, for each number of threads (${DEFAULT-VALUE})")
    private int files;

    @Option(
            names = "--entries",
            defaultValue = "100000",
            description = "in the directory that is listed (${DEFAULT-VALUE})")
    private int entries;

    @Override
    public Integer call() {
        long bytes = Administration.bytes(size);
        if (bytes < MIB || bytes > SIZE_MAX || files < 1 || entries < 1 || bench.repetitions < 1) {
            throw usage("--size must be from 1M to 1T, and counts above 0");
        }
        try (BenchFarm farm = bench.farm(options)) {
            Path bare = local != null ? local : farm.directory().orElse(null);
            if (bare == null) {
                throw usage("a directory on the disk of the node is needed: --local DIR");
            }
            ClientConfig config = ClientConfig.read(farm.config());
            new ApiBench(
                            new ApiBench.Settings(
                                    config.withNode(attached(farm, config)),
                                    bare,
                                    (int) (bytes / MIB),
                                    files,
                                    entries,
                                    bench.repetitions),
                            BenchOptions::progress)
                    .run()
                    .print(options.json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return 0;
    }

    /** Of the farms of gf cluster, whose nodes are all on this host, the first. */
    private String attached(BenchFarm farm, ClientConfig config) {
        if (node != null) return node;
        if (!config.node().isEmpty()) return config.node();
        return farm.directory()
                .map(directory -> Cluster.open(directory, BenchOptions::progress).firstNode())
                .orElse("");
    }

    private static FarmException usage(String why) {
        return new FarmException(ErrorKind.USAGE, "bench", "", why);
    }
}
