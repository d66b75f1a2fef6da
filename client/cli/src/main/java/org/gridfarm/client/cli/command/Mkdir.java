package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(name = "mkdir", header = "Makes directories.", mixinStandardHelpOptions = true)
public final class Mkdir implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-p", "--parents"},
            description = "missing parents, too; what exists is no mistake")
    private boolean parents;

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            for (String path : paths) {
                if (parents) {
                    farm.mkdirs(FarmPath.of(path));
                } else {
                    farm.mkdir(FarmPath.of(path));
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("made", paths));
        }
        return 0;
    }
}
