package org.gridfarm.client.cli.command;

import picocli.CommandLine.Command;

@Command(
        name = "bench",
        header = "Measures a farm beside the yardsticks that bound it.",
        description = {
            "",
            "Works on the farm of the configuration, or with --self on one that is made and removed. Every figure stands beside its yardstick of the same"
                    + " run; where there is an aim, MET says whether it was reached."
        },
        subcommands = {
            BenchMeta.class,
            BenchData.class,
            BenchMount.class,
            BenchOpens.class,
            BenchJobs.class,
            BenchApi.class,
            BenchTls.class
        },
        mixinStandardHelpOptions = true)
public final class BenchCommand {}
