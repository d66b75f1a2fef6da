package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.demo.Demonstration;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.concurrent.Callable;

@Command(
        name = "demo",
        header = "Shows a whole farm at work on this machine.",
        description = {
            "",
            "Starts every component as a process of its own, imports real files at replica level 2, runs a job where they lie, kills a storage node, shows"
                    + " that nothing is lost and that the copies are made again. Every figure is measured in that run."
        },
        mixinStandardHelpOptions = true)
public final class Demo implements Callable<Integer> {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "where the farm lives (a temporary directory)")
    private @Nullable Path directory;

    @Option(
            names = "--input",
            paramLabel = "DIR",
            description = "import files from here (sources of the JDK)")
    private @Nullable Path input;

    @Option(
            names = "--nodes",
            defaultValue = "3",
            description = "storage nodes, at least 3 (${DEFAULT-VALUE})")
    private int nodes;

    @Option(names = "--keep", description = "leave the farm running and say how to use it")
    private boolean keep;

    @Option(
            names = "--exit",
            description = "remove everything at the end (what happens without a terminal)")
    private boolean exit;

    @Option(names = "--json", description = "one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        return new Demonstration(directory, input, nodes, keep, exit, json).run();
    }
}
