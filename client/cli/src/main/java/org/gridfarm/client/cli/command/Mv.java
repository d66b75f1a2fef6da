package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

@Command(
        name = "mv",
        header = "Renames and moves within the farm.",
        description = {"", "Where the last PATH is a directory, the others are moved into it."},
        mixinStandardHelpOptions = true)
public final class Mv implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-f", "--force"},
            description = "replace what is there, which is so by itself")
    private boolean force;

    @Option(
            names = {"-n", "--no-clobber"},
            description = "replace nothing")
    private boolean keeps;

    @Option(
            names = {"-v", "--verbose"},
            description = "name what was moved")
    private boolean verbose;

    @Parameters(arity = "2..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        Each each = new Each();
        List<String> moved = new ArrayList<>();
        Operands operands = Operands.here();
        FarmPath target = operands.path(paths.getLast());
        try (Gridfarm farm = options.connect()) {
            List<FarmPath> sources = operands.paths(farm, paths.subList(0, paths.size() - 1));
            boolean into = farm.exists(target) && farm.stat(target).isDirectory();
            if (sources.size() > 1 && !into) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "mv",
                        target.toString(),
                        "several sources need a directory");
            }
            for (FarmPath from : sources) {
                each.attempt(() -> {
                    FarmPath to = into ? target.child(from.last()) : target;
                    move(farm, from, to);
                    moved.add(from.toString());
                    if (verbose && !options.json) {
                        System.out.println("renamed " + from + " -> " + to);
                    }
                });
            }
        }
        if (options.json) {
            Output.json(Map.of("moved", moved, "to", target.toString()));
        }
        return each.exitCode();
    }

    private void move(Gridfarm farm, FarmPath from, FarmPath to) {
        try {
            farm.rename(from, to, keeps ? Set.of(RenameFlag.NO_REPLACE) : Set.of());
        } catch (FarmException e) {
            if (!keeps || e.kind() != ErrorKind.ALREADY_EXISTS) {
                throw e;
            }
        }
    }
}
