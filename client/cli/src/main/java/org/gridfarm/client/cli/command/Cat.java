package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Callable;

@Command(name = "cat", header = "Writes files to standard output.", mixinStandardHelpOptions = true)
public final class Cat implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() throws IOException {
        try (Gridfarm farm = options.connect()) {
            for (String path : paths) {
                try (InputStream in = farm.read(FarmPath.of(path))) {
                    in.transferTo(System.out);
                }
            }
        }
        System.out.flush();
        return 0;
    }
}
