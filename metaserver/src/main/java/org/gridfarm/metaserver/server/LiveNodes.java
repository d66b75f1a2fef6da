package org.gridfarm.metaserver.server;

import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.ObjectId;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The storage nodes: what an administrator decided about each (from changes) and how it fares (from
 * heartbeats, not journaled). Event thread.
 *
 * <pre>
 *   unknown --register--> taking stock --inventory done--> up --2 s of silence--> suspect
 *   suspect --heartbeat--> up          suspect --30 s of silence--> down --register--> taking stock
 * </pre>
 */
final class LiveNodes {
    static final class Node {
        NodeImage image = NodeImage.getDefaultInstance();
        HeartbeatRequest last = HeartbeatRequest.getDefaultInstance();
        long heardAt;
        boolean registered;
        boolean stockTaken;
        final Set<ObjectId> seen = new HashSet<>();
    }

    private final Map<String, Node> nodes = new HashMap<>();
    private final long downAfterNanos;

    LiveNodes(long downAfterNanos) {
        this.downAfterNanos = downAfterNanos;
    }

    void apply(NodeImage image) {
        nodes.computeIfAbsent(image.getName(), n -> new Node()).image = image;
    }

    void gone(String name) {
        nodes.remove(name);
    }

    void clear() {
        nodes.clear();
    }

    @Nullable Node find(String name) {
        return nodes.get(name);
    }

    @Nullable NodeImage image(String name) {
        Node node = nodes.get(name);
        return node == null ? null : node.image;
    }

    List<Node> all() {
        List<Node> all = new ArrayList<>(nodes.values());
        all.sort((a, b) -> a.image.getName().compareTo(b.image.getName()));
        return all;
    }

    /**
     * @param stockTaken it is known what the node holds; otherwise its inventory comes first
     */
    void registered(String name, long now, boolean stockTaken) {
        Node node = nodes.computeIfAbsent(name, n -> new Node());
        node.registered = true;
        node.heardAt = now;
        node.stockTaken = stockTaken;
        node.seen.clear();
    }

    void heard(HeartbeatRequest heartbeat, long now) {
        Node node = nodes.get(heartbeat.getName());
        if (node == null) return;
        node.last = heartbeat;
        node.heardAt = now;
    }

    void seen(String name, ObjectId object) {
        Node node = nodes.get(name);
        if (node != null) node.seen.add(object);
    }

    boolean wasSeen(String name, ObjectId object) {
        Node node = nodes.get(name);
        return node != null && node.seen.contains(object);
    }

    void inventoryDone(String name) {
        Node node = nodes.get(name);
        if (node == null) return;
        node.stockTaken = true;
        node.seen.clear();
    }

    /** Heard of within its lease, and known for what it holds. */
    boolean isLive(String name, long now) {
        Node node = nodes.get(name);
        return node != null
                && node.registered
                && node.stockTaken
                && now - node.heardAt < ServerLimits.NODE_LEASE.toNanos();
    }

    /** Silent for so long that its copies are made elsewhere. */
    boolean isDown(String name, long now) {
        Node node = nodes.get(name);
        return node == null || (!isLive(name, now) && now - node.heardAt >= downAfterNanos);
    }

    boolean takesNew(String name, long now) {
        Node node = nodes.get(name);
        return node != null && isLive(name, now) && node.image.getAdminState().equals("up");
    }

    String stateOf(Node node, long now) {
        String admin = node.image.getAdminState();
        if (!isLive(node.image.getName(), now)) {
            return isDown(node.image.getName(), now) ? "down" : "suspect";
        }
        return admin.isEmpty() ? "up" : admin;
    }

    /** A new leader has heard of nobody yet: the silence of all of them begins now. */
    void restart(long now) {
        for (Node node : nodes.values()) node.heardAt = now - ServerLimits.NODE_LEASE.toNanos();
    }
}
