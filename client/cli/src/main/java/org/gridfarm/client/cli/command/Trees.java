package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;

/** Trees of the farm, for commands with {@code -R}: what fails in one place leaves the rest. */
final class Trees {
    /** What is done with each. */
    interface Visitor {
        void visit(FileInfo found);
    }

    private Trees() {}

    /** The file, then what is below it; symbolic links are not followed. */
    static void each(Gridfarm farm, FileInfo root, boolean recursive, Each each, Visitor visitor) {
        each.attempt(() -> visitor.visit(root));
        if (recursive && root.isDirectory()) {
            each.attempt(() -> {
                for (FileInfo entry : farm.list(root.path()).toList()) {
                    each(farm, entry, true, each, visitor);
                }
            });
        }
    }
}
