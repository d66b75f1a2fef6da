package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

import tools.jackson.core.JsonGenerator;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;

/** Where the bytes of a file are, in pieces of the size by which jobs split files. */
final class Places {
    private Places() {}

    static void blockLocations(Call call) throws IOException {
        Parameters parameters = call.request().parameters();
        long offset = parameters.number("offset", 0, Long.MAX_VALUE).orElse(0);
        long length = parameters.number("length", 0, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
        FileInfo found = call.farm().stat(call.path());
        Set<HostPort> nodes =
                found.isRegularFile() ? nodes(call.farm().where(call.path())) : Set.of();
        long size = found.isRegularFile() ? found.size() : 0;
        long end = length > size - offset ? size : offset + length;
        WebHdfs.answer(
                call,
                json -> {
                    json.writeObjectPropertyStart("BlockLocations");
                    json.writeArrayPropertyStart("BlockLocation");
                    for (long at = offset - offset % StatusJson.BLOCK_BYTES;
                            at < end;
                            at += StatusJson.BLOCK_BYTES) {
                        piece(json, nodes, at, Math.min(StatusJson.BLOCK_BYTES, size - at));
                    }
                    json.writeEndArray();
                    json.writeEndObject();
                });
    }

    /** Nodes that hold some of the file, and can be read. */
    private static Set<HostPort> nodes(Layout layout) {
        Set<HostPort> nodes = new LinkedHashSet<>();
        for (ObjectLocation object : layout.getObjectsList()) {
            for (Replica replica : object.getReplicasList()) {
                boolean readable =
                        replica.getLive()
                                && !replica.getJoining()
                                && (replica.getState() == ReplicaState.VALID
                                        || replica.getState() == ReplicaState.WRITING);
                if (readable && !replica.getAddress().isEmpty()) {
                    nodes.add(HostPort.parse(replica.getAddress()));
                }
            }
        }
        return nodes;
    }

    private static void piece(JsonGenerator json, Set<HostPort> nodes, long offset, long length) {
        json.writeStartObject();
        empty(json, "cachedHosts");
        json.writeBooleanProperty("corrupt", nodes.isEmpty());
        json.writeArrayPropertyStart("hosts");
        nodes.forEach(node -> json.writeString(node.host()));
        json.writeEndArray();
        json.writeNumberProperty("length", length);
        json.writeArrayPropertyStart("names");
        nodes.forEach(node -> json.writeString(node.toString()));
        json.writeEndArray();
        json.writeNumberProperty("offset", offset);
        empty(json, "storageTypes");
        json.writeArrayPropertyStart("topologyPaths");
        nodes.forEach(node -> json.writeString("/default-rack/" + node));
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void empty(JsonGenerator json, String name) {
        json.writeArrayPropertyStart(name);
        json.writeEndArray();
    }

    /** What clients of before Hadoop 2.9 ask for instead is in terms of HDFS's own blocks. */
    static void refused(Call call) {
        throw Operation.unsupported(
                call, "locate", "ask for GETFILEBLOCKLOCATIONS: there are no blocks here");
    }
}
