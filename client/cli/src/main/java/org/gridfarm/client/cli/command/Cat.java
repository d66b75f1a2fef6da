package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "cat",
        header = "Writes files to standard output.",
        description = {"", "'-' is standard input."},
        mixinStandardHelpOptions = true)
public final class Cat implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            for (String word : paths) {
                if (word.equals("-")) {
                    each.attempt(() -> System.in.transferTo(System.out));
                } else {
                    each.path(
                            farm,
                            List.of(word),
                            path -> {
                                try (InputStream in = farm.read(path)) {
                                    in.transferTo(System.out);
                                }
                            });
                }
            }
        }
        System.out.flush();
        return each.exitCode();
    }
}
