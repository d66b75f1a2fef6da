package org.gridfarm.client.core.session;

import org.gridfarm.protocol.rpc.HostPort;

import java.time.Duration;
import java.util.List;

/**
 * @param metaservers where to look for a metaserver, in order; at least one
 * @param client what this process calls itself, for people
 * @param node the storage node it is attached to; empty: none
 * @param deadline the longest any operation may take, retries included
 */
public record SessionSettings(
        List<HostPort> metaservers, String client, String node, Duration deadline) {
    public SessionSettings {
        metaservers = List.copyOf(metaservers);
        if (metaservers.isEmpty()) {
            throw new IllegalArgumentException("no metaserver is named");
        }
    }
}
