package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.NodeAddress;
import org.gridfarm.protocol.wire.NodeAddresses;
import org.gridfarm.protocol.wire.NodeImage;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The storage nodes: what an administrator decided about each, from changes, and how it fares, from
 * heartbeats. Owned by the event thread; {@code now} is a monotonic time in nanoseconds, from the
 * caller.
 *
 * <pre>
 *   (unknown) --registers--> SUSPECT --inventory taken--> UP --silent for a lease--> SUSPECT --silent for downAfter--> DOWN
 *   SUSPECT --heard of--> UP        DOWN --registers--> SUSPECT        UP is READONLY or DRAINING if an administrator said so
 * </pre>
 */
public final class NodeTable {
    private static final class Node {
        NodeImage image = NodeImage.getDefaultInstance();
        long heardAt;
        boolean registered;
        boolean inventoryTaken;
        HeartbeatRequest beat = HeartbeatRequest.getDefaultInstance();
        NodeState told = NodeState.SUSPECT;
    }

    /** A node that is in another state than when {@link #tick} was asked before. */
    public record Shift(String node, NodeState from, NodeState to) {}

    private final Map<String, Node> nodes = new TreeMap<>();
    private @Nullable NodeAddresses addresses; // null: to be made anew
    private final long leaseNanos;
    private final long downAfterNanos;

    public NodeTable(Duration lease, Duration downAfter) {
        this.leaseNanos = lease.toNanos();
        this.downAfterNanos = downAfter.toNanos();
    }

    /** Takes NODE and NODE_GONE rows, passes over others. */
    public void apply(Change change) {
        switch (change.getChangeCase()) {
            case NODE -> {
                node(change.getNode().getName()).image = change.getNode();
                addresses = null;
            }
            case NODE_GONE -> {
                nodes.remove(change.getNodeGone());
                addresses = null;
            }
            default -> {}
        }
    }

    private Node node(String name) {
        return nodes.computeIfAbsent(name, n -> new Node());
    }

    /**
     * A leader that takes over has heard of nobody: the silence of all begins now, and none is
     * known to hold what it did.
     */
    public void restart(long now) {
        for (Node node : nodes.values()) {
            node.heardAt = now - leaseNanos;
            node.registered = false;
            node.inventoryTaken = false;
        }
    }

    /** Nobody could be heard until now: the silence of the silent begins now. */
    public void heardNobody(long now) {
        for (Node node : nodes.values()) {
            if (now - node.heardAt > leaseNanos) node.heardAt = now - leaseNanos;
        }
    }

    /**
     * @param inventoryTaken it is known what the node holds; else {@link #inventoryTaken} comes
     *     first
     */
    public void registered(String name, boolean inventoryTaken, long now) {
        Node node = node(name);
        node.registered = true;
        node.inventoryTaken = inventoryTaken;
        node.heardAt = now;
    }

    public void inventoryTaken(String name) {
        node(name).inventoryTaken = true;
    }

    /** False: the node has to register first. */
    public boolean heard(HeartbeatRequest beat, long now) {
        Node node = nodes.get(beat.getName());
        if (node == null || !node.registered) {
            return false;
        }
        node.heardAt = now;
        node.beat = beat;
        return true;
    }

    /** REMOVED for a node that is not known. */
    public NodeState state(String name, long now) {
        Node node = nodes.get(name);
        return node == null ? NodeState.REMOVED : state(node, now);
    }

    private NodeState state(Node node, long now) {
        String admin = node.image.getAdminState();
        if (admin.equals("removed")) {
            return NodeState.REMOVED;
        }
        long silence = now - node.heardAt;
        boolean live = node.registered && silence < leaseNanos;
        if (!live) {
            return silence >= downAfterNanos ? NodeState.DOWN : NodeState.SUSPECT;
        }
        if (!node.inventoryTaken) {
            return NodeState.SUSPECT;
        }
        return switch (admin) {
            case "draining" -> NodeState.DRAINING;
            case "readonly" -> NodeState.READONLY;
            default -> NodeState.UP;
        };
    }

    /** What changed since the last tick. */
    public List<Shift> tick(long now) {
        List<Shift> shifts = new ArrayList<>();
        nodes.forEach((name, node) -> {
            NodeState state = state(node, now);
            if (state != node.told) {
                shifts.add(new Shift(name, node.told, state));
                node.told = state;
            }
        });
        return shifts;
    }

    public @Nullable NodeImage image(String name) {
        Node node = nodes.get(name);
        return node == null ? null : node.image;
    }

    /** What the node said last; empty before. */
    public HeartbeatRequest lastHeartbeat(String name) {
        Node node = nodes.get(name);
        return node == null ? HeartbeatRequest.getDefaultInstance() : node.beat;
    }

    public long silenceNanos(String name, long now) {
        Node node = nodes.get(name);
        return node == null ? Long.MAX_VALUE : now - node.heardAt;
    }

    /** In the order of names. */
    public List<NodeFacts> facts(long now) {
        List<NodeFacts> facts = new ArrayList<>(nodes.size());
        nodes.forEach((name, node) -> facts.add(facts(name, node, now)));
        return facts;
    }

    private NodeFacts facts(String name, Node node, long now) {
        NodeImage image = node.image;
        HeartbeatRequest beat = node.beat;
        long capacity = beat.getCapacity() == 0 ? image.getCapacity() : beat.getCapacity();
        return new NodeFacts(
                name,
                image.getHost(),
                image.getRack(),
                image.getGroup(),
                state(node, now),
                capacity,
                beat.getCapacity() == 0 ? capacity : beat.getAvailable(),
                beat.getLoad());
    }

    public Collection<String> names() {
        return List.copyOf(nodes.keySet());
    }

    /** Where each is, for the others; the same version stands for the same everywhere. */
    public NodeAddresses addresses() {
        NodeAddresses known = addresses;
        if (known != null) return known;
        NodeAddresses.Builder made = NodeAddresses.newBuilder();
        nodes.forEach((name, node) -> {
            if (!node.image.getAddress().isEmpty()) {
                made.addNodes(
                        NodeAddress.newBuilder().setNode(name).setAddress(node.image.getAddress()));
            }
        });
        known = made.setVersion(version(made.build())).build();
        addresses = known;
        return known;
    }

    /** Never 0, which stands for none. */
    private static long version(NodeAddresses of) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(of.toByteArray());
            return ByteBuffer.wrap(digest).getLong() | 1;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    public void clear() {
        nodes.clear();
        addresses = null;
    }
}
