package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "fsck",
        header = "Checks the namespace, replica rows and quotas; mends them with --repair.",
        description = {
            "",
            "The leading metaserver walks over everything it holds: every name leads to an inode, link counts are the names counted, everything can be reached"
                    + " from the root, replica rows belong to files, usage is what files add up to. What has lost its name gets one in /lost+found.",
            "The farm goes on; changes wait for about a second per million inodes.",
            "Exit status 0: nothing is wrong, or all was mended; 1: something is wrong."
        },
        mixinStandardHelpOptions = true)
public final class Fsck implements Callable<Integer> {
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "--repair", description = "mend what is found")
    private boolean repair;

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            JsonNode found =
                    AdminCalls.call(
                            farm, "fsck", repair ? Map.of("repair", "yes") : Map.of(), DEADLINE);
            JsonNode problems = found.get("problems");
            JsonNode left = found.get("left");
            if (options.json) {
                Output.json(found);
            } else {
                problems.forEach(problem -> System.out.println(problem.asString()));
                System.out.println(
                        found.get("inodes").asLong()
                                + " inodes, "
                                + problems.size()
                                + " problems"
                                + (repair ? ", " + left.size() + " left" : ""));
            }
            return left.isEmpty() ? 0 : 1;
        }
    }
}
