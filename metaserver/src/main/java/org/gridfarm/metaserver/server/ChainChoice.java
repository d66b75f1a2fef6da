package org.gridfarm.metaserver.server;

import org.gridfarm.protocol.wire.InodeImage;

import java.util.List;
import java.util.Set;

/** Picks the nodes for content that lies nowhere yet. */
interface ChainChoice {
    /**
     * As many nodes as the level asks for, or all that can be had, at least one, head first.
     * Refuses with NO_SPACE only if space is the reason, else with UNAVAILABLE.
     *
     * @param attached the node of the asker's machine, empty if none
     */
    List<String> choose(InodeImage image, int stripe, String attached, Set<String> excluded);
}
