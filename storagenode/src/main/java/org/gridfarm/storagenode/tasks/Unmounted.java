package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/** A task that names files of the farm on a node that has not mounted it. */
final class Unmounted {
    private Unmounted() {}

    static FarmException failure() {
        return new FarmException(
                ErrorKind.BAD_CONFIGURATION,
                "run-task",
                "",
                "this node has no mount of the farm: set mount in its configuration");
    }
}
