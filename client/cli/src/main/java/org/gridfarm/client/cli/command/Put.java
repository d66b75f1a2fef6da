package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
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
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

@Command(
        name = "put",
        header = "Copies local files and directories into the farm.",
        description = {
            "",
            "With several sources, or where PATH is a directory, PATH is the directory they are put into. '-' is standard input."
        },
        mixinStandardHelpOptions = true)
public final class Put implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-r", "--recursive"},
            description = "directories with everything below them")
    private boolean recursive;

    @Parameters(
            arity = "2..*",
            paramLabel = "LOCAL... PATH",
            description = "local sources, and the place in the farm")
    private List<String> words = List.of();

    private final List<Map<String, Object>> copied = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        FarmPath target = FarmPath.of(words.get(words.size() - 1));
        List<String> sources = words.subList(0, words.size() - 1);
        try (Gridfarm farm = options.connect()) {
            boolean into = farm.exists(target) && farm.stat(target).isDirectory();
            if (sources.size() > 1 && !into) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "put",
                        target.toString(),
                        "several sources need a directory");
            }
            for (String source : sources) {
                if (source.equals("-")) {
                    putStream(farm, target);
                } else {
                    Path local = LocalPath.of(source);
                    FarmPath to =
                            into
                                    ? target.child(
                                            LocalPath.name(local.toAbsolutePath().normalize()))
                                    : target;
                    putTree(farm, local, to);
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("files", copied));
        }
        return 0;
    }

    private void putTree(Gridfarm farm, Path local, FarmPath to) throws IOException {
        if (!Files.isDirectory(local)) {
            farm.copyIn(local, to);
            copied.add(
                    Map.of(
                            "from",
                            LocalPath.text(local),
                            "to",
                            to.toString(),
                            "bytes",
                            Files.size(local)));
            return;
        }
        if (!recursive) {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY, "put", LocalPath.text(local), "use -r");
        }
        farm.mkdirs(to);
        try (Stream<Path> children = Files.list(local)) {
            for (Path child : children.sorted().toList()) {
                putTree(farm, child, to.child(LocalPath.name(child)));
            }
        }
    }

    private void putStream(Gridfarm farm, FarmPath to) throws IOException {
        InputStream in = System.in;
        try (OutputStream out = farm.write(to)) {
            long bytes = in.transferTo(out);
            copied.add(Map.of("from", "-", "to", to.toString(), "bytes", bytes));
        }
    }
}
