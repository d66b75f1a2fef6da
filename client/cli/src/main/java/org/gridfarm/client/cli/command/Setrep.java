package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
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

    private static final Set<String> GONE = Set.of("down", "removed");

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

    @Parameters(
            arity = "1..*",
            paramLabel = "[N] PATH",
            description = "replica level, at least 1 (may be left out with --groups), and paths")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        boolean levelGiven = words.getFirst().matches("-?[0-9]+");
        List<String> paths = levelGiven ? words.subList(1, words.size()) : words;
        if ((!levelGiven && groups.isEmpty()) || paths.isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE, "setrep", "", "say a level and paths: gf setrep 2 PATH");
        }
        OptionalInt level =
                levelGiven ? OptionalInt.of(level(words.getFirst())) : OptionalInt.empty();
        Policy policy =
                new Policy(
                        level,
                        groups.isEmpty() ? Optional.empty() : Optional.of(groups),
                        OptionalInt.empty(),
                        OptionalLong.empty());
        try (Gridfarm farm = options.connect()) {
            List<FarmPath> found = Operands.here().paths(farm, paths);
            for (FarmPath path : found) {
                set(farm, path, policy);
            }
            if (level.isPresent()) {
                warnOfTooFewNodes(farm, level.getAsInt());
            }
            if (waits) {
                for (FarmPath path : found) {
                    await(farm, path);
                }
            }
        }
        if (options.json) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("paths", paths);
            level.ifPresent(n -> document.put("replicas", n));
            document.put("groups", groups);
            Output.json(document);
        }
        return 0;
    }

    private static int level(String text) {
        try {
            int level = Integer.parseInt(text);
            if (level >= 1) {
                return level;
            }
        } catch (NumberFormatException e) {
            throw new FarmException(ErrorKind.USAGE, "setrep", text, "the level is too high", e);
        }
        throw new FarmException(ErrorKind.USAGE, "setrep", text, "the level is at least 1");
    }

    /** The level is set all the same: nodes may come. To wait for it would be to wait for them. */
    private void warnOfTooFewNodes(Gridfarm farm, int level) {
        long nodes = farm.nodes().stream().filter(node -> !GONE.contains(node.getState())).count();
        if (level <= nodes) {
            return;
        }
        String why =
                "level %d is set, and will not hold before there are %d nodes; there are %d now"
                        .formatted(level, level, nodes);
        if (waits) {
            throw new FarmException(ErrorKind.UNAVAILABLE, "setrep", "", why);
        }
        System.err.println("gf: setrep: " + why);
    }

    private void set(Gridfarm farm, FarmPath path, Policy policy) {
        farm.setPolicy(path, policy);
        each(farm, path, child -> set(farm, child, policy));
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
