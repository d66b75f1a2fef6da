package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.WritingChain;

import java.util.List;
import java.util.Set;

/** Picks the nodes for content. */
public interface ChainChoice {
    /**
     * @param attached the node of the asker's machine, empty if none
     * @param excluded nodes that failed
     */
    record Beside(String attached, Set<String> excluded) {
        public static Beside of(String attached) {
            return new Beside(attached, Set.of());
        }
    }

    /**
     * As many nodes as are asked for, or all that can be had, at least one, head first. Refuses
     * with NO_SPACE only if space is the reason, else with UNAVAILABLE.
     *
     * @param holding nodes that have a copy: not chosen, and they count for the spread
     * @param others chains of the file's other stripes, which are to be elsewhere
     */
    List<String> choose(
            InodeImage image,
            int stripe,
            int copies,
            Beside beside,
            Set<String> holding,
            List<WritingChain> others);
}
