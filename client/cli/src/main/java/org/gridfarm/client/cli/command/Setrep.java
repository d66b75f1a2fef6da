package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ReplicateReply;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "setrep",
        header = "Sets how many replicas a file is to have.",
        description = {
            "",
            "Of a directory: what is made in it from now on. Copies are made or removed in the background; -w waits for them."
        },
        mixinStandardHelpOptions = true)
public final class Setrep implements Callable<Integer> {
    private static final Duration WAIT_EACH = Duration.ofSeconds(60);

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "-R", description = "everything below as well")
    private boolean recursive;

    @Option(names = "-w", description = "wait until the level holds")
    private boolean waits;

    @Option(
            names = "--groups",
            paramLabel = "SITE:N,...",
            description = "copies in each host group, such as siteA:2,siteB:1")
    private String groups = "";

    @Parameters(index = "0", paramLabel = "N", description = "replica level, at least 1")
    private int level;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        if (level < 1) {
            throw new FarmException(
                    ErrorKind.USAGE, "setrep", Integer.toString(level), "the level is at least 1");
        }
        try (Gridfarm farm = options.connect()) {
            for (String path : paths) {
                set(farm, FarmPath.of(path));
            }
            if (waits) {
                for (String path : paths) {
                    await(farm, FarmPath.of(path));
                }
            }
        }
        if (options.json) {
            Output.json(Map.of("paths", paths, "replicas", level));
        }
        return 0;
    }

    private void set(Gridfarm farm, FarmPath path) {
        farm.setPolicy(path, Policy.replicas(level));
        if (!groups.isEmpty()) {
            farm.setPolicy(path, Policy.groups(groups));
        }
        each(farm, path, child -> set(farm, child));
    }

    private void await(Gridfarm farm, FarmPath path) {
        if (farm.stat(path).isRegularFile()) {
            awaitLevel(farm, path);
        }
        each(farm, path, child -> await(farm, child));
    }

    private static void awaitLevel(Gridfarm farm, FarmPath path) {
        ReplicateReply reply = farm.replicate(path, "", "", true, WAIT_EACH);
        while (reply.getLive() < reply.getWanted()) {
            reply = farm.replicate(path, "", "", true, WAIT_EACH);
        }
    }

    private void each(Gridfarm farm, FarmPath path, java.util.function.Consumer<FarmPath> action) {
        if (recursive && farm.statLink(path).isDirectory()) {
            farm.list(path)
                    .filter(entry -> entry.isDirectory() || entry.isRegularFile())
                    .forEach(entry -> action.accept(entry.path()));
        }
    }
}
