package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "getstripe",
        header = "Shows over how many objects a file is laid, and where they are.",
        mixinStandardHelpOptions = true)
public final class Getstripe implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (FarmPath of : Operands.here().paths(farm, paths)) {
                String path = of.toString();
                long count = number(farm, of, "gf.stripe_count");
                long unit = number(farm, of, "gf.stripe_unit");
                List<ObjectLocation> objects =
                        farm.stat(of).isRegularFile() ? farm.where(of).getObjectsList() : List.of();
                documents.add(
                        Map.of(
                                "path", path,
                                "stripe_count", count,
                                "stripe_unit", unit,
                                "objects", objects.stream().map(Getstripe::document).toList()));
                if (!options.json) {
                    System.out.println(path + ": count " + count + ", unit " + Output.bytes(unit));
                    objects.forEach(object ->
                            System.out.println(
                                    "  "
                                            + object.getObject().getStripe()
                                            + ": "
                                            + String.join(" ", nodes(object))));
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return 0;
    }

    private static long number(Gridfarm farm, FarmPath path, String name) {
        byte[] value =
                farm.getXattr(path, name)
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.INVALID,
                                        "getstripe",
                                        path.toString(),
                                        "only files and directories have a layout"));
        return Long.parseLong(new String(value, StandardCharsets.UTF_8));
    }

    private static Map<String, Object> document(ObjectLocation object) {
        return Map.of("stripe", object.getObject().getStripe(), "nodes", nodes(object));
    }

    private static List<String> nodes(ObjectLocation object) {
        return object.getReplicasList().stream().map(Replica::getNode).toList();
    }
}
