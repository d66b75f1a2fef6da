package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "get",
        header = "Copies files and directories out of the farm.",
        mixinStandardHelpOptions = true)
public final class Get implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-r", "--recursive"},
            description = "directories with everything below them")
    private boolean recursive;

    @Parameters(
            arity = "1..*",
            paramLabel = "PATH... LOCAL",
            description = "in the farm, and where to; '.' if only one is given")
    private List<String> words = List.of();

    private final List<Map<String, Object>> copied = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        Path target = LocalPath.of(words.size() == 1 ? "." : words.get(words.size() - 1));
        List<String> sources = words.size() == 1 ? words : words.subList(0, words.size() - 1);
        if (sources.size() > 1 && !Files.isDirectory(target)) {
            throw new FarmException(
                    ErrorKind.NOT_A_DIRECTORY,
                    "get",
                    LocalPath.text(target),
                    "several sources need a directory");
        }
        try (Gridfarm farm = options.connect()) {
            for (String source : sources) {
                FarmPath from = FarmPath.of(source);
                getTree(
                        farm,
                        from,
                        Files.isDirectory(target) && !from.isRoot()
                                ? LocalPath.child(target, from.last())
                                : target);
            }
        }
        if (options.json) {
            Output.json(Map.of("files", copied));
        }
        return 0;
    }

    private void getTree(Gridfarm farm, FarmPath from, Path to) throws IOException {
        if (!farm.stat(from).isDirectory()) {
            long bytes = farm.copyOut(from, to);
            copied.add(Map.of("from", from.toString(), "to", LocalPath.text(to), "bytes", bytes));
            return;
        }
        if (!recursive) {
            throw new FarmException(ErrorKind.IS_A_DIRECTORY, "get", from.toString(), "use -r");
        }
        Files.createDirectories(to);
        for (FileInfo entry : farm.list(from).toList()) {
            getTree(farm, entry.path(), LocalPath.child(to, entry.path().last()));
        }
    }
}
