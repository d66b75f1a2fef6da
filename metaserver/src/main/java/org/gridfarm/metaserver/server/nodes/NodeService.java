package org.gridfarm.metaserver.server.nodes;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.metaserver.replica.RollCall;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.metaserver.server.state.Tenure;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DeleteObjectsRequest;
import org.gridfarm.protocol.wire.HeartbeatReply;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.HeldObject;
import org.gridfarm.protocol.wire.InventoryReply;
import org.gridfarm.protocol.wire.InventoryRequest;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.RegisterNodeReply;
import org.gridfarm.protocol.wire.RegisterNodeRequest;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.TicketKey;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/**
 * The storage nodes at the leader: registration, heartbeats, inventories, and what they are told to
 * do. Event thread.
 */
public final class NodeService {
    private static final Logger log = LoggerFactory.getLogger(NodeService.class);

    /** Objects named in one command to a node. */
    private static final int DELETE_OBJECTS_MAX = 1024;

    private static final long ASK_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long REVIEW_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long TELL_AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

    private final class Link implements NodeLink {
        final String name;
        final Peer peer;
        final long incarnation;
        final Set<ObjectId> deletes = new LinkedHashSet<>();
        final Set<ObjectId> deleting = new HashSet<>(); // told, and it may still do so
        final Set<ObjectId> kept = new LinkedHashSet<>(); // may be all that is left of a file
        long reviewFrom = state.monotonicNanos(); // what is kept
        final RollCall rollCall;
        boolean asking; // by name, for what its inventory did not show
        long askFrom = state.monotonicNanos();
        boolean telling;
        long tellFrom = state.monotonicNanos();

        Link(String name, Peer peer, long incarnation, RollCall rollCall) {
            this.rollCall = rollCall;
            this.name = name;
            this.peer = peer;
            this.incarnation = incarnation;
        }

        void goesOnFrom(Link former) {
            deletes.addAll(former.deletes);
            deletes.addAll(former.deleting);
            deletes.addAll(former.kept);
            deleting.addAll(former.deleting);
        }

        @Override
        public <Q extends MessageLite, R extends MessageLite> void call(
                Method<Q, R> method,
                Q request,
                Duration deadline,
                BiConsumer<@Nullable R, @Nullable FarmException> answered) {
            peer.callPlain(method, request, deadline)
                    .whenComplete((reply, failure) ->
                            events.submit(() ->
                                    answered.accept(
                                            reply,
                                            failure == null
                                                    ? null
                                                    : FarmException.of(
                                                            failure, method.name(), name))));
        }
    }

    private final FarmState state;
    private final LeaderContext leader;
    private final Events events;
    private final TicketMaker tickets;
    private final long instance;
    private final Suspects suspects;
    private final MissingCopies missing;
    private final Tenure tenure;
    private final Map<String, Link> links = new HashMap<>();
    private BiPredicate<String, ObjectId> arriving = (node, object) -> false;

    public NodeService(
            FarmState state,
            LeaderContext leader,
            Events events,
            TicketMaker tickets,
            Suspects suspects,
            MissingCopies missing,
            Tenure tenure,
            long instance) {
        this.tenure = tenure;
        this.suspects = suspects;
        this.missing = missing;
        this.state = state;
        this.leader = leader;
        this.events = events;
        this.tickets = tickets;
        this.instance = instance;
    }

    public void register(HandlerTable table) {
        table.on(MetadataMethods.REGISTER_NODE, this::registerNode);
        table.on(MetadataMethods.HEARTBEAT, this::heartbeat);
        table.on(MetadataMethods.INVENTORY, this::inventory);
    }

