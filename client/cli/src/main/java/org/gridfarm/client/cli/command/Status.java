package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.ServerInfo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "status",
        header = "Shows how the farm is: metaservers, replicas that are missing, repair.",
        description = {
            "",
            "Files are away when they cannot be read until a node that is silent answers, and lost when no node has them.",
            "Exit status 0: well; 1: replicas are missing, away or being made, or a metaserver is full; 2: files are lost or corrupt."
        },
        mixinStandardHelpOptions = true)
public final class Status implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            ClusterStatusReply status =
                    farm.callLeader(
                            MetadataMethods.CLUSTER_STATUS,
                            ClusterStatusRequest.getDefaultInstance());
            if (options.json) {
                Map<String, Object> document = new LinkedHashMap<>();
                document.put("revision", status.getRevision());
                document.put("inodes", status.getInodes());
                document.put("sessions", status.getSessions());
                document.put("journal_rows_behind", status.getJournalRowsBehind());
                document.put("replicas_under", status.getReplicasUnder());
                document.put("replicas_over", status.getReplicasOver());
                document.put("replicas_away", status.getReplicasAway());
                document.put("replicas_lost", status.getReplicasLost());
                document.put("replicas_corrupt", status.getReplicasCorrupt());
                document.put("repair_queue", status.getRepairQueue());
                document.put("repair_bytes_left", status.getRepairBytesLeft());
                document.put(
                        "metaservers",
                        status.getServersList().stream().map(Nodes::document).toList());
                Output.json(document);
            } else {
                System.out.println("revision            " + status.getRevision());
                System.out.println("inodes              " + status.getInodes());
                System.out.println("clients             " + status.getSessions());
                System.out.println("journal rows behind " + status.getJournalRowsBehind());
                System.out.println("files under level   " + status.getReplicasUnder());
                System.out.println("files over level    " + status.getReplicasOver());
                System.out.println("files away          " + status.getReplicasAway());
                System.out.println("files lost          " + status.getReplicasLost());
                System.out.println("files corrupt       " + status.getReplicasCorrupt());
                System.out.println("repairs queued      " + status.getRepairQueue());
                System.out.println(
                        "bytes to copy       " + Output.bytes(status.getRepairBytesLeft()));
                for (ServerInfo server : status.getServersList()) {
                    if (!server.getProblem().isEmpty()) {
                        System.out.println(
                                "metaserver " + server.getName() + ": " + server.getProblem());
                    }
                }
            }
            if (status.getReplicasLost() + status.getReplicasCorrupt() > 0) {
                return 2;
            }
            boolean full =
                    status.getServersList().stream().anyMatch(s -> !s.getProblem().isEmpty());
            return full || status.getReplicasUnder() + status.getReplicasAway() > 0 ? 1 : 0;
        }
    }
}
