package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.cli.run.Placements;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "sched",
        header = "Prints the nodes where a task would best run, best first.",
        description = {
            "",
            "With -f those that hold most of the files come first; then, and without it, those with less load."
        },
        mixinStandardHelpOptions = true)
public final class Sched implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "PATH",
            description = "a file of the farm that the task reads")
    private List<String> files = List.of();

    @Option(
            names = {"-n", "--hosts"},
            defaultValue = "0",
            paramLabel = "COUNT",
            description = "so many at most; 0: all")
    private int count;

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            List<FarmPath> inputs = files.stream().map(file -> Operands.here().path(file)).toList();
            List<Placements.Held> best =
                    new Placements(farm)
                            .of(inputs).stream().limit(count > 0 ? count : Long.MAX_VALUE).toList();
            if (options.json) {
                Output.json(
                        Map.of(
                                "nodes",
                                best.stream()
                                        .map(held ->
                                                Map.of(
                                                        "node", held.node().getName(),
                                                        "bytes_held", held.bytes()))
                                        .toList()));
            } else {
                best.forEach(held -> System.out.println(held.node().getName()));
            }
        }
        return 0;
    }
}
