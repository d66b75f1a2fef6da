package org.gridfarm.storagenode.tasks;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.security.SecureRandom;
import java.util.Optional;

/** Chooses how the processes of tasks are held together on this host. */
final class ProcessTrees {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTrees.class);

    private ProcessTrees() {}

    static ProcessTree.Maker ofThisHost() {
        Optional<ProcessTree.Maker> groups = ControlGroup.maker();
        if (groups.isPresent()) {
            LOG.info("each task runs in a control group of its own");
            return groups.get();
        }
        LOG.info("no control groups here: the processes of tasks are found by a mark of theirs");
        return MarkedProcesses.maker(new SecureRandom());
    }
}
