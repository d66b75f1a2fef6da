package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
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

@Command(name = "rmdir", header = "Removes empty directories.", mixinStandardHelpOptions = true)
public final class Rmdir implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            for (FarmPath path : Operands.here().paths(farm, paths)) {
                if (!farm.statLink(path).isDirectory()) {
                    throw new FarmException(ErrorKind.NOT_A_DIRECTORY, "rmdir", path.toString());
                }
                farm.delete(path);
            }
        }
        if (options.json) {
            Output.json(Map.of("removed", paths));
        }
        return 0;
    }
}
