package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.copy.Copies;
import org.gridfarm.client.cli.copy.GetTree;
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
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "get",
        header = "Copies files and directories out of the farm.",
        description = {
            "",
            "Modes and times of modification are kept. With -r symbolic links are copied as links. A link of this machine that stands where",
            "something belongs is replaced, unless it is the very LOCAL that was named.",
            "What cannot be copied is named, and the rest goes on; the exit status is that of the first failure."
        },
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

    @Option(
            names = {"-j", "--jobs"},
            paramLabel = "COUNT",
            description = "files at once (${DEFAULT-VALUE})")
    private int atOnce = Copying.AT_ONCE;

    @Override
    public Integer call() throws IOException {
        Path target = Operands.local(words.size() == 1 ? "." : words.getLast());
        List<String> sources = words.size() == 1 ? words : words.subList(0, words.size() - 1);
        Copying.requireCount("get", atOnce);
        try (Gridfarm farm = options.connect();
                Copies copies = new Copies(atOnce)) {
            List<FarmPath> found = Operands.here().paths(farm, sources);
            if (words.size() > 1 && words.getLast().equals("-")) {
                return toStandardOutput(farm, found);
            }
            if (found.size() > 1 && !Files.isDirectory(target)) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "get",
                        LocalPath.text(target),
                        "several sources need a directory");
            }
            GetTree tree = new GetTree(farm, copies, recursive);
            for (FarmPath from : found) {
                if (Files.isDirectory(target)) tree.into(target, from);
                else tree.get(from, target);
            }
            tree.end();
            if (options.json) {
                Copying.print(copies.copied());
            }
            return copies.exitCode();
        }
    }

    private static int toStandardOutput(Gridfarm farm, List<FarmPath> paths) throws IOException {
        for (FarmPath path : paths) {
            try (InputStream in = farm.read(path)) {
                in.transferTo(System.out);
            }
        }
        System.out.flush();
        return 0;
    }
}
