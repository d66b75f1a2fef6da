package org.gridfarm.client.core;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.ArrayList;
import java.util.List;

/** Where the files of a {@link MemoryMetaserver} lie. */
final class MemoryLayouts {
    private MemoryLayouts() {}

    static Layout made(MemoryMetaserver of, long inode, int generation) {
        Layout.Builder layout =
                Layout.newBuilder().setStripeCount(of.stripes).setStripeUnit(64 << 10);
        for (int s = 0; s < of.stripes; s++) {
            ObjectLocation.Builder object =
                    ObjectLocation.newBuilder()
                            .setObject(
                                    ObjectId.newBuilder()
                                            .setInode(inode)
                                            .setStripe(s)
                                            .setGeneration(generation));
            for (int r = 0; r < of.replicas; r++) {
                MemoryNode node = of.nodes.get((s + r) % of.nodes.size());
                object.addReplicas(
                        Replica.newBuilder()
                                .setNode(node.name)
                                .setAddress(node.server.address().toString())
                                .setState(ReplicaState.WRITING)
                                .setLive(true));
            }
            layout.addObjects(object);
        }
        return layout.build();
    }

    static Layout without(List<String> nodes, Layout layout) {
        Layout.Builder left = layout.toBuilder();
        for (ObjectLocation.Builder object : left.getObjectsBuilderList()) {
            List<Replica> others = new ArrayList<>(object.getReplicasList());
            others.removeIf(replica -> nodes.contains(replica.getNode()));
            object.clearReplicas().addAllReplicas(others);
        }
        return left.build();
    }

    static Layout first(int replicas, Layout layout) {
        Layout.Builder told = layout.toBuilder();
        told.getObjectsBuilderList()
                .forEach(o -> {
                    while (o.getReplicasCount() > replicas) {
                        o.removeReplicas(o.getReplicasCount() - 1);
                    }
                });
        return told.build();
    }

    static Layout valid(Layout layout, ByteString digest) {
        Layout.Builder now = layout.toBuilder().setDigest(digest);
        now.getObjectsBuilderList()
                .forEach(o ->
                        o.getReplicasBuilderList().forEach(r -> r.setState(ReplicaState.VALID)));
        return now.build();
    }
}
