package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

@Command(
        name = "where",
        header = "Shows which nodes hold replicas.",
        description = {
            "",
            "A node that is down is shown in parentheses; a replica that is not current with its state."
        },
        mixinStandardHelpOptions = true)
public final class Where implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (FarmPath of : Operands.here().paths(farm, paths)) {
                String path = of.toString();
                Layout located = farm.where(of);
                if (options.json) {
                    documents.add(document(path, farm.stat(of), located));
                } else {
                    print(path, located);
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return 0;
    }

    private static void print(String path, Layout located) {
        List<ObjectLocation> objects = located.getObjectsList();
        if (objects.isEmpty()) {
            System.out.println(path + ": (empty)");
        }
        for (ObjectLocation object : objects) {
            String stripe = objects.size() > 1 ? "[" + object.getObject().getStripe() + "]" : "";
            System.out.println(
                    path
                            + stripe
                            + ": "
                            + object.getReplicasList().stream()
                                    .map(Where::shown)
                                    .collect(Collectors.joining(" ")));
        }
    }

    private static String shown(Replica replica) {
        String name = replica.getLive() ? replica.getNode() : "(" + replica.getNode() + ")";
        return replica.getState() == ReplicaState.VALID ? name : name + ":" + state(replica);
    }

    private static String state(Replica replica) {
        return replica.getState().name().toLowerCase(java.util.Locale.ROOT);
    }

    private static Map<String, Object> document(String path, FileInfo file, Layout located) {
        return Map.of(
                "path", path,
                "replicas_wanted", file.replicasWanted(),
                "size", file.size(),
                "objects",
                        located.getObjectsList().stream()
                                .map(object ->
                                        Map.of(
                                                "stripe", object.getObject().getStripe(),
                                                "generation", object.getObject().getGeneration(),
                                                "replicas",
                                                        object.getReplicasList().stream()
                                                                .map(r ->
                                                                        Map.of(
                                                                                "node",
                                                                                r.getNode(),
                                                                                "state",
                                                                                state(r),
                                                                                "live",
                                                                                r.getLive()))
                                                                .toList()))
                                .toList());
    }
}
