package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
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
import java.util.concurrent.Callable;

@Command(
        name = "rm",
        header = "Removes files, and with -r directories.",
        footer = {"", "Examples:", "  gf rm -rf /scratch/run7", "  gf rm '/in/*.tmp'"},
        mixinStandardHelpOptions = true)
public final class Rm implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-r", "-R", "--recursive"},
            description = "directories with everything below them")
    private boolean recursive;

    @Option(
            names = {"-f", "--force"},
            description = "say nothing of what does not exist; never ask")
    private boolean force;

    @Option(
            names = {"-v", "--verbose"},
            description = "name what was removed")
    private boolean verbose;

    @Option(
            names = {"-d", "--dir"},
            description = "also empty directories")
    private boolean empty;

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        int status = 0;
        List<String> removed = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            Operands operands = Operands.here();
            for (String word : paths) {
                try {
                    for (FarmPath path : operands.paths(farm, word)) {
                        remove(farm, path);
                        removed.add(path.toString());
                        if (verbose && !options.json) {
                            System.out.println("removed " + Output.name(path.toString()));
                        }
                    }
                } catch (FarmException e) {
                    if (!(force && e.kind() == ErrorKind.NOT_FOUND)) {
                        status = Failures.report(e);
                    }
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("removed", removed));
        }
        return status;
    }

    private void remove(Gridfarm farm, FarmPath path) {
        if (path.isRoot()) {
            throw new FarmException(ErrorKind.NOT_PERMITTED, "rm", "/", "the root stays");
        }
        if (empty && !recursive || !farm.statLink(path).isDirectory()) {
            farm.delete(path);
        } else if (recursive) {
            farm.deleteRecursively(path);
        } else {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY, "rm", path.toString(), "use -r, or gf rmdir");
        }
    }
}
