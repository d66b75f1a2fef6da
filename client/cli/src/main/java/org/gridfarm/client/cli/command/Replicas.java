package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.ListReplicasReply;
import org.gridfarm.protocol.wire.ListReplicasRequest;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaProblem;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "replicas",
        header = "Lists files whose replicas are not as they should be.",
        description = {"", "From an index; the tree is not walked. Exit status 1: there are some."},
        mixinStandardHelpOptions = true)
public final class Replicas implements Callable<Integer> {
    /** Which files. */
    static final class Kind {
        @Option(names = "--under", description = "fewer good replicas than wanted")
        private boolean under;

        @Option(names = "--over", description = "more than wanted")
        private boolean over;

        @Option(
                names = "--away",
                description = "no good replica can be read until a node that is silent answers")
        private boolean away;

        @Option(names = "--lost", description = "no node that is known has a good replica")
        private boolean lost;

        @Option(names = "--corrupt", description = "some replica failed its checksum")
        private boolean corrupt;

        @Option(names = "--misplaced", description = "not in the groups of nodes that are wanted")
        private boolean misplaced;

        String text() {
            return under
                    ? "under"
                    : over
                            ? "over"
                            : away ? "away" : lost ? "lost" : corrupt ? "corrupt" : "misplaced";
        }
    }

    @Mixin private FarmOptions options = new FarmOptions();

    @ArgGroup(multiplicity = "1")
    private Kind kind = new Kind();

    @Option(
            names = "--limit",
            defaultValue = "10000",
            description = "at most so many files (${DEFAULT-VALUE})")
    private int limit;

    @Override
    public Integer call() {
        List<ReplicaProblem> problems = new ArrayList<>();
        long total;
        try (Gridfarm farm = options.connect()) {
            long after = 0;
            ListReplicasReply page;
            do {
                page =
                        farm.callLeader(
                                MetadataMethods.LIST_REPLICAS,
                                ListReplicasRequest.newBuilder()
                                        .setKind(kind.text())
                                        .setAfter(after)
                                        .setLimit(limit - problems.size())
                                        .build());
                problems.addAll(page.getProblemsList());
                after = page.getLast();
            } while (!page.getEnd() && problems.size() < limit);
            total = page.getTotal();
        }
        if (options.json) {
            Output.json(
                    Map.of(
                            "kind", kind.text(),
                            "total", total,
                            "files", problems.stream().map(Replicas::document).toList()));
        } else if (!problems.isEmpty()) {
            Output.Table table = Output.table("WANTED", "LIVE", "SIZE", "PATH", "WHY");
            for (ReplicaProblem problem : problems) {
                table.row(
                        problem.getWanted(),
                        problem.getLive(),
                        Output.bytes(problem.getSize()),
                        NameText.of(problem.getPath().toByteArray()),
                        problem.getReason());
            }
            table.print();
            if (total > problems.size()) {
                System.err.println("gf: " + total + " in all; --limit shows more");
            }
        }
        return total == 0 ? 0 : 1;
    }

    private static Map<String, Object> document(ReplicaProblem problem) {
        return Map.of(
                "path", NameText.of(problem.getPath().toByteArray()),
                "inode", problem.getInode(),
                "wanted", problem.getWanted(),
                "live", problem.getLive(),
                "size", problem.getSize(),
                "reason", problem.getReason(),
                "replicas", problem.getReplicasList().stream().map(Replicas::document).toList());
    }

    private static Map<String, Object> document(Replica replica) {
        return Map.of(
                "node", replica.getNode(),
                "state", replica.getState().name().toLowerCase(Locale.ROOT),
                "live", replica.getLive());
    }
}
