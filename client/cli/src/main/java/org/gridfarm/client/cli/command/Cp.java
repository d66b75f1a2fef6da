package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "cp",
        header = "Copies a file within the farm, into it or out of it.",
        description = {
            "",
            "gf:/path marks the side in the farm; a plain path is a local one. For trees see gf put -r and gf get -r."
        },
        mixinStandardHelpOptions = true)
public final class Cp implements Callable<Integer> {
    private static final String FARM = "gf:";

    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(index = "0", paramLabel = "FROM")
    private String from = "";

    @Parameters(index = "1", paramLabel = "TO")
    private String to = "";

    @Override
    public Integer call() {
        boolean fromFarm = from.startsWith(FARM);
        boolean toFarm = to.startsWith(FARM);
        if (!fromFarm && !toFarm) {
            throw new FarmException(
                    ErrorKind.USAGE, "cp", from + " " + to, "mark the side in the farm: gf:/path");
        }
        try (Gridfarm farm = options.connect()) {
            if (!toFarm) {
                farm.copyOut(FarmPath.of(from), LocalPath.of(to));
            } else {
                FarmPath target = FarmPath.of(to);
                if (farm.exists(target) && farm.stat(target).isDirectory()) {
                    target =
                            target.child(
                                    fromFarm
                                            ? FarmPath.of(from).last()
                                            : LocalPath.name(LocalPath.of(from)));
                }
                if (fromFarm) {
                    within(farm, FarmPath.of(from), target);
                } else {
                    farm.copyIn(LocalPath.of(from), target);
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("from", from, "to", to));
        }
        return 0;
    }

    private static void within(Gridfarm farm, FarmPath source, FarmPath target) {
        if (source.equals(target)) {
            throw new FarmException(ErrorKind.INVALID, "cp", target.toString(), "is the same file");
        }
        farm.copy(source, target);
    }
}
