package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.replica.Placement;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.WritingChain;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Chains by {@link Placement}, over the nodes as they are. Event thread. */
public final class PlacedChoice implements ChainChoice {
    private static final Logger log = LoggerFactory.getLogger(PlacedChoice.class);

    private final FarmState state;
    private final Placement placement;

    public PlacedChoice(FarmState state, Placement placement) {
        this.state = state;
        this.placement = placement;
    }

    @Override
    public List<String> choose(
            InodeImage image,
            int stripe,
            int copies,
            Beside beside,
            Set<String> holding,
            List<WritingChain> others) {
        Map<String, String> excluded = new HashMap<>();
        beside.excluded().forEach(node -> excluded.put(node, "failed before"));
        Map<String, Integer> stripes = new HashMap<>();
        for (WritingChain other : others) {
            other.getNodesList().forEach(node -> stripes.merge(node, 1, Integer::sum));
        }
        Placement.Wish wish =
                new Placement.Wish(
                        copies,
                        image.getGroups(),
                        holding,
                        excluded,
                        stripe == 0 ? beside.attached() : "",
                        0,
                        stripes,
                        Set.of());
        Placement.Plan plan = placement.plan(wish, state.nodes().facts(state.monotonicNanos()));
        if (plan.missing() > 0) {
            log.debug("inode {}:\n{}", Long.toHexString(image.getInode()), plan.why());
        }
        if (plan.nodes().isEmpty()) {
            throw plan.forSpace()
                    ? new FarmException(
                            ErrorKind.NO_SPACE,
                            "place",
                            Long.toHexString(image.getInode()),
                            "every node that could take it is full")
                    : new FarmException(
                            ErrorKind.UNAVAILABLE,
                            "place",
                            Long.toHexString(image.getInode()),
                            "no storage node is up that could take it");
        }
        return plan.nodes();
    }
}
