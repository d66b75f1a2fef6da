package org.gridfarm.storagenode.control;

/**
 * What a node says of itself.
 *
 * @param address where clients and other nodes reach it, {@code host:port}
 * @param mount where the farm is mounted on this host for its tasks; empty if it is not
 * @param incarnation drawn at start, so that a restart is noticed
 */
public record NodeFacts(
        String name,
        String address,
        String rack,
        String group,
        int slots,
        String mount,
        String host,
        long incarnation) {}
