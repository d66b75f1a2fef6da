package org.gridfarm.client.cli.command;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;

import java.util.List;

/** Trees of the farm, for commands with {@code -R}: what fails in one place leaves the rest. */
final class Trees {
    /** What is done with each. */
    interface Visitor {
        void visit(Gridfarm farm, FileInfo found);
    }

    private Trees() {}

    /**
     * The files that are named, each followed by what is below it if {@code recursive}.
     *
     * @param follow a symbolic link that is named; those below are not followed
     * @return the exit status
     */
    static int visit(
            WhichFarm options,
            List<String> words,
            boolean follow,
            boolean recursive,
            Visitor visitor) {
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            each.path(
                    farm,
                    words,
                    path ->
                            visit(
                                    farm,
                                    follow ? farm.stat(path) : farm.statLink(path),
                                    recursive,
                                    each,
                                    visitor));
        }
        return each.exitCode();
    }

    private static void visit(
            Gridfarm farm, FileInfo root, boolean recursive, Each each, Visitor visitor) {
        each.attempt(() -> visitor.visit(farm, root));
        if (recursive && root.isDirectory()) {
            each.attempt(() -> {
                for (FileInfo entry : farm.list(root.path()).toList()) {
                    visit(farm, entry, true, each, visitor);
                }
            });
        }
    }
}
