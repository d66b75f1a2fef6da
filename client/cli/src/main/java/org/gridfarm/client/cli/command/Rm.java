package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.Output;
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

@Command(name = "rm", header = "Removes files.", mixinStandardHelpOptions = true)
public final class Rm implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-r", "-R", "--recursive"},
            description = "directories with everything below them")
    private boolean recursive;

    @Option(
            names = {"-f", "--force"},
            description = "what does not exist is no mistake")
    private boolean force;

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        int status = 0;
        List<String> removed = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (String text : paths) {
                try {
                    remove(farm, FarmPath.of(text));
                    removed.add(text);
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
        if (!farm.statLink(path).isDirectory()) {
            farm.delete(path);
        } else if (recursive) {
            farm.deleteRecursively(path);
        } else {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY, "rm", path.toString(), "use -r, or gf rmdir");
        }
    }
}
