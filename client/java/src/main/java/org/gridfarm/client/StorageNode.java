package org.gridfarm.client;

import org.gridfarm.protocol.wire.NodeInfo;

/**
 * A node of the farm, as it is known at this moment.
 *
 * @param address host and port
 * @param state up, suspect, down, draining, readonly or removed
 * @param capacity bytes
 * @param available bytes
 * @param slots tasks that it runs at a time
 */
public record StorageNode(
        String name,
        String address,
        String state,
        String rack,
        String group,
        long capacity,
        long available,
        int slots) {
    static StorageNode of(NodeInfo info) {
        return new StorageNode(
                info.getName(),
                info.getAddress(),
                info.getState(),
                info.getRack(),
                info.getGroup(),
                info.getCapacity(),
                info.getAvailable(),
                info.getSlots());
    }
}
