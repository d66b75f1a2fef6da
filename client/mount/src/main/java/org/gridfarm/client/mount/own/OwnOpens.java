package org.gridfarm.client.mount.own;

import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

/**
 * What is said of a file that this mount has made and opened before the leader knows of it: the
 * kernel may write into a staged file of the node on this host. Where the file really lies the
 * leader tells a moment later; its tickets are needed for everything else, so that whoever wants
 * more than the plain file waits for them.
 */
final class OwnOpens {
    /** Long past: asked for anew by whoever needs a ticket. */
    private static final long NO_TICKETS = 1;

    /**
     * Copies that the node on this host is to send the content to, whichever nodes they will be.
     */
    private static final Replica ANOTHER =
            Replica.newBuilder().setState(ReplicaState.WRITING).build();

    private OwnOpens() {}

    static OpenReply opened(CreateFile made, Attributes attributes, String attached) {
        return made.getOpen().getWrite()
                ? forWriting(made, attributes, attached)
                : OpenReply.newBuilder()
                        .setAttributes(attributes)
                        .setMode(DataMode.READ_SHARED)
                        .setCacheable(true)
                        .setLayout(
                                Layout.newBuilder().setStripeCount(1).setTicketExpiry(NO_TICKETS))
                        .build();
    }

    private static OpenReply forWriting(CreateFile made, Attributes attributes, String attached) {
        ObjectLocation.Builder object =
                ObjectLocation.newBuilder()
                        .setObject(
                                ObjectId.newBuilder()
                                        .setInode(attributes.getInode())
                                        .setGeneration(attributes.getGeneration()))
                        .setStaged(made.getOpen().getStaged())
                        .addReplicas(
                                Replica.newBuilder()
                                        .setNode(attached)
                                        .setState(ReplicaState.WRITING)
                                        .setLive(true));
        if (attributes.getReplicasWanted() > 1) object.addReplicas(ANOTHER);
        return OpenReply.newBuilder()
                .setAttributes(
                        attributes.toBuilder().setWriting(true).setToldUntil(attributes.getCtime()))
                .setMode(DataMode.EXCLUSIVE)
                .setCacheable(true)
                .setEmptied(true) // there is nothing in it yet
                .setLayout(
                        Layout.newBuilder()
                                .setStripeCount(1)
                                .addObjects(object)
                                .setTicketExpiry(NO_TICKETS))
                .build();
    }
}
