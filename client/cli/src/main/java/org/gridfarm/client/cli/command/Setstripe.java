package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

@Command(
        name = "setstripe",
        header = "Lays files over several nodes.",
        description = {
            "",
            "Of a directory: what is made in it from now on. A file takes it only while it is empty: content keeps the layout it was written"
                    + " with. What does not exist is made as an empty file."
        },
        mixinStandardHelpOptions = true)
public final class Setstripe implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-c", "--count"},
            required = true,
            paramLabel = "K",
            description = "over so many objects, each on nodes of its own where there are enough")
    private int count;

    @Option(
            names = {"-u", "--unit"},
            defaultValue = "64M",
            paramLabel = "BYTES",
            description = "bytes in a row in one object (${DEFAULT-VALUE})")
    private String unit = "64M";

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        long bytes = Administration.bytes(unit);
        Policy policy =
                new Policy(
                        OptionalInt.empty(),
                        Optional.empty(),
                        OptionalInt.of(count),
                        OptionalLong.of(bytes));
        try (Gridfarm farm = options.connect()) {
            for (String path : paths) {
                FarmPath of = Operands.here().path(path);
                if (!farm.exists(of)) {
                    create(farm, of, policy);
                } else {
                    farm.setPolicy(of, policy);
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("paths", paths, "stripe_count", count, "stripe_unit", bytes));
        }
        return 0;
    }

    /** An empty file that could not be given the layout does not stay behind. */
    private static void create(Gridfarm farm, FarmPath path, Policy policy) {
        farm.create(path, OpenFlags.WRITE, true).close();
        try {
            farm.setPolicy(path, policy);
        } catch (FarmException e) {
            farm.delete(path);
            throw e;
        }
    }
}
