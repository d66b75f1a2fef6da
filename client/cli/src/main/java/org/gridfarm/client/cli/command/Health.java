package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ServerInfo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "health",
        header = "Says what is wrong with the farm and what to do.",
        description = {
            "",
            "Exit status 0: well; 1: something needs attention, or is being repaired; 2: content is lost or corrupt."
        },
        mixinStandardHelpOptions = true)
public final class Health implements Callable<Integer> {
    /** A node with a smaller share of free space is nearly full. */
    private static final double FREE_SHARE_MIN = 0.05;

    /** Batches the tables may be behind the journal: a few seconds of a busy farm. */
    private static final long JOURNAL_BEHIND_MAX = 5_000;

    /** Batches a cache server may be behind the leader. */
    private static final long CACHE_BEHIND_MAX = 5_000;

    /** One thing that is wrong; {@code severity} is the exit status it asks for. */
    private record Finding(int severity, String what, String hint) {}

    @Mixin private FarmOptions options = new FarmOptions();

    @Override
    public Integer call() {
        List<Finding> findings = new ArrayList<>();
        try (Gridfarm farm = options.connect()) {
            content(
                    farm.callLeader(
                            MetadataMethods.CLUSTER_STATUS,
                            ClusterStatusRequest.getDefaultInstance()),
                    findings);
            farm.nodes().forEach(node -> node(node, findings));
        }
        int worst = findings.stream().mapToInt(Finding::severity).max().orElse(0);
        if (options.json) {
            Output.json(
                    Map.of(
                            "state", List.of("well", "attention", "bad").get(worst),
                            "findings",
                                    findings.stream()
                                            .map(f ->
                                                    Map.of(
                                                            "severity",
                                                            f.severity(),
                                                            "what",
                                                            f.what(),
                                                            "hint",
                                                            f.hint()))
                                            .toList()));
        } else if (findings.isEmpty()) {
            System.out.println("well");
        } else {
            findings.stream()
                    .sorted((a, b) -> b.severity() - a.severity())
                    .forEach(f ->
                            System.out.println(
                                    (f.severity() == 2 ? "BAD   " : "note  ")
                                            + f.what()
                                            + " ("
                                            + f.hint()
                                            + ")"));
        }
        return worst;
    }

    private static void content(ClusterStatusReply status, List<Finding> findings) {
        count(findings, 2, status.getReplicasLost(), "without a good replica", "--lost");
        count(findings, 1, status.getReplicasAway(), "on silent nodes alone", "--away");
        count(findings, 2, status.getReplicasCorrupt(), "with a corrupt replica", "--corrupt");
        count(findings, 1, status.getReplicasUnder(), "with too few replicas", "--under");
        if (status.getJournalRowsBehind() > JOURNAL_BEHIND_MAX) {
            findings.add(
                    new Finding(
                            1,
                            "the tables are "
                                    + status.getJournalRowsBehind()
                                    + " batches behind the journal",
                            "is PostgreSQL slow?"));
        }
        for (ServerInfo server : status.getServersList()) {
            if (!server.getProblem().isEmpty()) {
                findings.add(
                        new Finding(
                                1,
                                "metaserver " + server.getName() + ": " + server.getProblem(),
                                "delete, set quotas, or give metaservers more memory"));
            }
            if (server.getLag() > CACHE_BEHIND_MAX) {
                findings.add(
                        new Finding(
                                1,
                                "metaserver "
                                        + server.getName()
                                        + " is "
                                        + server.getLag()
                                        + " batches behind",
                                "see its log"));
            }
        }
        if (status.getServersList().size() < 2) {
            findings.add(
                    new Finding(
                            1, "one metaserver runs, nobody would take over", "start another one"));
        }
    }

    private static void count(
            List<Finding> findings, int severity, long count, String what, String option) {
        if (count > 0) {
            findings.add(
                    new Finding(
                            severity,
                            count + (count == 1 ? " file " : " files ") + what,
                            "gf replicas " + option));
        }
    }

    private static void node(NodeInfo node, List<Finding> findings) {
        String name = "node " + node.getName();
        switch (node.getState()) {
            case "down" ->
                    findings.add(
                            new Finding(
                                    1,
                                    name
                                            + " is down, silent for "
                                            + node.getLastSeenMillisAgo() / 1000
                                            + " s",
                                    "start it again, or: gf node remove " + node.getName()));
            case "suspect" ->
                    findings.add(
                            new Finding(
                                    1,
                                    name + " is silent or being taken stock of",
                                    "wait for a moment"));
            case "removed" -> {
                return;
            }
            default -> {}
        }
        if (node.getCapacity() > 0 && node.getAvailable() < node.getCapacity() * FREE_SHARE_MIN) {
            findings.add(
                    new Finding(
                            1,
                            name + " is full: " + Output.bytes(node.getAvailable()) + " left",
                            "delete, add nodes, or: gf balance"));
        }
        if (node.getBadBlocks() > 0) {
            findings.add(
                    new Finding(
                            1,
                            name
                                    + " has found "
                                    + node.getBadBlocks()
                                    + " bad blocks since it started",
                            "check its disks"));
        }
    }
}
