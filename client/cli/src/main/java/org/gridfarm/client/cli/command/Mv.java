package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "mv",
        header = "Renames and moves within the farm.",
        description = {"", "Where the last PATH is a directory, the others are moved into it."},
        mixinStandardHelpOptions = true)
public final class Mv implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(arity = "2..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        FarmPath target = FarmPath.of(paths.get(paths.size() - 1));
        List<String> sources = paths.subList(0, paths.size() - 1);
        try (Gridfarm farm = options.connect()) {
            boolean into = farm.exists(target) && farm.stat(target).isDirectory();
            if (sources.size() > 1 && !into) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "mv",
                        target.toString(),
                        "several sources need a directory");
            }
            for (String source : sources) {
                FarmPath from = FarmPath.of(source);
                farm.rename(from, into ? target.child(from.last()) : target);
            }
        }
        if (options.json) {
            Output.json(Map.of("moved", sources, "to", target.toString()));
        }
        return 0;
    }
}
