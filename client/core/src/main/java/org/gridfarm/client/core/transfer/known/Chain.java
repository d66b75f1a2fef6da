package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The replicas of one object, the head first, with tickets.
 *
 * @param create the object may not exist yet on its members
 * @param writer this session
 * @param fence grows with each mended chain, so that what a former head still forwards is refused
 */
public record Chain(
        ObjectId object, List<Replica> members, boolean create, long writer, long fence) {
    /** As the layout says; DATA_UNAVAILABLE where it names no node. */
    public static Chain in(Layout layout, int stripe, long writer) {
        if (stripe >= layout.getObjectsCount()
                || layout.getObjects(stripe).getReplicasCount() == 0) {
            throw new FarmException(ErrorKind.DATA_UNAVAILABLE, "write", "", "no node to write to");
        }
        ObjectLocation location = layout.getObjects(stripe);
        boolean create =
                location.getReplicasList().stream()
                        .allMatch(replica -> replica.getState() == ReplicaState.WRITING);
        return of(location, create, writer);
    }

    public static Chain of(ObjectLocation location, boolean create, long writer) {
        return new Chain(location.getObject(), location.getReplicasList(), create, writer, 0);
    }

    public Chain fenced(long newFence) {
        return new Chain(object, members, create, writer, newFence);
    }

    public Replica head() {
        return members.get(0);
    }

    /** Those that hold all of it; who joins does not yet. */
    public static List<Replica> holders(ObjectLocation location) {
        return location.getReplicasList().stream()
                .filter(replica -> !replica.getJoining())
                .toList();
    }

    /** The replica at that node; null: it has none, or another node heads the chain. */
    public static @Nullable Replica holderAt(
            ObjectLocation location, String node, boolean mustHead) {
        List<Replica> all = holders(location);
        return all.stream()
                .limit(mustHead ? 1 : all.size())
                .filter(replica -> replica.getNode().equals(node))
                .findFirst()
                .orElse(null);
    }

    public Set<String> joining() {
        return joining(members);
    }

    /** Names of those who join. */
    public static Set<String> joining(List<Replica> members) {
        return members.stream()
                .filter(Replica::getJoining)
                .map(Replica::getNode)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** What every request to its head begins with. */
    public ChainHeader header() {
        return ChainHeader.newBuilder()
                .setObject(object)
                .setTicket(head().getTicket())
                .addAllRest(rest())
                .setCreate(create)
                .setWriter(writer)
                .setFence(fence)
                .build();
    }

    public List<ChainMember> rest() {
        return members(members.subList(1, members.size()));
    }

    public static List<ChainMember> members(List<Replica> replicas) {
        List<ChainMember> rest = new ArrayList<>(replicas.size());
        for (Replica replica : replicas) {
            rest.add(
                    ChainMember.newBuilder()
                            .setNode(replica.getNode())
                            .setAddress(replica.getAddress())
                            .setTicket(replica.getTicket())
                            .setJoining(replica.getJoining())
                            .build());
        }
        return rest;
    }
}
