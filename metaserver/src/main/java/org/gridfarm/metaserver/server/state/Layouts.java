package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.server.state.Tickets.Asker;
import org.gridfarm.protocol.auth.ticket.ChainHash;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the content of a file lies, as clients are told: the chain of a file being written, head
 * first, or the replicas of one that is not, the asker's own node first. Pure but for the clock in
 * tickets.
 */
public final class Layouts {
    private final FarmState state;
    private final Tickets tickets;

    public Layouts(FarmState state, Tickets tickets) {
        this.state = state;
        this.tickets = tickets;
    }

    /**
     * The head of each chain of a file that is being written, with tickets to ask how long it is by
     * now: everybody who sees the file may know that, whether or not he may read it.
     */
    public Layout head(long inode, Asker asker) {
        WritingImage writing = state.writing(inode);
        if (writing == null) return Layout.getDefaultInstance();
        Layout.Builder layout = frame(inode, false);
        for (WritingChain chain : writing.getChainsList()) {
            ObjectId object = object(inode, chain.getStripe(), writing.getGeneration());
            ObjectLocation.Builder location =
                    ObjectLocation.newBuilder().setObject(object).setStaged(writing.getStaged());
            if (chain.getNodesCount() > 0) {
                location.addReplicas(
                        replica(
                                object,
                                chain.getNodes(0),
                                memberState(object, chain),
                                asker,
                                Rights.STAT));
            }
            layout.addObjects(location);
        }
        return layout.build();
    }

    /** Chains to write to, or to read from while somebody writes. */
    public Layout chain(long inode, Asker asker, boolean write) {
        WritingImage writing = state.writing(inode);
        if (writing == null) return replicas(inode, asker);
        Rights rights = write ? Rights.READ_CHAINED : Rights.READ;
        Layout.Builder layout = frame(inode, write);
        for (WritingChain chain : writing.getChainsList()) {
            ObjectId object = object(inode, chain.getStripe(), writing.getGeneration());
            ObjectLocation.Builder location =
                    ObjectLocation.newBuilder().setObject(object).setStaged(writing.getStaged());
            for (String node : chain.getNodesList()) {
                location.addReplicas(
                        replica(object, node, memberState(object, chain), asker, rights));
            }
            if (write) {
                for (String node : chain.getJoiningList()) {
                    location.addReplicas(
                            replica(object, node, memberState(object, chain), asker, rights)
                                    .toBuilder()
                                    .setJoining(true));
                }
                mayWriteAtHead(location, asker);
            } else if (writing.getStaged() != 0 && location.getReplicasCount() > 0) {
                Replica.Builder head = location.getReplicasBuilder(0);
                head.setTicket(
                        tickets.mintStaged(head.getNode(), object, writing.getStaged(), asker));
            }
            layout.addObjects(location);
        }
        return layout.build();
    }

    /** With all that are behind it, and at no other member: what is written is written at all. */
    private void mayWriteAtHead(ObjectLocation.Builder location, Asker asker) {
        ChainHash behind = new ChainHash();
        for (int i = 1; i < location.getReplicasCount(); i++) {
            behind.add(location.getReplicas(i).getNode(), location.getReplicas(i).getJoining());
        }
        if (location.getReplicasCount() > 0) {
            Replica.Builder head = location.getReplicasBuilder(0);
            head.setTicket(
                    tickets.mintHead(head.getNode(), location.getObject(), behind.value(), asker));
        }
    }

    /**
     * VALID once something of the object was committed: a member that does not have it lost it, and
     * must not make an empty one.
     */
    private ReplicaState memberState(ObjectId object, WritingChain chain) {
        boolean has = chain.getCommittedCount() == 0 && state.hasContent(object);
        return has ? ReplicaState.VALID : ReplicaState.WRITING;
    }

    /**
     * Valid replicas on live nodes, the caller's own node first; refuses content that nobody live
     * has.
     */
    public Layout replicas(long inode, Asker asker) {
        InodeImage image = state.image(inode);
        Layout.Builder layout = frame(inode, false);
        String own = asker.caller().attachedNode();
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            ObjectId object = object(inode, stripe, image.getGeneration());
            List<ReplicaImage> rows = state.rows(inode, stripe, image.getGeneration());
            if (rows.isEmpty()) continue;
            List<String> live = new ArrayList<>();
            for (ReplicaImage row : rows) {
                if (row.getState() == ReplicaState.VALID && state.isReadable(row.getNode())) {
                    if (row.getNode().equals(own)) live.addFirst(row.getNode());
                    else live.add(row.getNode());
                }
            }
            if (live.isEmpty() && image.getSize() > 0) {
                boolean away = rows.stream().anyMatch(row -> row.getState() == ReplicaState.VALID);
                throw new FarmException(
                        away ? ErrorKind.DATA_UNAVAILABLE : ErrorKind.DATA_LOST,
                        "read",
                        Long.toHexString(inode),
                        describe(rows));
            }
            ObjectLocation.Builder location = ObjectLocation.newBuilder().setObject(object);
            for (String node : live) {
                location.addReplicas(replica(object, node, ReplicaState.VALID, asker, Rights.READ));
            }
            layout.addObjects(location);
        }
        if (image.getStripeCount() <= 1 && layout.getObjectsCount() == 1) {
            layout.setDigest(image.getDigest());
        }
        return layout.build();
    }

    /** Every replica there is, for people and schedulers. */
    public Layout all(long inode, Asker asker, boolean withTickets) {
        InodeImage image = state.image(inode);
        Layout.Builder layout = frame(inode, false);
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            ObjectId object = object(inode, stripe, image.getGeneration());
            ObjectLocation.Builder location = ObjectLocation.newBuilder().setObject(object);
            for (ReplicaImage row : state.rows(inode, stripe, image.getGeneration())) {
                location.addReplicas(
                        replica(
                                object,
                                row.getNode(),
                                row.getState(),
                                asker,
                                withTickets ? Rights.READ : null));
            }
            if (location.getReplicasCount() > 0) layout.addObjects(location);
        }
        return layout.build();
    }

    private Layout.Builder frame(long inode, boolean write) {
        InodeImage image = state.image(inode);
        return Layout.newBuilder()
                .setStripeCount(Math.max(1, image.getStripeCount()))
                .setStripeUnit(image.getStripeUnit())
                .setTicketExpiry(tickets.expirySeconds(write));
    }

    public static ObjectId object(long inode, int stripe, int generation) {
        return ObjectId.newBuilder()
                .setInode(inode)
                .setStripe(stripe)
                .setGeneration(generation)
                .build();
    }

    /**
     * @param rights of the ticket that comes with it; null: none does
     */
    private Replica replica(
            ObjectId object,
            String node,
            ReplicaState replicaState,
            Asker asker,
            @Nullable Rights rights) {
        Replica.Builder replica =
                Replica.newBuilder()
                        .setNode(node)
                        .setState(replicaState)
                        .setLive(state.isReadable(node));
        replica.setAddress(state.addressOf(node));
        if (rights != null) replica.setTicket(tickets.mint(node, object, rights, asker));
        return replica.build();
    }

    private String describe(List<ReplicaImage> rows) {
        StringBuilder text = new StringBuilder();
        for (ReplicaImage row : rows) {
            if (!text.isEmpty()) text.append(", ");
            text.append(row.getNode())
                    .append(' ')
                    .append(
                            row.getState() == ReplicaState.VALID
                                    ? "is not reachable"
                                    : "is "
                                            + row.getState()
                                                    .name()
                                                    .toLowerCase(java.util.Locale.ROOT));
        }
        return text.isEmpty() ? "no replica" : text.toString();
    }
}
