package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "whoami",
        header = "Shows whom the farm takes you for.",
        mixinStandardHelpOptions = true)
public final class Whoami implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            if (options.json) {
                Output.json(Map.of("user", farm.user()));
            } else {
                System.out.println(farm.user());
            }
        }
        return 0;
    }
}