    private static void requireNode(Exchange<?, ?> exchange, String name) {
        exchange.peer().identity().require(Role.NODE, exchange.method().name());
        String certified = exchange.peer().identity().node().map(NodeName::text).orElse("");
        if (!certified.equals(name)) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    exchange.method().name(),
                    name,
                    "the certificate is that of node " + certified);
        }
    }

    private void registerNode(Exchange<RegisterNodeRequest, RegisterNodeReply> exchange) {
        RegisterNodeRequest request = exchange.request();
        requireNode(exchange, request.getName());
        NodeImage known = state.nodes().image(request.getName());
        if (known != null && known.getAdminState().equals("removed")) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    exchange.method().name(),
                    request.getName(),
                    "the node was removed; 'gf node readwrite "
                            + request.getName()
                            + "' takes it back");
        }
        NodeImage now =
                NodeImage.newBuilder()
                        .setName(request.getName())
                        .setAddress(request.getAddress())
                        .setRack(request.getRack())
                        .setGroup(request.getGroup())
                        .setSlots(request.getSlots())
                        .setMount(request.getMount())
                        .setHost(request.getHost())
                        .setCapacity(known == null ? 0 : known.getCapacity())
                        .setAdminState(known == null ? "up" : known.getAdminState())
                        .build();
        if (!now.equals(known)) {
            leader.change(List.of(Change.newBuilder().setNode(now).build()), 0);
        }
        Link former = links.get(request.getName());
        boolean holdsNothing = request.getEmpty() && state.heldBy(request.getName()).isEmpty();
        Link same =
                former != null && former.incarnation == request.getIncarnation() ? former : null;
        boolean told = same != null && same.rollCall.isOver() && !request.getHoldingChanged();
        RollCall rollCall = new RollCall(!holdsNothing && !told);
        Link link =
                new Link(request.getName(), exchange.peer(), request.getIncarnation(), rollCall);
        links.put(request.getName(), link);
        if (same != null)
            link.goesOnFrom(same); // no inventory may tell what is still to be deleted
        state.nodes().registered(request.getName(), rollCall.isOver(), state.monotonicNanos());
        missing.soon();
        log.info("node {} registered at {}", request.getName(), request.getAddress());
        RegisterNodeReply reply =
                RegisterNodeReply.newBuilder()
                        .setLeaseMillis(leaseMillis())
                        .addAllKeys(keys(request.getName()))
                        .setWantInventory(!rollCall.isOver())
                        .setInstance(instance)
                        .build();
        leader.afterAllSoFar(() ->
                exchange.reply(
                        isElsewhere(request.getAddressesKnown())
                                ? reply.toBuilder().setAddresses(state.nodes().addresses()).build()
                                : reply));
    }

    /** Some node is elsewhere than that version of the addresses says. */
    private boolean isElsewhere(long version) {
        return state.nodes().addresses().getVersion() != version;
    }

    private int leaseMillis() {
        return (int) tenure.left(ServerLimits.NODE_LEASE).toMillis();
    }

    private List<TicketKey> keys(String node) {
        return tickets.ring(node);
    }

    private void heartbeat(Exchange<HeartbeatRequest, HeartbeatReply> exchange) {
        HeartbeatRequest request = exchange.request();
        requireNode(exchange, request.getName());
        Link link = links.get(request.getName());
        if (link == null
                || link.peer != exchange.peer()
                || link.incarnation != request.getIncarnation()) {
            exchange.reply(HeartbeatReply.newBuilder().setRegisterAgain(true).build());
            return;
        }
        if (!state.nodes().heard(request, state.monotonicNanos())) {
            exchange.reply(HeartbeatReply.newBuilder().setRegisterAgain(true).build());
            return;
        }
        NodeReport report = new NodeReport(state, link.name);
        for (ObjectId bad : request.getCorruptList()) report.damaged(bad);
        for (ObjectId lost : request.getLostList()) {
            report.lost(lost);
        }
        List<Change> changes = report.changes();
        leader.change(changes, 0);
        HeartbeatReply.Builder answer =
                HeartbeatReply.newBuilder()
                        .setLeaseMillis(leaseMillis())
                        .addAllKeys(keys(link.name));
        if (isElsewhere(request.getAddressesKnown())) {
            answer.setAddresses(state.nodes().addresses());
        }
        HeartbeatReply reply = answer.build();
        // What the node reported is in the journal when it is told that it was heard.
        if (changes.isEmpty()) exchange.reply(reply);
        else leader.afterCompletion(leader.openSequence(), () -> exchange.reply(reply));
        review(link);
        delete(link); // what could not be told, or was refused, before
    }

    /** There may be something better by now: not looked at with every batch, for it may be much. */
    private void review(Link link) {
        if (link.kept.isEmpty() || state.monotonicNanos() - link.reviewFrom < 0) return;
        link.reviewFrom = state.monotonicNanos() + REVIEW_NANOS;
        link.deletes.addAll(link.kept);
        link.kept.clear();
    }

    /** What the node holds and should not: superseded objects go, unknown ones are set aside. */
    private void inventory(Exchange<InventoryRequest, InventoryReply> exchange) {
        InventoryRequest request = exchange.request();
        requireNode(exchange, request.getName());
        Link link = links.get(request.getName());
        if (link == null || link.peer != exchange.peer()) {
            throw new FarmException(
                    ErrorKind.NOT_READY,
                    exchange.method().name(),
                    request.getName(),
                    "the node registers first");
        }
        InventoryReply.Builder reply = InventoryReply.newBuilder();
        NodeReport report = new NodeReport(state, link.name);
        for (HeldObject held : request.getObjectsList()) {
            ObjectId object = held.getObject();
            link.rollCall.shows(object);
            if (!state.exists(object.getInode())) {
                if (state.wasInode(object.getInode())) link.deletes.add(object);
                else reply.addQuarantine(object);
                continue;
            }
            ReplicaImage row = state.rowOf(link.name, object);
            ReplicaState known = row == null ? null : row.getState();
            boolean isWanted = known == ReplicaState.VALID || isInChain(link.name, object);
            if (isWanted && held.getDirty()) suspects.add(link.name, object);
            if (isWanted) continue;
            if (known == ReplicaState.CORRUPT)
                continue; // kept for a person until a good copy exists
            if (row != null && known == ReplicaState.STALE && state.isLastHope(object)) continue;
            if (row != null && known == ReplicaState.LOST) {
                report.found(row);
            } else {
                if (row != null) report.gone(row);
                link.deletes.add(object);
            }
        }
        if (request.getEnd()) {
            link.rollCall.ends(state.heldBy(link.name));
        }
        leader.change(report.changes(), 0);
        if (request.getEnd()) askForMissing(link);
        leader.afterAllSoFar(() -> {
            delete(link);
            exchange.reply(reply.build());
        });
    }

    public void tick(long now) {
        for (Link link : List.copyOf(links.values())) {
            if (link.rollCall.isAsking() && !link.asking && now - link.askFrom >= 0) {
                askForMissing(link);
            }
        }
    }

    /** Some after the other, until all are answered; what is not answered is asked again. */
    private void askForMissing(Link link) {
        if (link.rollCall.isOver()) {
            state.nodes().inventoryTaken(link.name);
            return;
        }
        if (links.get(link.name) != link || !link.peer.isOpen()) return;
        List<ObjectId> some = link.rollCall.missing(ServerLimits.FIND_OBJECTS_MAX);
        link.asking = true;
        missing.ask(
                link.name,
                some,
                found -> {
                    link.asking = false;
                    if (links.get(link.name) != link) return;
                    if (found == null) {
                        link.askFrom = state.monotonicNanos() + ASK_AGAIN_NANOS;
                    } else {
                        link.rollCall.answered(some);
                        askForMissing(link);
                    }
                });
    }

    /** Of a generation that is to come: the file is being sealed, and this is its content then. */
    private boolean isSealedAhead(ObjectId object) {
        WritingImage writing = state.writing(object.getInode());
        return writing != null
                && Integer.compareUnsigned(object.getGeneration(), writing.getGeneration()) > 0;
    }

    private boolean isInChain(String node, ObjectId object) {
        WritingImage writing = state.writing(object.getInode());
        if (writing == null || writing.getGeneration() != object.getGeneration()) return false;
        for (WritingChain chain : writing.getChainsList()) {
            if (chain.getStripe() == object.getStripe()) {
                return chain.getNodesList().contains(node) || chain.getJoiningList().contains(node);
            }
        }
        return false;
    }

    public @Nullable NodeLink link(String name) {
        Link link = links.get(name);
        return link != null && link.peer.isOpen() ? link : null;
    }

    /** Objects whose rows went with a durable batch are deleted at their nodes. */
    public void durable(ChangeBatch batch) {
        for (Change change : batch.getChangesList()) {
            if (change.hasReplicaGone()) {
                var gone = change.getReplicaGone();
                Link link = links.get(gone.getNode());
                if (link != null) {
                    link.deletes.add(
                            Layouts.object(
                                    gone.getInode(), gone.getStripe(), gone.getGeneration()));
                }
            }
        }
        for (Link link : links.values()) delete(link);
    }

    private void delete(Link link) {
        boolean mayTell = link.peer.isOpen() && state.monotonicNanos() >= link.tellFrom;
        if (link.telling || link.deletes.isEmpty() || !mayTell) return;
        // A row may have come back meanwhile, as when a copy was made again.
        link.deletes.removeIf(o -> state.rowOf(link.name, o) != null || isInChain(link.name, o));
        List<ObjectId> some = new ArrayList<>();
        List<ObjectId> keep = new ArrayList<>();
        for (ObjectId object : link.deletes) {
            if (some.size() == DELETE_OBJECTS_MAX) break;
            if (state.isLastHope(object)) keep.add(object);
            else if (!arriving.test(link.name, object) && !isSealedAhead(object)) some.add(object);
        }
        keep.forEach(link.deletes::remove);
        link.kept.addAll(keep);
        if (some.isEmpty()) return;
        some.forEach(link.deletes::remove);
        link.deleting.addAll(some);
        link.telling = true;
        link.call(
                StorageMethods.DELETE_OBJECTS,
                DeleteObjectsRequest.newBuilder().addAllObjects(some).build(),
                ServerLimits.NODE_CALL_DEADLINE,
                (reply, failure) -> {
                    link.telling = false;
                    if (failure == null) {
                        some.forEach(link.deleting::remove);
                        delete(link);
                    } else {
                        log.warn("deleting at {}: {}", link.name, failure.getMessage());
                        link.deletes.addAll(some);
                        link.tellFrom = state.monotonicNanos() + TELL_AGAIN_NANOS;
                    }
                });
    }

    /** The node was told to delete it and has not answered yet: no copy is made there meanwhile. */
    public boolean isDeleting(String node, ObjectId object) {
        Link link = links.get(node);
        return link != null && link.deleting.contains(object);
    }

    /**
     * @param copies tells whether the object is being copied to the node: it is not deleted then
     */
    void spare(BiPredicate<String, ObjectId> copies) {
        arriving = copies;
    }

    /** A copy that turned out useless. */
    public void deleteLater(String node, ObjectId object) {
        Link link = links.get(node);
        if (link != null) {
            link.deletes.add(object);
            delete(link);
        }
    }

    public ByteString ticket(String node, ObjectId object, boolean write) {
        return tickets.forNodes(node, object, write);
    }
}
