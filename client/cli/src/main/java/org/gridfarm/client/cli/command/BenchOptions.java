package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.cluster.ClusterOptions;

import picocli.CommandLine.Option;

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

    /** For a person who waits. */
    static void progress(String what) {
        if (System.console() != null) System.err.println("gf: " + what);
    }
}
