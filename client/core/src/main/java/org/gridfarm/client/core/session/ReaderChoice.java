package org.gridfarm.client.core.session;

import org.gridfarm.protocol.wire.ServerInfo;

import java.util.List;

/**
 * Which server a client reads from: the cache server with the fewest clients, and among equals one
 * that depends on the session. Pure.
 */
final class ReaderChoice {
    private ReaderChoice() {}

    /** Its address, or empty: read from the leader. */
    static String choose(List<ServerInfo> servers, long session) {
        int fewest = Integer.MAX_VALUE;
        int best = Integer.MAX_VALUE;
        String chosen = "";
        for (ServerInfo server : servers) {
            if (!server.getRole().equals("cache") || server.getAddress().isEmpty()) {
                continue;
            }
            int spread =
                    (Long.hashCode(session) * 31 + server.getAddress().hashCode())
                            & Integer.MAX_VALUE;
            if (server.getClients() < fewest || (server.getClients() == fewest && spread < best)) {
                fewest = server.getClients();
                best = spread;
                chosen = server.getAddress();
            }
        }
        return chosen;
    }
}
