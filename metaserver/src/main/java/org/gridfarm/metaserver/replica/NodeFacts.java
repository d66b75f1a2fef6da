package org.gridfarm.metaserver.replica;

/**
 * One storage node at one moment.
 *
 * @param capacity bytes, 0: not known
 * @param available bytes that new copies may take, the node's reserve already taken off
 * @param load requests under way, smoothed by the node
 */
public record NodeFacts(
        String name,
        String host,
        String rack,
        String group,
        NodeState state,
        long capacity,
        long available,
        double load) {
    /** Share of the node that is free, 0 to 1; 1 when it did not say. */
    public double freeShare() {
        return capacity <= 0 ? 1 : Math.max(0, Math.min(1, (double) available / capacity));
    }

    NodeFacts withAvailable(long bytes) {
        return new NodeFacts(name, host, rack, group, state, capacity, bytes, load);
    }
}
