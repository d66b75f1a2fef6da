package org.gridfarm.client;

import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the bytes of a file lie.
 *
 * @param stripeUnit bytes that lie in one stripe before the next one has its turn; of one stripe
 *     without meaning
 * @param stripes in their order; empty: no content yet
 */
public record FileLayout(long stripeUnit, List<Stripe> stripes) {
    public FileLayout {
        stripes = List.copyOf(stripes);
    }

    /**
     * @param copies the first is the one that writers send to
     */
    public record Stripe(int index, List<Copy> copies) {
        public Stripe {
            copies = List.copyOf(copies);
        }
    }

    /**
     * @param node the name of the storage node
     * @param address its host and port; empty while the node is down
     * @param readable it is complete, and its node is there
     */
    public record Copy(String node, String address, boolean readable) {
        /** Without the port; empty while the node is down. */
        public String host() {
            int colon = address.lastIndexOf(':');
            return colon < 0 ? "" : address.substring(0, colon);
        }
    }

    static FileLayout of(Layout layout) {
        List<Stripe> stripes =
                IntStream.range(0, layout.getObjectsCount())
                        .mapToObj(i ->
                                new Stripe(
                                        i,
                                        layout.getObjects(i).getReplicasList().stream()
                                                .map(r ->
                                                        new Copy(
                                                                r.getNode(),
                                                                r.getAddress(),
                                                                r.getLive()
                                                                        && !r.getJoining()
                                                                        && (r.getState()
                                                                                        == ReplicaState
                                                                                                .VALID
                                                                                || r.getState()
                                                                                        == ReplicaState
                                                                                                .WRITING)))
                                                .toList()))
                        .toList();
        return new FileLayout(layout.getStripeUnit(), stripes);
    }
}
