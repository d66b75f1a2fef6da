package org.gridfarm.scheduler.placement;

import java.util.Collections;
import java.util.Set;

/**
 * A node whose slots come free for one large task, and what others may do there until it starts.
 *
 * @param spare slots that the large task leaves over: anybody may have them
 * @param seconds until it is expected to start; who has ended by then may have any slot
 * @param resources of these nothing is left over
 */
record Hold(String node, int spare, double seconds, Set<Resource> resources) {
    /** Slots of the node's free ones that a task of this length may have. */
    int room(int free, Demand demand, double taskSeconds) {
        if (taskSeconds <= seconds) {
            return free;
        }
        return Collections.disjoint(resources, demand.resources())
                ? Math.min(free, Math.max(0, spare))
                : 0;
    }
}
