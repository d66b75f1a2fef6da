package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;

import java.util.List;

/** What the planner wants done. */
public sealed interface RepairEffect {
    /** Why a copy is made. */
    enum Reason {
        REPAIR,
        BALANCE,
        /** Somebody named the node; the throttle does not hold it up. */
        REQUEST
    }

    /**
     * Make a copy of the object at {@code target} from one of {@code sources} (readable holders,
     * best first), journal its row if the file was not written meanwhile, and tell {@link
     * RepairEvent.Finished}.
     *
     * @param bytes about
     */
    record Copy(ObjectId object, String target, List<String> sources, long bytes, Reason reason)
            implements RepairEffect {}

    /** Journal that the row is gone; then have the node delete it. */
    record Drop(ReplicaImage row, String reason) implements RepairEffect {}
}
