package org.gridfarm.client.core.transfer.known;

import org.gridfarm.protocol.wire.Layout;

/** What a node's replica is in the chain of a file, as the layout says. */
public enum Place {
    /** All there is of the file. */
    ONLY,
    /** The head; others follow. */
    HEAD,
    /** Another node heads the chain, or the file is several objects, or none. */
    ELSEWHERE;

    public static Place of(Layout layout, String node) {
        if (Stripes.onlyObject(layout) == null) {
            return ELSEWHERE;
        }
        if (layout.getObjects(0).getReplicasCount() == 1
                && layout.getObjects(0).getReplicas(0).getNode().equals(node)) {
            return ONLY;
        }
        return Chain.holderAt(layout.getObjects(0), node, true) == null ? ELSEWHERE : HEAD;
    }

    /** Where the layout may be another one by now. */
    public Place unconfirmed() {
        return this == ONLY ? HEAD : this;
    }
}
