package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.ReplicateReply;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "rep",
        header = "Makes or removes a replica on a certain node.",
        description = {
            "",
            "--to adds a copy on that node, and raises the file's replica level so that it stays; with --move the level is kept, and a copy",
            "elsewhere goes. The last current replica is never removed."
        },
        mixinStandardHelpOptions = true)
public final class Rep implements Callable<Integer> {
    private static final Duration COPY_MAX = Duration.ofHours(1); // a file may be large

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-D", "--to"},
            paramLabel = "NODE",
            description = "make a replica there")
    private String to = "";

    @Option(
            names = {"-m", "--move"},
            description = "with --to: keep the replica level, so that a copy elsewhere goes")
    private boolean moves;

    @Option(
            names = {"-x", "--drop"},
            paramLabel = "NODE",
            description = "remove the replica there")
    private String drop = "";

    @Parameters(arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        if (to.isEmpty() == drop.isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE, "rep", "", "name a node: --to NODE or --drop NODE");
        }
        List<Map<String, Object>> documents = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            for (FarmPath of : Operands.here().paths(farm, paths)) {
                String path = of.toString();
                ReplicateReply reply =
                        to.isEmpty() || moves
                                ? farm.replicate(of, to, drop, false, COPY_MAX)
                                : added(farm, of);
                documents.add(
                        Map.of("path", path, "live", reply.getLive(), "wanted", reply.getWanted()));
            }
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        return 0;
    }

    /**
     * The level first: a copy beyond it would be dropped as soon as it is there. Where the copy
     * cannot be made the level is what it was.
     */
    private ReplicateReply added(Gridfarm farm, FarmPath path) {
        int before = farm.stat(path).replicasWanted();
        long copies = copies(farm, path, false);
        if (copies(farm, path, true) > 0 || copies < before) {
            return farm.replicate(path, to, drop, false, COPY_MAX);
        }
        farm.setPolicy(path, Policy.replicas((int) copies + 1));
        try {
            return farm.replicate(path, to, drop, false, COPY_MAX);
        } catch (FarmException e) {
            farm.setPolicy(path, Policy.replicas(before));
            throw e;
        }
    }

    /** Current copies of the first object, anywhere or on the node that is asked for. */
    private long copies(Gridfarm farm, FarmPath path, boolean there) {
        return farm.where(path).getObjectsList().stream()
                .limit(1)
                .flatMap(object -> object.getReplicasList().stream())
                .filter(replica -> replica.getState() == ReplicaState.VALID)
                .filter(replica -> !there || replica.getNode().equals(to))
                .count();
    }
}
