package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.copy.Copies;
import org.gridfarm.client.cli.copy.PutTree;
import org.gridfarm.client.cli.operand.Operands;
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
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "put",
        header = "Copies local files and directories into the farm.",
        description = {
            "",
            "With several sources, or where PATH is a directory, PATH is the directory they are put into. '-' is standard input.",
            "Modes and times of modification are kept. With -r symbolic links are copied as links.",
            "What cannot be copied is named, and the rest goes on; the exit status is that of the first failure."
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

    @Option(
            names = {"-L", "--dereference"},
            description = "with -r: copy what symbolic links lead to, not the links")
    private boolean follows;

    @Option(
            names = {"-j", "--jobs"},
            paramLabel = "COUNT",
            description = "files at once (${DEFAULT-VALUE})")
    private int atOnce = Copying.AT_ONCE;

    @Override
    public Integer call() throws IOException {
        FarmPath target = Operands.here().path(words.get(words.size() - 1));
        List<String> sources = words.subList(0, words.size() - 1);
        Copying.requireCount("put", atOnce);
        try (Gridfarm farm = options.connect();
                Copies copies = new Copies(atOnce)) {
            PutTree tree = new PutTree(farm, copies, recursive, follows);
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
                    putStream(farm, target, copies);
                } else {
                    Path local = Operands.local(source);
                    FarmPath to =
                            into
                                    ? target.child(
                                            LocalPath.name(local.toAbsolutePath().normalize()))
                                    : target;
                    tree.put(local, to);
                }
            }
            tree.end();
            if (options.json) {
                Copying.print(copies.copied());
            }
            return copies.exitCode();
        }
    }

    private static void putStream(Gridfarm farm, FarmPath to, Copies copies) {
        copies.here(
                "-",
                to.toString(),
                () -> {
                    try (OutputStream out = farm.write(to)) {
                        return System.in.transferTo(out);
                    }
                });
    }
}
