package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.ModeChange;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(name = "mkdir", header = "Makes directories.", mixinStandardHelpOptions = true)
public final class Mkdir implements Callable<Integer> {
    private static final int DIRECTORY = 0755; // what a symbolic mode changes

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-p", "--parents"},
            description = "also missing parents; accept directories that exist")
    private boolean parents;

    @Option(
            names = {"-m", "--mode"},
            paramLabel = "MODE",
            description = "permissions, such as 750 or u=rwx,g=rx,o=")
    private String mode = "";

    @Option(
            names = {"-v", "--verbose"},
            description = "name what was made")
    private boolean verbose;

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        Each each = new Each();
        List<String> made = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            each.name(
                    paths,
                    path -> {
                        make(farm, path);
                        made.add(path.toString());
                        if (verbose && !options.json) {
                            System.out.println("created " + Output.name(path.toString()));
                        }
                    });
        }
        if (options.json) {
            Output.json(Map.of("made", made));
        }
        return each.exitCode();
    }

    private void make(Gridfarm farm, FarmPath path) {
        if (parents && farm.exists(path)) {
            farm.mkdirs(path); // refuses what is no directory
            return;
        }
        if (parents) {
            farm.mkdirs(path.parent());
        }
        if (mode.isEmpty()) {
            farm.mkdir(path);
        } else {
            farm.mkdir(path, NewMode.exactly(ModeChange.of(mode).applyTo(DIRECTORY, true)));
        }
    }
}
