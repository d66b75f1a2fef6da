package org.gridfarm.metaserver.replica;

import java.util.List;

/**
 * What evening out the nodes takes.
 *
 * @param fullest name of the node with the least free share; empty: nodes are even enough
 * @param difference of the free shares of the emptiest and the fullest node, 0 to 1
 * @param bytes to move, about
 * @param seconds at the present rate; negative: not known
 */
public record BalanceEstimate(
        String fullest, String emptiest, double difference, long bytes, double seconds) {
    static BalanceEstimate of(List<NodeFacts> nodes, double spread, double bytesPerSecond) {
        Balance.Pair pair = Balance.pair(nodes, spread);
        if (pair == null) {
            return new BalanceEstimate("", "", difference(nodes), 0, 0);
        }
        long bytes = Balance.bytesToMove(nodes, spread);
        return new BalanceEstimate(
                pair.fullest().name(),
                pair.emptiest().name(),
                difference(nodes),
                bytes,
                bytesPerSecond > 0 ? bytes / bytesPerSecond : -1);
    }

    private static double difference(List<NodeFacts> nodes) {
        Balance.Pair pair = Balance.pair(nodes, 0);
        return pair == null ? 0 : pair.emptiest().freeShare() - pair.fullest().freeShare();
    }
}
