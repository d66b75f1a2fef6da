package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.cluster.ClusterOptions;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** What every benchmark takes: the farm it works on, and how often. */
final class BenchOptions {
    @Option(names = "--self", description = "make a farm for this, and remove it")
    private boolean self;

    @Option(
            names = "--repeat",
            defaultValue = "3",
            description = "repetitions, of which the median is shown (${DEFAULT-VALUE})")
    int repetitions;

    /** One of its own, or that of the configuration. */
    BenchFarm farm(FarmOptions options) {
        return self ? BenchFarm.own(ClusterOptions.usual()) : BenchFarm.of(options.file());
    }

    /** The one that was named, else the farm's own; refused where nothing is mounted. */
    static Path mounted(@Nullable Path named, BenchFarm farm) {
        Path at = named != null ? named : farm.mount().orElse(null);
        if (at == null || !Mounts.isMounted(at)) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "bench",
                    at == null ? "" : at.toString(),
                    "no mount to measure; name one with --mount, or make a farm with --self");
        }
        return at;
    }

    /** For a person who waits. */
    static void progress(String what) {
        if (System.console() != null) System.err.println("gf: " + what);
    }
}
