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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "nodes",
        header = "Shows storage nodes and metaservers.",
        description = {
            "",
            "Of each metaserver: role, revision it has reached, how far it is behind, clients and leases."
        },
        mixinStandardHelpOptions = true)
public final class Nodes implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            List<NodeInfo> nodes = farm.nodes();
            ClusterStatusReply status =
                    farm.callLeader(
                            MetadataMethods.CLUSTER_STATUS,
                            ClusterStatusRequest.getDefaultInstance());
            if (options.json) {
                Output.json(
                        Map.of(
                                "nodes", nodes.stream().map(Nodes::document).toList(),
                                "metaservers",
                                        status.getServersList().stream()
                                                .map(Nodes::document)
                                                .toList()));
                return 0;
            }
            Output.Table table =
                    Output.table(
                            "NODE",
                            "STATE",
                            "RACK",
                            "GROUP",
                            "ADDRESS",
                            "SLOTS",
                            "REPLICAS",
                            "USED",
                            "AVAILABLE");
            for (NodeInfo node : nodes) {
                table.row(
                        node.getName(),
                        node.getState(),
                        node.getRack(),
                        node.getGroup(),
                        node.getAddress(),
                        node.getSlots(),
                        node.getReplicas(),
                        Output.bytes(node.getUsed()),
                        Output.bytes(node.getAvailable()));
            }
            table.print();
            System.out.println();
            Output.Table servers =
                    Output.table(
                            "METASERVER",
                            "ROLE",
                            "ADDRESS",
                            "REVISION",
                            "LAG",
                            "CLIENTS",
                            "LEASES");
            for (ServerInfo server : status.getServersList()) {
                servers.row(
                        server.getName(),
                        server.getRole(),
                        server.getAddress(),
                        server.getRevision(),
                        server.getLag(),
                        server.getClients(),
                        server.getLeases());
            }
            servers.print();
        }
        return 0;
    }

    static Map<String, Object> document(NodeInfo node) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", node.getName());
        document.put("state", node.getState());
        document.put("address", node.getAddress());
        document.put("rack", node.getRack());
        document.put("group", node.getGroup());
        document.put("slots", node.getSlots());
        document.put("mount", node.getMount());
        document.put("capacity", node.getCapacity());
        document.put("used", node.getUsed());
        document.put("available", node.getAvailable());
        document.put("replicas", node.getReplicas());
        document.put("load", node.getLoad());
        document.put("read_bytes", node.getReadBytes());
        document.put("written_bytes", node.getWrittenBytes());
        document.put("bad_blocks", node.getBadBlocks());
        document.put("last_seen_ms_ago", node.getLastSeenMillisAgo());
        return document;
    }

    static Map<String, Object> document(ServerInfo server) {
        return Map.of(
                "name", server.getName(),
                "role", server.getRole(),
                "address", server.getAddress(),
                "revision", server.getRevision(),
                "lag", server.getLag(),
                "clients", server.getClients(),
                "leases", server.getLeases(),
                "heap_percent", server.getHeapPercent(),
                "problem", server.getProblem());
    }
}
