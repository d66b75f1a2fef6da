package org.gridfarm.scheduler.placement;

import java.util.Set;
import java.util.function.Predicate;

/**
 * What a job asks of the nodes that its tasks run on, beside slots; each by a node's name.
 *
 * @param allowed where its tasks may run at all
 * @param hasRoom whether a node has memory, disk and GPUs left for one more of them now
 * @param preferred taken in favour of others that are as good
 * @param resources what it asks for at all
 */
public record Demand(
        Predicate<String> allowed,
        Predicate<String> hasRoom,
        Predicate<String> preferred,
        Set<Resource> resources) {
    /** Nothing but this. */
    public static Demand of(Predicate<String> allowed) {
        return new Demand(allowed, _ -> true, _ -> false, Set.of());
    }

    boolean takes(String node) {
        return allowed.test(node) && hasRoom.test(node);
    }
}
